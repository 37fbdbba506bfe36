package org.fmi.examples.himeno;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.fmi.Flow;
import org.fmi.Fmi;
import org.fmi.examples.ProcessGrid;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;
import org.junit.jupiter.api.Test;

class HimenoFlowTest {
  private static final String[] ARGS = {"--grid", "XS", "--iterations", "12"};

  /** Bit for bit what the other program computes on as many ranks. */
  @FmiTest(ranks = 6)
  @KillRank(rank = 4, iteration = 8)
  void computesTheSame(Fmi fmi) {
    String flow = HimenoFlow.run(fmi, ARGS);
    String plain = Himeno.run(fmi, ARGS);
    if (fmi.world().rank() == 0) {
      assertThat(flow).contains("recoveries=1");
      assertThat(gosa(flow)).isEqualTo(gosa(plain));
    }
  }

  private static String gosa(String result) {
    return result.substring(0, result.indexOf(" iterations"));
  }

  @Test
  void aBlockIsComputedFromThoseAroundIt() {
    Flow flow = HimenoFlow.flow(new ProcessGrid(3, 3));
    assertThat(flow.inputs(0, 5)).containsExactly(1, 3, 4);
    assertThat(flow.inputs(4, 5))
        .containsExactly(IntStream.range(0, 9).filter(rank -> rank != 4).toArray());
  }
}
