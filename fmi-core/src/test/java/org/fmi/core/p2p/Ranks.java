package org.fmi.core.p2p;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.progress.ShortWaits;
import org.fmi.spi.Transport;
import org.jspecify.annotations.Nullable;

/**
 * Runs a body on each of some ranks, each with its own thread and messenger.
 *
 * <p>If ranks mostly wait for each other, their threads are virtual: with more ranks than cores the
 * kernel would mostly switch between them. If ranks may meet at any moment, or poll without a
 * pause, the threads are the system's, which stops them anywhere.
 */
public final class Ranks {
  /**
   * The time without a message after which ranks count as hanging; the total time is not limited.
   */
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  /** A rank's part of a test. */
  public interface Body {
    void run(Messenger m) throws Exception;
  }

  private Ranks() {}

  public static Messenger messenger(int rank, int size) {
    return new Messenger(
        rank,
        size,
        ShortWaits.strategy(),
        (peer, reason) -> {
          throw new AssertionError("lost " + peer + ": " + reason);
        });
  }

  /** A rank of a job that goes on without its dead, to which no connection is missed. */
  public static Messenger shrinking(int rank, int size) {
    return new Messenger(rank, size, ShortWaits.strategy(), (_, _) -> {}, true);
  }

  /** The number of unmatched messages, messages of the runtime included. */
  public static int unexpected(Messenger m) {
    return m.mailbox().unexpected().count();
  }

  /** The memory of unmatched messages. */
  public static long unexpectedBytes(Messenger m) {
    return m.mailbox().unexpected().heldBytes();
  }

  /**
   * Runs the body on ranks without shared memory. Almost every send waits for its receive: a
   * passing test does not depend on buffering.
   */
  public static MemoryNetwork run(int size, Body body) {
    return runAll(new MemoryNetwork(size, 1, Options.WAITING), size, Thread.ofVirtual(), body, "");
  }

  /** As {@link #run(int, Body)}, with memory that all ranks share. */
  public static MemoryNetwork runOnOneNode(int size, Body body) {
    MemoryNetwork network = new MemoryNetwork(size, 1, Options.WAITING, new int[size]);
    return runAll(network, size, Thread.ofVirtual(), body, "");
  }

  /** Ranks on nodes, with shared memory in each; ranks run at different speeds. */
  public static MemoryNetwork runOnNodes(int[] nodes, long seed, Body body) {
    MemoryNetwork network = new MemoryNetwork(nodes.length, seed, Options.UNEVEN, nodes.clone());
    return runAll(network, nodes.length, systemThreads(), body, "seed " + seed);
  }

  /** As {@link #runOnNodes}, with all ranks on one node or each on its own. */
  public static MemoryNetwork runDelayed(int size, boolean oneNode, long seed, Body body) {
    int[] nodes = oneNode ? new int[size] : null;
    MemoryNetwork network = new MemoryNetwork(size, seed, Options.UNEVEN, nodes);
    return runAll(network, size, systemThreads(), body, "seed " + seed);
  }

  /** Fails also if a message was not received, or a receive not matched. */
  private static MemoryNetwork runAll(
      MemoryNetwork network, int size, Thread.Builder threads, Body body, String what) {
    Messenger[] messengers = run(network, size, threads, body, what);
    for (Messenger m : messengers) {
      if (unexpected(m) > 0 || m.activeRequests() > 0) {
        throw new AssertionError(
            "rank %d is left with %d messages and %d requests"
                .formatted(m.rank(), unexpected(m), m.activeRequests()));
      }
    }
    return network;
  }

  /** Runs the body in epoch 0; fails if a rank fails, or the ranks hang. */
  public static void run(int size, long seed, MemoryNetwork.Options options, Body body) {
    run(new MemoryNetwork(size, seed, options), size, body, "seed " + seed + ", " + options);
  }

  /** The same on an existing network. */
  public static Messenger[] run(MemoryNetwork network, int size, Body body, String what) {
    return run(network, size, systemThreads(), body, what);
  }

  private static Messenger[] run(
      MemoryNetwork network, int size, Thread.Builder threads, Body body, String what) {
    Messenger[] messengers = new Messenger[size];
    for (int i = 0; i < size; i++) {
      messengers[i] = messenger(i, size);
      messengers[i].enter(0, new Transport[] {network.transport(i)});
    }
    run(messengers, threads, network::sent, body, what);
    return messengers;
  }

  /**
   * Runs the body; fails if a rank fails.
   *
   * @param progress a value that changes again and again unless the ranks hang
   */
  public static void run(Messenger[] messengers, LongSupplier progress, Body body, String what) {
    run(messengers, systemThreads(), progress, body, what);
  }

  private static Thread.Builder systemThreads() {
    return Thread.ofPlatform().daemon();
  }

  private static void run(
      Messenger[] messengers,
      Thread.Builder builder,
      LongSupplier progress,
      Body body,
      String what) {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    AtomicInteger running = new AtomicInteger(messengers.length);
    List<Thread> threads = new ArrayList<>();
    for (Messenger m : messengers) {
      threads.add(
          builder
              .name("rank " + m.rank())
              .start(
                  () -> {
                    try {
                      body.run(m);
                      if (running.decrementAndGet() == 0) {
                        for (Messenger other : messengers) {
                          other.wakeup();
                        }
                      }
                      progressUntilAllHaveEnded(m, running);
                    } catch (Throwable t) {
                      failure.compareAndSet(null, t);
                      for (Messenger other : messengers) {
                        other.revoke(other.epoch(), "rank " + m.rank() + " failed: " + t);
                      }
                    }
                  }));
    }
    for (Thread t : threads) {
      if (hangs(t, progress)) {
        AssertionError late = new AssertionError(t.getName() + " did not end; " + what);
        late.setStackTrace(t.getStackTrace());
        for (Messenger m : messengers) {
          m.revoke(m.epoch(), "time-out");
        }
        throw late;
      }
    }
    Throwable t = failure.get();
    if (t != null) {
      throw new AssertionError("failed with " + what + ": " + t, t);
    }
  }

  /** Waits for a thread's end, as long as there is progress. */
  private static boolean hangs(Thread thread, LongSupplier progress) {
    try {
      long before = progress.getAsLong();
      while (!thread.join(TIMEOUT)) {
        long now = progress.getAsLong();
        if (now == before) {
          return true;
        }
        before = now;
      }
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Polls like a rank that has left: other ranks may still wait for its answers. */
  private static void progressUntilAllHaveEnded(Messenger m, AtomicInteger running) {
    while (running.get() > 0 && !m.revoked()) {
      try {
        m.park();
      } catch (Rollback e) {
        return;
      }
    }
  }

  /** Synchronizes all ranks by messages of an internal context. */
  public static void barrier(PointToPoint m) {
    byte[] nothing = new byte[0];
    for (int step = 1; step < m.size(); step *= 2) {
      int to = (m.rank() + step) % m.size();
      int from = (m.rank() - step + m.size()) % m.size();
      Request r = m.irecv(nothing, 0, 0, from, 1, step);
      m.send(nothing, 0, 0, to, 1, step, PointToPoint.Mode.STANDARD);
      r.waitFor();
    }
  }
}
