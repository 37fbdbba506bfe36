package org.fmi.examples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.examples.ThreadWorld;
import org.fmi.examples.ThreadWorld.Loops;
import org.junit.jupiter.api.Test;

class PingPongTest {
  @Test
  void measuresEachPowerOfTwoUpToALargestThatIsNone() throws Exception {
    String printed =
        new ThreadWorld(3)
            .run(
                Loops.UNDISTURBED,
                fmi ->
                    System.out.print(
                        PingPong.run(fmi, "--csv", "--type", "double", "--max", "100")));
    assertThat(printed.lines().filter(line -> line.matches("\\d+,[0-9.]+,[0-9.]+")))
        .extracting(line -> line.substring(0, line.indexOf(',')))
        .containsExactly("8", "16", "32", "64");
    assertThat(printed).contains("result sizes=4 ", "check=ok");
  }
}
