package org.fmi.examples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.examples.ThreadWorld;
import org.fmi.examples.ThreadWorld.Loops;
import org.junit.jupiter.api.Test;

class PingPongTest {
  @Test
  void measuresEachPowerOfTwo() throws Exception {
    String printed =
        new ThreadWorld(3)
            .run(
                Loops.UNDISTURBED,
                fmi ->
                    System.out.print(
                        PingPong.run(fmi, "--csv", "--type", "double", "--max", "1024")));
    assertThat(printed.lines().filter(line -> line.matches("\\d+,[0-9.]+,[0-9.]+"))).hasSize(8);
    assertThat(printed).contains("result sizes=8 ", "check=ok");
  }

  @Test
  void theLargestNeedNotBeAPowerOfTwo() throws Exception {
    String printed =
        new ThreadWorld(2)
            .run(
                Loops.UNDISTURBED,
                fmi ->
                    System.out.print(
                        PingPong.run(fmi, "--csv", "--type", "double", "--max", "100")));
    assertThat(printed).contains("\n64,", "result sizes=4 ", "check=ok");
  }
}
