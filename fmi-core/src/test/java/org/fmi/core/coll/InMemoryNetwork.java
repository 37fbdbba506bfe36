package org.fmi.core.coll;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.spi.NodeShare;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Point-to-point messages between threads of one JVM: a queue of messages and one of receives a
 * rank, under one lock.
 */
public final class InMemoryNetwork {
  /** What one rank does. */
  @FunctionalInterface
  public interface Body {
    void run(PointToPoint p2p) throws Exception;
  }

  private static final long TIMEOUT_SECONDS = 60;

  private final ReentrantLock lock = new ReentrantLock();
  private final List<Rank> ranks = new ArrayList<>();
  private final boolean eager;
  private final @Nullable Long delaySeed;
  private final int @Nullable [] nodes;

  /** Memory that ranks share, by its owner and key. */
  private final Map<String, MemorySegment> shared = new ConcurrentHashMap<>();

  private volatile @Nullable Throwable failure;
  private long messages;

  private InMemoryNetwork(
      int size, boolean eager, @Nullable Long delaySeed, int @Nullable [] nodes) {
    this.eager = eager;
    this.nodes = nodes;
    this.delaySeed = delaySeed;
    for (int r = 0; r < size; r++) {
      ranks.add(new Rank(r));
    }
  }

  /**
   * Runs {@code body} at {@code size} ranks. No send returns before its receive is posted: what
   * works here does not rest on buffering.
   */
  public static InMemoryNetwork run(int size, Body body) {
    return new InMemoryNetwork(size, false, null, null).runAll(body);
  }

  /** As {@link #run}, with memory that all ranks share. */
  public static InMemoryNetwork runOnOneNode(int size, Body body) {
    return new InMemoryNetwork(size, false, null, new int[size]).runAll(body);
  }

  /** As {@link #runDelayed}, with memory that the ranks of a node share; the node of each rank. */
  public static InMemoryNetwork runOnNodes(int[] nodes, long seed, Body body) {
    return new InMemoryNetwork(nodes.length, true, seed, nodes.clone()).runAll(body);
  }

  /** As {@link #run}; sends return at once, and all calls are delayed at random. */
  public static InMemoryNetwork runDelayed(int size, boolean oneNode, long seed, Body body) {
    return new InMemoryNetwork(size, true, seed, oneNode ? new int[size] : null).runAll(body);
  }

  /** From now on this rank's receives are recorded, or no longer. */
  static void record(PointToPoint rank, boolean on) {
    ((Rank) rank).recording = on;
  }

  /** This rank enters another epoch. */
  static void enter(PointToPoint rank, int epoch) {
    ((Rank) rank).epoch = epoch;
  }

  /** This rank has no memory to share. */
  static void refuseMemory(PointToPoint rank) {
    ((Rank) rank).noMemory = true;
  }

  /** How often this rank has given up shared memory. */
  static int unmapped(PointToPoint rank) {
    return ((Rank) rank).unmapped;
  }

  /** The number of messages sent. */
  public long messages() {
    return messages;
  }

