package org.fmi.examples.hello;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Console;
import org.fmi.junit.FmiTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class HelloTest {
  @RegisterExtension private final Console console = new Console();

  @FmiTest(ranks = 3)
  void everyRankSaysHello(Fmi fmi) throws Exception {
    String result = Hello.run(fmi);
    assertThat(result).isEqualTo(fmi.world().rank() == 0 ? "result ranks=3\n" : "");
    assertThat(console.text()).contains("rank 0 of 3", "rank 1 of 3", "rank 2 of 3");
  }
}
