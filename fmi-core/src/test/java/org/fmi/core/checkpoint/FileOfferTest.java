package org.fmi.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.progress.ParkingClock;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.core.state.LoopState;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.JobSettings;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.Test;

/** Selection of checkpoints to files, and of those that all ranks wait for. */
final class FileOfferTest {
  private static final long EVERY = 5;

  /** No listener. */
  private static final JobLink LINK =
      new JobLink() {
        @Override
        public void send(RankMessage message) {}

        @Override
        public void report(String line) {}

        @Override
        public void flush() {}

        @Override
        public void listen(Listener listener) {}
      };

  /** Selection needs no store. */
  private static final CheckpointStore STORE =
      (CheckpointStore)
          Proxy.newProxyInstance(
              FileOfferTest.class.getClassLoader(),
              new Class<?>[] {CheckpointStore.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  private static FileOffer offer(int rank, long every, boolean overlapped) {
    JobSettings job =
        RankConfigs.job(2).policy(new RecoveryPolicy.Global(overlapped, true)).build();
    RankConfig config =
        RankConfigs.rank(rank, job)
            .level2(new Level2Plan(every, "/files", List.of(), List.of()))
            .build();
    Messenger messenger = new Messenger(rank, 2, new WaitStrategy(1, 1), (peer, reason) -> {});
    return new FileOffer(
        config, STORE, new RequestedCheckpoint(LINK, messenger), LINK, new ParkingClock());
  }

  private static CheckpointId id(long version, long iteration) {
    return new CheckpointId(version, 1, iteration, false);
  }

  private static boolean isDue(FileOffer offer, long iteration, CheckpointId committed) {
    Loop loop = new Loop(1, new LoopState(new Object[] {new long[1]}), 100, false, null);
    loop.iteration = iteration;
    return offer.isDue(loop, committed);
  }

  @Test
  void allRanksWaitForACheckpointToFiles() {
    FileOffer offer = offer(1, EVERY, true);
    assertThat(isDue(offer, 9, id(3, 5))).isFalse();
    assertThat(isDue(offer, 10, id(3, 5))).isTrue();
    // Rolled back to, or taken on request.
    assertThat(isDue(offer, 10, id(4, 10))).isFalse();
    // A recovery line that some rank has begun earlier, while other ranks have begun it at this
    // iteration.
    assertThat(isDue(offer, 10, id(4, 8))).isTrue();
    // A checkpoint of the previous loop.
    assertThat(isDue(offer, 10, new CheckpointId(2, 0, 10, true))).isTrue();
  }

  @Test
  void noCheckpointIsDueByIterationsWithoutFilesOrWithATime() {
    assertThat(isDue(offer(0, 0, true), 10, id(3, 5))).isFalse();
    assertThat(isDue(offer(0, Long.MAX_VALUE, true), 10, id(3, 5))).isFalse();
    assertThat(isDue(offer(0, EVERY, false), 10, id(3, 5)))
        .as("where all wait for each of them the interval decides")
        .isFalse();
  }

  @Test
  void rankZeroChoosesAndAnyRankRefuses() {
    FileOffer first = offer(0, EVERY, true);
    FileOffer other = offer(1, EVERY, true);
    assertThat(first.vote(id(3, 7), false)).isGreaterThan(first.vote(id(2, 4), false));
    assertThat(other.vote(id(3, 7), false)).isEqualTo(first.vote(id(2, 4), false));
    assertThat(other.vote(id(3, 7), true)).isGreaterThan(first.vote(id(3, 7), false));
    first.requested().toFiles(true);
    assertThat(first.vote(id(2, 4), false)).as("asked for").isEqualTo(first.vote(id(3, 7), false));
  }

  @Test
  void wantsARefusedCheckpointAgain() {
    FileOffer first = offer(0, EVERY, true);
    first.requested().toFiles(true);
    first.committed(id(3, 4), Math.max(first.vote(id(3, 4), false), first.vote(id(3, 4), true)), 0);
    assertThat(first.requested().isToFiles()).isTrue();
  }
}
