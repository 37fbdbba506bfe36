package org.fmi.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.RankMessage;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.core.state.LoopState;
import org.junit.jupiter.api.Test;

/** Asynchronous checkpoints on request, and requests of the program. */
final class RequestedCheckpointTest {
  private final List<RankMessage> said = new ArrayList<>();

  private final JobLink link =
      new JobLink() {
        @Override
        public void send(RankMessage message) {
          said.add(message);
        }

        @Override
        public void report(String line) {}

        @Override
        public void flush() {}

        @Override
        public void listen(Listener listener) {}
      };

  private final RequestedCheckpoint requested =
      new RequestedCheckpoint(
          link, new Messenger(0, 1, new WaitStrategy(1, 1), (peer, reason) -> {}));

  private static Loop loopAt(long iteration) {
    Loop loop = new Loop(0, new LoopState(new Object[] {new long[1]}), 100, false, null);
    loop.iteration = iteration;
    return loop;
  }

  @Test
  void beginsUntilOneIsCommitted() {
    assertThat(requested.isToBegin(0, 3)).isFalse();
    requested.order(new JobMessage.Begin(0, 1, 3));
    assertThat(requested.isToBegin(0, 3)).isTrue();
    assertThat(requested.stop(new LoopPoint(0, 7, false), 0)).as("nobody stops for it").isFalse();
    assertThat(requested.isToBegin(0, 3)).as("the line may be given up").isTrue();
    assertThat(requested.isToBegin(0, 4)).isFalse();
    assertThat(requested.isAsked()).isFalse();
    assertThat(said).isEmpty();
  }

  @Test
  void beginsNoCheckpointCommittedBeforeTheRequestArrived() {
    requested.order(new JobMessage.Begin(0, 1, 3));
    assertThat(requested.isToBegin(0, 4)).isFalse();
    // After a recovery the job does not know what is committed.
    requested.order(new JobMessage.Begin(1, 2, -1));
    assertThat(requested.isToBegin(1, 4)).isTrue();
    assertThat(requested.isToBegin(1, 5)).isFalse();
  }

  @Test
  void beginsNoCancelledCheckpointNorOneOfAnotherEpoch() {
    requested.order(new JobMessage.Begin(0, 1, 3));
    requested.order(new JobMessage.Resume(0, 1));
    assertThat(requested.isToBegin(0, 3)).isFalse();
    requested.order(new JobMessage.Begin(0, 2, 3));
    assertThat(requested.isToBegin(1, 3)).isFalse();
    assertThat(requested.isAsked()).isFalse();
  }

  @Test
  void aRankThatContinuesInAnotherEpochAsksAgain() {
    LoopPoint least = new LoopPoint(0, 6, false);
    requested.want(least, 0, 3);
    requested.passes(loopAt(6), 0, 3, 3);
    assertThat(said).containsExactly(new RankMessage.CheckpointWanted(0, least, true));
    requested.passes(loopAt(7), 1, 3, 3);
    requested.passes(loopAt(8), 1, 3, 3);
    assertThat(said).last().isEqualTo(new RankMessage.CheckpointWanted(1, least, true));
    assertThat(said).hasSize(2);
    // Committed, so the request is met.
    requested.passes(loopAt(9), 1, 4, 4);
    requested.passes(loopAt(10), 2, 4, 4);
    assertThat(said).hasSize(2);
  }

  @Test
  void aRankThatRollsBackRepeatsItsCall() {
    requested.want(new LoopPoint(0, 6, false), 0, 3);
    requested.passes(loopAt(2), 1, 3, 3);
    requested.passes(loopAt(6), 1, 3, 3);
    assertThat(said).hasSize(1);
  }

  /** A recovery line begun before the call and committed now does not meet the request. */
  @Test
  void aRecoveryLineFromBeforeTheCallDoesNotMeetTheRequest() {
    requested.want(new LoopPoint(0, 6, false), 0, 4);
    requested.passes(loopAt(6), 0, 4, 4);
    requested.passes(loopAt(7), 1, 4, 4);
    assertThat(said).hasSize(2);
  }

  @Test
  void asksOncePerEpochForACheckpointToFiles() {
    assertThat(requested.asksForFiles(0)).isFalse();
    requested.toFiles(true);
    assertThat(requested.asksForFiles(0)).isTrue();
    assertThat(requested.asksForFiles(0)).isFalse();
    assertThat(requested.asksForFiles(1)).isTrue();
    requested.toFiles(false);
    assertThat(requested.asksForFiles(2)).isFalse();
  }
}
