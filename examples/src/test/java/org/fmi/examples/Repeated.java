package org.fmi.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.fmi.Fmi;

/** Runs of one program in one job: the first meets the test's kills, the second is undisturbed. */
public final class Repeated {
  private Repeated() {}

  /**
   * Holds that both runs say the same, and that their own checks have passed.
   *
   * @return what they say; empty at all ranks but 0
   */
  public static String result(Fmi fmi, int recoveries, Supplier<String> program) {
    String disturbed = program.get();
    String undisturbed = program.get();
    assertThat(disturbed).isEqualTo(undisturbed);
    if (fmi.world().rank() == 0) {
      assertThat(disturbed).matches("result .* check=ok recoveries=" + recoveries + "\n");
    }
    return disturbed;
  }
}
