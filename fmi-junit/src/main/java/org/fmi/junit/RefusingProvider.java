package org.fmi.junit;

import org.fmi.Fmi;
import org.fmi.provider.FmiProvider;

/** What {@code Fmi.init} finds in a test's ranks, which have joined their job already. */
public final class RefusingProvider implements FmiProvider {
  @Override
  public Fmi init(String... args) {
    throw new IllegalStateException(
        "Fmi.init in an @FmiTest: the job is there already; give the program the Fmi that the"
            + " test's method gets, as in run(fmi, args), and let main call that");
  }
}
