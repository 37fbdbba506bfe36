package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.fmi.spi.FrameHandler;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * What two threads may see of one ring: {@code dev/mvn -Pjcstress -pl fmi-transport-shm -am
 * -DskipTests verify}.
 */
public final class RingStress {
  private static final int PORT = 4711;

  private RingStress() {}

  /** A ring with both ends, and a writer that offers frames whose every part says the same. */
  abstract static class Pair implements FrameHandler {
    /** As small as can be, for there are millions of them. */
    private static final RingLayout LAYOUT = new RingLayout(4, 1024);

    final Inbox inbox = new Inbox(memory(Inbox.bytes(2)));
    final MemorySegment memory = memory(LAYOUT.fileBytes());
    final OutRing out = new OutRing(memory, LAYOUT, inbox);
    final InRing in = new InRing(0, memory, LAYOUT, null);
    private final Frame frame = new Frame();
    int seen;

    private static MemorySegment memory(long bytes) {
      return MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES) + 1]);
    }

    boolean offer(int value, int payload) {
      byte[] bytes = new byte[payload];
      Arrays.fill(bytes, (byte) value);
      frame.kind = (byte) value;
      frame.epoch = value;
      frame.tag = value;
      frame.loop = value;
      frame.base = bytes;
      frame.payload = payload;
      return out.offer(frame);
    }

    @Override
    public void onFrame(int peer, MemorySegment at, long offset) {
      int value = at.get(FrameLayout.INT, offset + FrameLayout.TAG);
      int payload = at.get(FrameLayout.INT, offset + FrameLayout.PAYLOAD);
      boolean whole =
          at.get(FrameLayout.BYTE, offset + FrameLayout.KIND) == value
              && at.get(FrameLayout.INT, offset + FrameLayout.EPOCH) == value
              && at.get(FrameLayout.LONG, offset + FrameLayout.LOOP) == value;
      for (int i = 0; i < payload; i++) {
        whole &= at.get(FrameLayout.BYTE, offset + FrameLayout.HEADER_BYTES + i) == value;
      }
      seen = whole ? 10 * seen + value : -1;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      seen = -1;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"0", "1", "12"},
      expect = Expect.ACCEPTABLE,
      desc = "whole, in order")
  @Outcome(expect = Expect.FORBIDDEN, desc = "torn, lost or out of order")
  @State
  public static class FramesInCells extends Pair {
    @Actor
    public void writer() {
      offer(1, 8);
      offer(2, RingLayout.INLINE_BYTES);
    }

    @Actor
    public void reader(I_Result r) {
      in.poll(this);
      r.r1 = seen;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"0", "1", "12"},
      expect = Expect.ACCEPTABLE,
      desc = "whole, in order")
  @Outcome(expect = Expect.FORBIDDEN, desc = "torn, lost or out of order")
  @State
  public static class FramesInTheDataArea extends Pair {
    @Actor
    public void writer() {
      offer(1, 100);
      offer(2, 300);
    }

    @Actor
    public void reader(I_Result r) {
      in.poll(this);
      r.r1 = seen;
    }
  }

  /** The reader frees a full ring while the writer tries once more. */
  @JCStressTest
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "refused, and the reader was told")
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "taken")
  @Outcome(
      id = "1, 1",
      expect = Expect.ACCEPTABLE,
      desc = "taken, and the reader may ring for nothing")
  @Outcome(
      id = "0, 0",
      expect = Expect.ACCEPTABLE_INTERESTING,
      desc = "neither: found when the writer looks again before it sleeps")
  @State
  public static class RoomAgain extends Pair {
    public RoomAgain() {
      for (int i = 0; i < 4; i++) {
        offer(1, 8);
      }
    }

    @Actor
    public void writer(II_Result r) {
      r.r1 = offer(2, 8) ? 1 : 0;
    }

    @Actor
    public void reader(II_Result r) {
      in.poll(this);
      r.r2 = in.publish() ? 1 : 0;
    }
  }

  /** One side goes to sleep while the other sends. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the sender rings")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the sleeper sees the frame")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both")
  @Outcome(
      id = "0, 0",
      expect = Expect.ACCEPTABLE_INTERESTING,
      desc =
          "neither: the frame is in the sender's store buffer; the first sleep is short for that")
  @State
  public static class GoingToSleep extends Pair {
    @Actor
    public void sender(II_Result r) {
      offer(1, 8);
      r.r1 = inbox.bell() == PORT && inbox.take(PORT) ? 1 : 0;
    }

    @Actor
    public void sleeper(II_Result r) {
      inbox.arm(PORT);
      r.r2 = in.ready() ? 1 : 0;
    }
  }

  /** Two senders, one sleeper: one of them rings. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "one rings")
  @Outcome(expect = Expect.FORBIDDEN)
  @State
  public static class OneRings extends Pair {
    public OneRings() {
      inbox.arm(PORT);
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = inbox.take(PORT) ? 1 : 0;
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = inbox.take(PORT) ? 1 : 0;
    }
  }
}
