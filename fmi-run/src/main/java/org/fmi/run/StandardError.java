package org.fmi.run;

import org.fmi.spi.Diagnostics;

/** Shows diagnostics on this process's standard error; a rank's goes from there to fmirun's. */
public final class StandardError implements Diagnostics {
  @Override
  public void report(String line) {
    System.err.println("fmi: " + line);
  }
}
