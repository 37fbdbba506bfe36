package org.fmi.examples.hello;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.examples.ThreadWorld;
import org.fmi.examples.ThreadWorld.Loops;
import org.junit.jupiter.api.Test;

class HelloTest {
  @Test
  void everyRankSaysHello() throws Exception {
    String printed =
        new ThreadWorld(3).run(Loops.UNDISTURBED, fmi -> System.out.print(Hello.run(fmi)));
    assertThat(printed)
        .contains("rank 0 of 3", "rank 1 of 3", "rank 2 of 3")
        .endsWith("result ranks=3\n");
  }
}
