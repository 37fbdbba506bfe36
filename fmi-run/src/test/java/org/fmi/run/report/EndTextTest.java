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
        .isEqualTo("no spare is left; use more nodes, or --on-no-spare share or wait");
    assertThat(EndText.of(new JobCommand.End(70, EndCause.TOO_MANY_RECOVERIES, "too many"), false))
        .isEqualTo("too many (--max-recoveries)");
    assertThat(
            EndText.of(new JobCommand.End(70, EndCause.CHECKPOINTS_LOST, "lost for good"), false))
        .contains("--group-size", "--ppn", "--hosts");
    assertThat(
            EndText.of(
                new JobCommand.End(1, EndCause.OUT_OF_MEMORY, "rank 1 threw an exception"), true))
        .isEqualTo(
            "rank 1 threw an exception; give each rank a larger heap, for example with -J -Xmx4g");
    assertThat(EndText.of(new JobCommand.End(0, EndCause.ALL_ENDED, ""), false)).isEmpty();
  }

  /** On one machine, what keeps a daemon from starting keeps them all. */
  @Test
  void aSpareIsNamedWhereItMayStart() {
    JobCommand.End end = new JobCommand.End(70, EndCause.CANNOT_START, "cannot start on a: down");
    assertThat(EndText.of(end, false))
        .endsWith("; with a spare node, the job would start without it (--spares, --hosts)");
    assertThat(EndText.of(end, true)).isEqualTo(end.message());
    // The words of a reason decide nothing.
    JobCommand.End named =
        new JobCommand.End(70, EndCause.CANNOT_START, "cannot start on a: no --launcher there");
    assertThat(EndText.of(named, false)).endsWith("(--spares, --hosts)");
  }

  @Test
  void noSpareIsNamedWhereItWouldFailAlike() {
    JobCommand.End end =
        new JobCommand.End(70, EndCause.CANNOT_START_ANYWHERE, "cannot start on a: no");
    assertThat(EndText.of(end, false)).isEqualTo(end.message());
  }
}
