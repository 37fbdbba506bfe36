package org.fmi.examples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Console;
import org.fmi.junit.FmiTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class PingPongTest {
  @RegisterExtension private final Console console = new Console();

  @FmiTest(ranks = 3)
  void measuresEachPowerOfTwoUpToALargestThatIsNone(Fmi fmi) {
    String result = PingPong.run(fmi, "--csv", "--type", "double", "--max", "100");
    if (fmi.world().rank() == 0) {
      assertThat(console.text().lines().filter(line -> line.matches("\\d+,[0-9.]+,[0-9.]+")))
          .extracting(line -> line.substring(0, line.indexOf(',')))
          .containsExactly("8", "16", "32", "64");
      assertThat(result).contains("result sizes=4 ", "check=ok");
    }
  }
}
