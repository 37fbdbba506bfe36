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
        "Fmi.init in an @FmiTest: the job is there already; give the program the Fmi that the"
            + " test's method gets, as in run(fmi, args), and let main call that");
  }
}
