package org.fmi.examples.heat2d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.fmi.examples.ThreadWorld;
import org.fmi.examples.ThreadWorld.Loops;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Heat2dTest {
  private static String run(ThreadWorld world, Loops loops, int size, int phases) throws Exception {
    return world.run(
        loops,
        fmi ->
            System.out.print(
                Heat2d.run(
                    fmi,
                    "--size",
                    Integer.toString(size),
                    "--iterations",
                    "21",
                    "--phases",
                    Integer.toString(phases))));
  }

  @ParameterizedTest
  @CsvSource({"1,1", "1,30", "2,17", "3,64", "4,33", "5,23", "6,31", "7,50", "9,10", "12,41"})
  void anyNumberOfRanksComputesWhatTheSerialProgramDoes(int ranks, int size) throws Exception {
    assertThat(run(new ThreadWorld(ranks), Loops.UNDISTURBED, size, 2))
        .matches("result checksum=[0-9a-f]{8} residual=0x\\S+ check=ok recoveries=0\n");
  }

  @Test
  void itsStateIsComplete() throws Exception {
    ThreadWorld world = new ThreadWorld(6);
    String undisturbed = run(world, Loops.UNDISTURBED, 31, 2);
    assertThat(run(world, Loops.ROLLED_BACK, 31, 2)).isEqualTo(undisturbed);
    assertThat(run(world, Loops.ALREADY_DONE, 31, 2)).isEqualTo(undisturbed);
  }

  @Test
  void refusesMoreRanksThanPoints() {
    assertThatThrownBy(() -> run(new ThreadWorld(5), Loops.UNDISTURBED, 2, 1))
        .isInstanceOf(ThreadWorld.Aborted.class);
  }
}
