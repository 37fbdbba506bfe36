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
                        PingPong.run(fmi, "--csv", "--type", "double", "--max", "65536")));
    assertThat(printed.lines().filter(line -> line.matches("\\d+,[0-9.]+,[0-9.]+"))).hasSize(14);
    assertThat(printed).contains("result sizes=14 ", "check=ok");
  }

  @Test
  void theLargestNeedNotBeAPowerOfTwo() throws Exception {
    String printed =
        new ThreadWorld(2)
            .run(
                Loops.UNDISTURBED,
                fmi ->
                    System.out.print(
                        PingPong.run(fmi, "--csv", "--type", "double", "--max", "3000")));
    assertThat(printed).contains("\n2048,", "result sizes=9 ", "check=ok");
  }
}
