package org.fmi.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.fmi.Fmi;
import org.fmi.provider.FmiProvider;

/** Joins a program to the job for which this process was started, or makes it a job of one rank. */
public final class RuntimeProvider implements FmiProvider {
  @Override
  public Fmi init(String... args) {
    try {
      return Seat.OF_PROCESS.take();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
