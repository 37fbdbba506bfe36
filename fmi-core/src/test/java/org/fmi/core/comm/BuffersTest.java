package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Datatype.Predefined;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.Status;
import org.fmi.core.coll.Vectors;
import org.fmi.core.p2p.ArrayRequest;
import org.fmi.core.p2p.Losses;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.spi.NodeShare;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The memory that the data path sees for each kind of buffer. */
class BuffersTest {
  /** Remembers the last call; allocates nothing. */
  private static final class LastCall implements PointToPoint {
    @Nullable Object base;
    long offset;
    long bytes;
    int peer;
    int context;
    long tag;
    @Nullable Mode mode;
    private final Losses none = new Losses(2, false);

    private void record(Object b, long o, long n, int p, int c, long t, @Nullable Mode m) {
      base = b;
      offset = o;
      bytes = n;
      peer = p;
      context = c;
      tag = t;
      mode = m;
    }

    @Override
    public int rank() {
      return 0;
    }

    @Override
    public int size() {
      return 2;
    }

    @Override
    public Losses losses() {
      return none;
    }

    @Override
    public void send(Object b, long o, long n, int dest, int c, long t, Mode m) {
      record(b, o, n, dest, c, t, m);
    }

    @Override
    public Request isend(Object b, long o, long n, int dest, int c, long t, Mode m) {
      record(b, o, n, dest, c, t, m);
      return new CompletedRequest(Status.EMPTY);
    }

    @Override
    public Status recv(Object b, long o, long n, int source, int c, long t) {
      record(b, o, n, source, c, t, null);
      return Status.EMPTY;
    }

    @Override
    public Request irecv(Object b, long o, long n, int source, int c, long t) {
      record(b, o, n, source, c, t, null);
      return new CompletedRequest(Status.EMPTY);
    }

    @Override
    public NewArray recvNew(Object empty, int source, int c, long t) {
      record(empty, 0, 0, source, c, t, null);
      return new NewArray(empty, Status.EMPTY);
    }

    @Override
    public ArrayRequest irecvNew(Object empty, int source, int c, long t) {
      throw new AssertionError("nothing arrives");
    }

    @Override
    public MessageRequest mprobe(int source, int c, long t) {
      throw new AssertionError("nothing arrives");
    }

    @Override
    public @Nullable MessageRequest improbe(int source, int c, long t) {
      return null;
    }

    @Override
    public ArrayRequest imrecv(MessageRequest probed, Object b, long o, long n, long t) {
      throw new AssertionError("nothing arrives");
    }

    @Override
    public Status probe(int source, int c, long t) {
      return Status.EMPTY;
    }

    @Override
    public @Nullable Status iprobe(int source, int c, long t) {
      return null;
    }

    @Override
    public int epoch() {
      return 0;
    }

    @Override
    public @Nullable NodeShare share() {
      return null;
    }

    @Override
    public boolean mayWaitBusily() {
      return false;
    }

    @Override
    public void awaitShared(MemorySegment memory, long at, long least, int source, int context) {
      throw new AssertionError("nothing is shared");
    }

    @Override
    public void nudge(NodeShare share, int rank) {
      throw new AssertionError("nothing is shared");
    }

    @Override
    public void attachBuffer(long n) {
      bytes = n;
    }
  }

  private final LastCall last = new LastCall();
  private final Comm world = Worlds.world(last);

  @Test
  void arraysAreCountedInElements() {
    for (Datatype type : Datatype.Predefined.values()) {
      Object array = Vectors.array(type, 10);
      world.send(Slice.of(array, 3, 4), 1, 7);
      assertThat(last.base).isSameAs(array);
      assertThat(last.offset).isEqualTo(3L * type.bytes());
      assertThat(last.bytes).isEqualTo(4L * type.bytes());
      world.recv(array, 1, 7);
      assertThat(last.base).isSameAs(array);
      assertThat(last.offset).isZero();
      assertThat(last.bytes).isEqualTo(10L * type.bytes());
    }
  }

