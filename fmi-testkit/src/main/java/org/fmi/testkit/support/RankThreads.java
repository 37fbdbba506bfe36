package org.fmi.testkit.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Runs one thread per rank, and fails with the first failure of any of them. */
public final class RankThreads {
  private static final long TIMEOUT_SECONDS = 120;

  /** After one rank has failed, the other ranks get this long to end. */
  private static final long GRACE_SECONDS = 5;

  private RankThreads() {}

  /** A rank's task. */
  public interface Body {
    void run(int rank) throws Exception;
  }

  /**
   * Runs {@code body} for each rank.
   *
   * @throws AssertionError if a rank failed, or did not end in time; the latter with its stack
   */
  public static void run(int ranks, Body body) throws InterruptedException {
    run(ranks, () -> 0, body);
  }

  /**
   * Runs {@code body} for each rank, without a time limit while there is progress.
   *
   * @param progress a value that changes again and again unless the ranks hang
   * @throws AssertionError if a rank failed, or hangs; the latter with its stack
   */
  public static void run(int ranks, LongSupplier progress, Body body) throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      int rank = r;
      Thread thread =
          new Thread(
              () -> {
                try {
                  body.run(rank);
                } catch (Throwable t) {
                  synchronized (failures) {
                    failures.add(new AssertionError("rank " + rank + ": " + t, t));
                    failures.notifyAll();
                  }
                } finally {
                  synchronized (failures) {
                    failures.notifyAll();
                  }
                }
              },
              "rank " + r);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    long before = progress.getAsLong();
    boolean shortened = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        synchronized (failures) {
          if (!failures.isEmpty() && !shortened) {
            shortened = true;
            end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
          }
        }
        long now = progress.getAsLong();
        if (System.nanoTime() - end > 0 && now != before && !shortened) {
          before = now;
          end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        }
        if (System.nanoTime() - end > 0) {
          AssertionError late = new AssertionError(thread.getName() + " does not end; it is here");
          late.setStackTrace(thread.getStackTrace());
          synchronized (failures) {
            failures.add(late);
          }
          break;
        }
        thread.join(50);
      }
    }
    synchronized (failures) {
      if (!failures.isEmpty()) {
        AssertionError all = new AssertionError(failures.getFirst().getMessage());
        failures.forEach(all::addSuppressed);
        throw all;
      }
    }
  }
}
