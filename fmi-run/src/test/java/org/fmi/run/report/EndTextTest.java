package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.job.EndCause;
import org.fmi.job.JobCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class EndTextTest {
  @ParameterizedTest
  @EnumSource(EndCause.class)
  void beginsWithWhatHappened(EndCause cause) {
    assertThat(EndText.of(new JobCommand.End(70, cause, "what happened")))
        .startsWith("what happened");
  }

  @Test
  void namesTheOptionsThatWouldHaveHelped() {
    assertThat(EndText.of(new JobCommand.End(70, EndCause.NO_SPARE, "no spare is left")))
        .isEqualTo("no spare is left; give more nodes, or --on-no-spare share or wait");
    assertThat(EndText.of(new JobCommand.End(70, EndCause.TOO_MANY_RECOVERIES, "too many")))
        .isEqualTo("too many (--max-recoveries)");
    assertThat(EndText.of(new JobCommand.End(70, EndCause.CHECKPOINTS_LOST, "lost for good")))
        .contains("--group-size", "--ppn", "--hosts");
    assertThat(EndText.of(new JobCommand.End(0, EndCause.ALL_ENDED, ""))).isEmpty();
  }
}