  private InMemoryNetwork runAll(Body body) {
    List<Thread> threads = new ArrayList<>();
    for (Rank rank : ranks) {
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("rank " + rank.rank)
              .start(
                  () -> {
                    try {
                      body.run(rank);
                      rank.checkIdle();
                    } catch (Throwable t) {
                      fail(t);
                    }
                  }));
    }
    for (Thread t : threads) {
      boolean interrupted = false;
      while (t.isAlive()) {
        try {
          t.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (failure != null) {
      throw new AssertionError(
          ranks.size() + " ranks, delay seed " + delaySeed + ": " + failure, failure);
    }
    return this;
  }

  private void fail(Throwable t) {
    lock.lock();
    try {
      if (failure == null) {
        failure = t;
      }
      ranks.forEach(r -> r.changed.signalAll());
    } finally {
      lock.unlock();
    }
  }

  private record Message(
      int source, int context, int tag, Object base, long offset, long bytes, Operation send) {}

  private record Receive(
      int source, int context, int tag, Object base, long offset, long bytes, Operation request) {
    boolean matches(Message m) {
      return context == m.context
          && (source == Comm.ANY_SOURCE || source == m.source)
          && (tag == Comm.ANY_TAG || tag == m.tag);
    }
  }

  private final class Operation implements Request {
    private final Rank owner;
    private @Nullable Status status;
    private @Nullable FmiException error;

    Operation(Rank owner) {
      this.owner = owner;
    }

    void complete(Status result) {
      status = result;
      owner.changed.signalAll();
    }

    @Override
    public Status waitFor() {
      lock.lock();
      try {
        owner.await("a request", () -> status != null);
        if (error != null) {
          throw error;
        }
        return Objects.requireNonNull(status);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean test() {
      return status() != null;
    }

    @Override
    public @Nullable Status status() {
      lock.lock();
      try {
        return status;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean cancel() {
      lock.lock();
      try {
        boolean cancelled = owner.posted.removeIf(r -> r.request == this);
        if (cancelled) {
          complete(Status.EMPTY);
        }
        return cancelled;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void progress() {
      LockSupport.parkNanos(100_000);
    }
  }

  private final class Rank implements PointToPoint, NodeShare {
    private final int rank;
    private final Condition changed = lock.newCondition();
    private final List<Message> unexpected = new ArrayList<>();
    private final List<Receive> posted = new ArrayList<>();
    private final @Nullable Random random;
    private boolean recording;
    private boolean noMemory;
    private int unmapped;
    private int epoch;

    Rank(int rank) {
      this.rank = rank;
      this.random = delaySeed == null ? null : new Random(delaySeed * 31 + rank);
    }

    void await(String what, BooleanSupplier condition) {
      long left = TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      while (!condition.getAsBoolean()) {
        if (failure != null) {
          throw new IllegalStateException("another rank failed");
        }
        if (left <= 0) {
          throw new AssertionError("rank " + rank + " waited in vain for " + what);
        }
        try {
          left = changed.awaitNanos(left);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }

    void checkIdle() {
      lock.lock();
      try {
        if (!posted.isEmpty() || !unexpected.isEmpty()) {
          throw new AssertionError(
              "rank " + rank + " is left with " + posted + " and " + unexpected);
        }
      } finally {
        lock.unlock();
      }
    }

    private void delay() {
      if (random != null) {
        if (random.nextInt(6) == 0) {
          LockSupport.parkNanos(random.nextInt(100_000));
        }
      }
    }

    private void deliver(Message m, Receive r) {
      if (m.bytes > r.bytes) {
        r.request.error =
            new FmiException(
                ErrorClass.TRUNCATE, m.bytes + " bytes for a buffer of " + r.bytes + " bytes");
      } else if (m.bytes > 0) {
        MemorySegment wire = MemorySegment.ofArray(new byte[(int) m.bytes]);
        Memory.toSegment(m.base, m.offset, wire, 0, m.bytes);
        Memory.fromSegment(wire, 0, r.base, r.offset, m.bytes);
      }
      m.send.complete(Status.EMPTY);
      r.request.complete(new Status(m.source, m.tag, m.bytes));
    }

    @Override
    public int rank() {
      return rank;
    }

    @Override
    public int size() {
      return ranks.size();
    }

    @Override
    public void send(
        Object base, long offset, long bytes, int dest, int context, int tag, Mode mode) {
      Request request = isend(base, offset, bytes, dest, context, tag, mode);
      request.waitFor();
    }

    @Override
    public Request isend(
        Object base, long offset, long bytes, int dest, int context, int tag, Mode mode) {
      delay();
      lock.lock();
      try {
        messages++;
        Operation send = new Operation(this);
        Object data = base;
        long at = offset;
        if (eager || mode == Mode.BUFFERED) {
          MemorySegment copy = MemorySegment.ofArray(new byte[(int) bytes]);
          if (bytes > 0) {
            Memory.toSegment(base, offset, copy, 0, bytes);
          }
          data = copy;
          at = 0;
        }
        Message m = new Message(rank, context, tag, data, at, bytes, send);
        if ((eager && mode != Mode.SYNCHRONOUS) || mode == Mode.BUFFERED) {
          send.complete(Status.EMPTY);
        }
        Rank to = ranks.get(dest);
        for (Iterator<Receive> i = to.posted.iterator(); i.hasNext(); ) {
          Receive r = i.next();
          if (r.matches(m)) {
            i.remove();
            deliver(m, r);
            return send;
          }
        }
        to.unexpected.add(m);
        to.changed.signalAll();
        return send;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Status recv(Object base, long offset, long bytes, int source, int context, int tag) {
      return irecv(base, offset, bytes, source, context, tag).waitFor();
    }

    @Override
    public Request irecv(Object base, long offset, long bytes, int source, int context, int tag) {
      delay();
      lock.lock();
      try {
        Operation request = new Operation(this);
        Receive r = new Receive(source, context, tag, base, offset, bytes, request);
        for (Iterator<Message> i = unexpected.iterator(); i.hasNext(); ) {
          Message m = i.next();
          if (r.matches(m)) {
            i.remove();
            deliver(m, r);
            return request;
          }
        }
        posted.add(r);
        return request;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Status probe(int source, int context, int tag) {
      lock.lock();
      try {
        await("a message", () -> find(source, context, tag) != null);
        return Objects.requireNonNull(find(source, context, tag));
      } finally {
        lock.unlock();
      }
    }

    @Override
    public @Nullable Status iprobe(int source, int context, int tag) {
      lock.lock();
      try {
        return find(source, context, tag);
      } finally {
        lock.unlock();
      }
    }

    private @Nullable Status find(int source, int context, int tag) {
      Receive pattern = new Receive(source, context, tag, this, 0, 0, new Operation(this));
      for (Message m : unexpected) {
        if (pattern.matches(m)) {
          return new Status(m.source, m.tag, m.bytes);
        }
      }
      return null;
    }

    @Override
    public void attachBuffer(long bytes) {}

    // ---- shared memory

    @Override
    public int epoch() {
      return epoch;
    }

    @Override
    public @Nullable NodeShare share() {
      delay();
      return nodes == null || recording ? null : this;
    }

    @Override
    public boolean mayWaitBusily() {
      return false;
    }

    @Override
    public void awaitShared(MemorySegment memory, long offset, long least, int source) {
      VarHandle number = ValueLayout.JAVA_LONG.varHandle();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      while ((long) number.getAcquire(memory, offset) < least) {
        if (failure != null) {
          throw new IllegalStateException("another rank failed");
        }
        if (System.nanoTime() > end) {
          throw new AssertionError("rank " + rank + " waited in vain for a number");
        }
        LockSupport.parkNanos(1000);
      }
    }

    @Override
    public int node(int peer) {
      return nodes == null ? -1 : nodes[peer];
    }

    @Override
    public MemorySegment create(int key, long bytes) throws IOException {
      if (noMemory) {
        throw new IOException("no memory");
      }
      MemorySegment memory = Arena.ofAuto().allocate(bytes, 128);
      if (shared.putIfAbsent(rank + "/" + key, memory) != null) {
        throw new AssertionError("memory " + key + " of rank " + rank + " is made twice");
      }
      return memory;
    }

    @Override
    public MemorySegment open(int owner, int key) throws IOException {
      MemorySegment memory = node(owner) == node(rank) ? shared.get(owner + "/" + key) : null;
      if (memory == null) {
        throw new IOException("no memory " + key + " of rank " + owner);
      }
      return memory;
    }

    @Override
    public void hide(int key) {
      shared.remove(rank + "/" + key);
    }

    @Override
    public void unmap(MemorySegment memory) {
      unmapped++;
    }

    @Override
    public void nudge(int peer) {}
  }
}