  @Test
  void modesAndContext() {
    int[] a = {1};
    world.send(a, 1, 5);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.STANDARD);
    assertThat(last.peer).isEqualTo(1);
    assertThat(last.tag).isEqualTo(MessageTag.of(Predefined.INT, 5));
    assertThat(last.context).isZero();
    world.ssend(a, 1, 0);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.SYNCHRONOUS);
    world.issend(a, 1, 0);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.SYNCHRONOUS);
    world.bsend(a, 1, 0);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.BUFFERED);
    world.ibsend(a, 1, 0);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.BUFFERED);
    world.rsend(a, 1, 0);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.STANDARD);
    world.irsend(a, 1, 0);
    assertThat(last.mode).isEqualTo(PointToPoint.Mode.STANDARD);
    world.attachBuffer(99);
    assertThat(last.bytes).isEqualTo(99);
    world.irecv(a, Comm.ANY_SOURCE, Comm.ANY_TAG);
    assertThat(last.peer).isEqualTo(Comm.ANY_SOURCE);
    Communicator system = Communicator.system(last, new ContextIds(), Worlds.NO_ABORT);
    system.send(a, 1, 5);
    assertThat(last.context).isEqualTo(2);
  }

  @Test
  void heapBuffersAreTheirArrays() {
    ByteBuffer slice = ByteBuffer.allocate(40).position(8).slice().limit(20).position(5);
    world.send(Slice.of(slice, 2, 6), 1, 0); // counted from the position
    assertThat(last.base).isSameAs(slice.array());
    assertThat(last.offset).isEqualTo(15);
    assertThat(last.bytes).isEqualTo(6);
    world.send(slice, 1, 0); // whole: from position to limit
    assertThat(last.offset).isEqualTo(13);
    assertThat(last.bytes).isEqualTo(15);
    assertThat(slice.position()).isEqualTo(5);
  }

  @Test
  void otherBuffersAreSegments() {
    ByteBuffer direct = ByteBuffer.allocateDirect(30).position(7).limit(25);
    direct.put(9, (byte) 99);
    world.send(Slice.of(direct, 2, 2), 1, 0);
    assertThat(byteAt(0)).isEqualTo((byte) 99);
    world.recv(direct, 1, 0);
    assertThat(byteAt(2)).isEqualTo((byte) 99);
    assertThat(last.bytes).isEqualTo(18);

    byte[] bytes = new byte[30];
    bytes[9] = 77;
    ByteBuffer readOnly = ByteBuffer.wrap(bytes, 4, 20).slice().asReadOnlyBuffer().position(2);
    world.send(Slice.of(readOnly, 3, 1), 1, 0);
    assertThat(byteAt(0)).isEqualTo((byte) 77);
  }

  private byte byteAt(long after) {
    assertThat(last.base).isInstanceOf(MemorySegment.class);
    return ((MemorySegment) Objects.requireNonNull(last.base))
        .get(ValueLayout.JAVA_BYTE, last.offset + after);
  }

  @Test
  @SuppressWarnings("restricted") // only the size matters: the memory is never touched
  void segmentsOfMoreThanTwoGigabytes() {
    long size = (3L << 30) + 8;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment huge =
          MemorySegment.ofAddress(arena.allocate(16).address()).reinterpret(size, arena, null);
      world.send(Slice.of(huge, 8, size - 8), 1, 0);
      assertThat(last.base).isSameAs(huge);
      assertThat(last.offset).isEqualTo(8);
      assertThat(last.bytes).isEqualTo(3L << 30);
    }
  }

  @Test
  void blockingCallsOfArraysSegmentsAndSlicesAllocateNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Arena arena = Arena.ofConfined()) {
      Object[] buffers = {
        new byte[64],
        new int[16],
        new double[8],
        arena.allocate(64),
        new boolean[9],
        new char[9],
        Slice.of(new long[9], 1, 8),
        Slice.of(arena.allocate(64), Datatype.INT)
      };
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 20; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1000; i++) {
          for (Object buffer : buffers) {
            world.send(buffer, 1, 3);
            world.recv(buffer, 1, 3);
          }
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(least).as("bytes allocated by 16000 calls").isLessThan(1000);
    }
  }
}
