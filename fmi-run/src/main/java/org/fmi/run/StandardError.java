package org.fmi.run;

import org.fmi.spi.Diagnostics;

/** Prints diagnostics on this process's standard error; fmirun forwards those of ranks. */
public final class StandardError implements Diagnostics {
  @Override
  public void report(String line) {
    System.err.println("fmi: " + line);
  }
}
