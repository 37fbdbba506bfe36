package org.fmi.testkit.support;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.Status;
import org.jspecify.annotations.Nullable;

/**
 * A network between threads: sends wait for their receive, receives match by source and tag, with
 * one copy from the sender's memory to the receiver's. A rank can be made to die at its k-th call;
 * from then on all calls of all ranks end with {@link Rollback}, until the next epoch.
 */
public final class ThreadComm {
  /** A send or receive. */
  private final class Transfer implements Request {
    final int owner;
    final int source;
    final int tag;
    final MemorySegment memory;
    volatile boolean done;
    volatile @Nullable Thread waiter;

    Transfer(int owner, int source, int tag, MemorySegment memory) {
      this.owner = owner;
      this.source = source;
      this.tag = tag;
      this.memory = memory;
    }

    @Override
    public Status waitFor() {
      call(owner);
      Thread current = Thread.currentThread();
      waiter = current;
      waiting.add(current);
      try {
        while (!done) {
          if (failed) {
            throw new Rollback("rank " + owner + " hears of a failure");
          }
          LockSupport.park();
        }
      } finally {
        waiting.remove(current);
      }
      return describe();
    }

    void complete() {
      done = true;
      LockSupport.unpark(waiter);
    }

    @Override
    public boolean test() {
      throw new UnsupportedOperationException();
    }

    private Status describe() {
      return new Status(source, tag, memory.byteSize());
    }

    @Override
    public @Nullable Status status() {
      return done ? describe() : null;
    }

    @Override
    public boolean cancel() {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Mailbox {
    final List<Transfer> sends = new ArrayList<>();
    final List<Transfer> receives = new ArrayList<>();
  }

  private final Map<Integer, Mailbox> mailboxes = new ConcurrentHashMap<>();
  private final Map<Integer, AtomicInteger> calls = new ConcurrentHashMap<>();

  /** Threads that learn of a failure while no rank sends to them. */
  private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

  private volatile boolean failed;
  private volatile int doomed = -1;
  private volatile int doomedAt;

  /** Starts a new epoch: drops all messages in transit. No rank may be in a call. */
  public void nextEpoch() {
    mailboxes.clear();
    calls.clear();
    failed = false;
    doomed = -1;
  }

  /** Makes a rank die at its k-th call from now on, counted from 0. */
  public void dieAt(int rank, int k) {
    calls.clear();
    doomedAt = k;
    doomed = rank;
  }

  /** Ends all calls of all ranks. */
  public void fail() {
    failed = true;
    waiting.forEach(LockSupport::unpark);
  }

  private AtomicInteger counter(int rank) {
    return calls.computeIfAbsent(rank, r -> new AtomicInteger());
  }

  private void call(int rank) {
    if (counter(rank).getAndIncrement() == doomedAt && rank == doomed) {
      fail();
    }
    if (failed) {
      throw new Rollback("rank " + rank + " hears of a failure");
    }
  }

  private Transfer start(boolean send, int owner, int source, int dest, int tag, Object[] args) {
    call(owner);
    Slice data = Slice.of(args[0]);
    MemorySegment memory = ((MemorySegment) data.base()).asSlice(data.byteOffset(), data.bytes());
    Transfer mine = new Transfer(owner, source, tag, memory);
    Mailbox box = mailboxes.computeIfAbsent(dest, d -> new Mailbox());
    Transfer other;
    synchronized (box) {
      other = match(send ? box.receives : box.sends, source, tag);
      if (other == null) {
        (send ? box.sends : box.receives).add(mine);
        return mine;
      }
    }
    Transfer from = send ? mine : other;
    Transfer to = send ? other : mine;
    if (from.memory.byteSize() != to.memory.byteSize()) {
      throw new AssertionError(
          "%d bytes sent from %d to %d, %d expected"
              .formatted(from.memory.byteSize(), source, dest, to.memory.byteSize()));
    }
    to.memory.copyFrom(from.memory);
    other.complete();
    mine.complete();
    return mine;
  }

  private static @Nullable Transfer match(List<Transfer> transfers, int source, int tag) {
    for (Iterator<Transfer> i = transfers.iterator(); i.hasNext(); ) {
      Transfer t = i.next();
      if (t.source == source && t.tag == tag) {
        i.remove();
        return t;
      }
    }
    return null;
  }

  /** The communicator of one rank. */
  public Comm comm(int rank) {
    return (Comm)
        Proxy.newProxyInstance(
            ThreadComm.class.getClassLoader(),
            new Class<?>[] {Comm.class},
            (proxy, method, args) -> {
              int peer = (Integer) args[1];
              int tag = (Integer) args[2];
              return switch (method.getName()) {
                case "isend" -> start(true, rank, rank, peer, tag, args);
                case "irecv" -> start(false, rank, peer, rank, tag, args);
                case "recv" -> start(false, rank, peer, rank, tag, args).waitFor();
                case "send" -> {
                  start(true, rank, rank, peer, tag, args).waitFor();
                  yield null;
                }
                default -> throw new UnsupportedOperationException(method.toString());
              };
            });
  }
}
