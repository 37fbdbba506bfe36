package org.fmi.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.spi.Diagnostics;
import org.junit.jupiter.api.Test;

final class MiniJobTest {
  private static final int SIZE = 2;

  private final List<Integer> aborts = new ArrayList<>();
  private final MiniJob job = new MiniJob(SIZE, aborts::add, Diagnostics.NONE);
  private final List<JobMessage> zero = new ArrayList<>();
  private final List<JobMessage> one = new ArrayList<>();

  MiniJobTest() {
    job.link(0).listen(zero::add);
    job.link(1).listen(one::add);
  }

  private void join(int rank, int epoch, Position position) {
    job.link(rank)
        .send(new RankMessage.Joined(epoch, position, Map.of("tcp", new byte[] {(byte) rank})));
  }

  private static void assertStarts(List<JobMessage> got, int epoch, boolean rollback) {
    assertThat(got.getLast())
        .isInstanceOfSatisfying(
            JobMessage.Start.class,
            start -> {
              assertThat(start.epoch()).isEqualTo(epoch);
              assertThat(start.rollback()).isEqualTo(rollback);
              assertThat(start.isLocal()).isFalse();
              AddressTable endpoints = start.endpoints();
              assertThat(endpoints.size()).isEqualTo(SIZE);
            });
  }

  @Test
  void anEpochStartsOnceAllHaveJoinedIt() {
    join(1, 0, Position.FRESH);
    assertThat(one).isEmpty();
    join(0, 0, Position.FRESH);
    assertStarts(zero, 0, false);
    assertStarts(one, 0, false);
  }

  @Test
  void aRollbackIsOneHoweverManyAskForIt() {
    join(0, 0, Position.FRESH);
    join(1, 0, Position.FRESH);
    job.revoke(1);
    job.revoke(1);
    assertThat(zero)
        .hasSize(2)
        .endsWith(new JobMessage.Revoke(1, JobMessage.Revoke.NONE, List.of()));
    join(0, 1, Position.IN_LOOP);
    assertThat(zero).hasSize(2);
    join(1, 1, Position.IN_LOOP);
    assertStarts(zero, 1, true);
    assertStarts(one, 1, true);
  }

  @Test
  void allAreReleasedTogether() {
    job.link(0).send(new RankMessage.Finished(0));
    assertThat(zero).isEmpty();
    job.link(1).send(new RankMessage.Finished(0));
    assertThat(zero).containsExactly(new JobMessage.Release());
    assertThat(one).containsExactly(new JobMessage.Release());
  }

  @Test
  void theProgramGetsTheJobsError() {
    job.link(0).send(new RankMessage.Abort(3));
    assertThat(aborts).containsExactly(3);
    assertThatThrownBy(
            () -> job.link(0).send(new RankMessage.Unrecoverable(0, true, "two are lost")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("two are lost");
  }
}
