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
    assertThat(EndText.of(new JobCommand.End(70, cause, "what happened"), true))
        .startsWith("what happened");
  }

  @Test
  void namesTheOptionsThatWouldHaveHelped() {
    assertThat(EndText.of(new JobCommand.End(70, EndCause.NO_SPARE, "no spare is left"), false))
        .isEqualTo("no spare is left; give more nodes, or --on-no-spare share or wait");
    assertThat(EndText.of(new JobCommand.End(70, EndCause.TOO_MANY_RECOVERIES, "too many"), false))
        .isEqualTo("too many (--max-recoveries)");
    assertThat(
            EndText.of(new JobCommand.End(70, EndCause.CHECKPOINTS_LOST, "lost for good"), false))
        .contains("--group-size", "--ppn", "--hosts");
    assertThat(EndText.of(new JobCommand.End(1, EndCause.OUT_OF_MEMORY, "rank 1 has thrown"), true))
        .isEqualTo("rank 1 has thrown; -J -Xmx4g, for example, gives each rank a larger heap");
    assertThat(EndText.of(new JobCommand.End(0, EndCause.ALL_ENDED, ""), false)).isEmpty();
  }

  /** On one machine, what keeps a daemon from starting keeps them all. */
  @Test
  void aSpareIsNamedWhereItMayStart() {
    JobCommand.End end = new JobCommand.End(70, EndCause.CANNOT_START, "cannot start on a: down");
    assertThat(EndText.of(end, false))
        .endsWith("; a spare node would take its place (--spares, --hosts)");
    assertThat(EndText.of(end, true)).isEqualTo(end.message());
    JobCommand.End gone =
        new JobCommand.End(
            70, EndCause.CANNOT_START, "cannot start on a: the job is over; use --launcher local");
    assertThat(EndText.of(gone, false)).isEqualTo(gone.message());
  }
}
