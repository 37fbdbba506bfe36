package org.fmi.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * A minimal fault-tolerant program on the bare SPI: in each round every rank sends to two ranks and
 * receives from two, and a failure rolls all ranks back to the first round.
 */
final class ToyRank implements SimProgram, JobLink.Listener, FrameHandler {
  static final int ROUNDS = 12;

  private final long[] results;
  private SimProcess process;
  private int epoch = -1;
  private int target;
  private JobMessage.@Nullable Start start;
  private boolean released;
  private boolean failure;
  private @Nullable Transport transport;
  private int[] received = {};
  private long digest;

  private static final class Rollback extends Exception {
    private static final long serialVersionUID = 1L;
  }

  @SuppressWarnings("NullAway.Init") // run() sets the process
  ToyRank(long[] results) {
    this.results = results;
  }

  @Override
  public void run(SimProcess of) throws Exception {
    process = of;
    of.jobLink().listen(this);
    while (true) {
      try {
        Transport joined = join();
        for (int round = 0; round < ROUNDS; round++) {
          round(joined, round);
        }
        results[of.rank()] = digest;
        of.jobLink().send(new RankMessage.Finished(epoch));
        // Ranks that were released earlier leave, which is no failure: now only the job decides.
        while (!released) {
          if (target > epoch) {
            throw new Rollback();
          }
          of.clock().await(Long.MAX_VALUE);
        }
        leave();
        return;
      } catch (Rollback e) {
        // join the next epoch
      }
    }
  }

  private Transport join() throws Rollback, IOException {
    while (target <= epoch) {
      process.clock().await(Long.MAX_VALUE);
    }
    leave();
    epoch = target;
    int joining = epoch;
    failure = false;
    digest = process.rank();
    received = new int[process.config().size()];
    Transport t = process.transports().getLast().open(process.config(), joining, process.jobLink());
    transport = t;
    process
        .jobLink()
        .send(new RankMessage.Joined(joining, Position.FRESH, Map.of("sim", t.endpoint())));
    JobMessage.Start begun = start;
    while (begun == null || begun.epoch() != joining) {
      check();
      process.clock().await(Long.MAX_VALUE);
      begun = start;
    }
    t.start(begun.endpoints().named("sim"));
    return t;
  }

  private void leave() {
    if (transport != null) {
      transport.close();
    }
    transport = null;
  }

  private void round(Transport t, int round) throws Rollback {
    int size = process.config().size();
    int[] steps = size > 3 ? new int[] {1, 3} : new int[] {1};
    Frame frame = new Frame();
    byte[] payload = new byte[Math.min(t.maxPayload(), 8 + round)];
    for (int step : steps) {
      frame.epoch = epoch;
      frame.sequence = round;
      frame.base = payload;
      frame.payload = payload.length;
      Arrays.fill(payload, (byte) (process.rank() + round));
      while (!t.offer((process.rank() + step) % size, frame)) {
        progress(t);
      }
      Arrays.fill(payload, (byte) -1);
    }
    for (int step : steps) {
      while (received[(process.rank() - step + size) % size] <= round) {
        progress(t);
      }
    }
    digest = digest * 31 + round;
    process.compute(1_000 + round);
  }

  private void progress(Transport t) throws Rollback {
    check();
    if (t.poll(this) == 0) {
      check();
      t.await(Long.MAX_VALUE);
    }
  }

  private void check() throws Rollback {
    if (failure || target > epoch) {
      throw new Rollback();
    }
  }

  @Override
  public void onFrame(int peer, MemorySegment memory, long at) {
    assertThat(memory.get(FrameLayout.INT, at + FrameLayout.EPOCH)).isEqualTo(epoch);
    long round = memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    assertThat(round).isEqualTo(received[peer]++);
    for (int i = 0; i < memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD); i++) {
      assertThat(memory.get(FrameLayout.BYTE, at + FrameLayout.HEADER_BYTES + i))
          .isEqualTo((byte) (peer + round));
    }
  }

  @Override
  public void onPeerLost(int peer, String reason) {
    if (!released && !failure) {
      process.jobLink().send(new RankMessage.Suspect(epoch, peer, 0, 0, "tcp", reason));
      failure = true;
    }
  }

  @Override
  public void onMessage(JobMessage message) {
    switch (message) {
      case JobMessage.Revoke m -> target = Math.max(target, m.epoch());
      case JobMessage.Start m -> start = m;
      case JobMessage.Release m -> released = true;
      case JobMessage.Settle _,
          JobMessage.Hold _,
          JobMessage.Meet _,
          JobMessage.Resume _,
          JobMessage.Begin _,
          JobMessage.WriteNext _,
          JobMessage.ChoiceRecorded _,
          JobMessage.Acknowledged _,
          JobMessage.ReplayDeterminants _,
          JobMessage.Dead _,
          JobMessage.Alive _,
          JobMessage.Agreed _,
          JobMessage.Revoked _ -> {}
    }
    wake();
  }

  private void wake() {
    process.clock().wakeup();
    if (transport != null) {
      transport.wakeup();
    }
  }
}
