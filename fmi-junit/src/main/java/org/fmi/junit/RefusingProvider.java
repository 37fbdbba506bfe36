package org.fmi.junit;

import org.fmi.Fmi;
import org.fmi.provider.FmiProvider;

/**
 * The provider that {@code Fmi.init} finds in a test's ranks, which have already joined their job.
 */
public final class RefusingProvider implements FmiProvider {
  @Override
  public Fmi init(String... args) {
    throw new IllegalStateException(
        "Fmi.init was called in an @FmiTest, whose job is already running: pass the Fmi of the"
            + " test method to the program, as in run(fmi, args), and call Fmi.init in main only");
  }
}
