package org.fmi.run.rank;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Ends a process whose program is done but has left threads that keep it alive, for which the job
 * would wait silently.
 */
final class LeftThreads {
  private static final int FAILED = 1;

  /** Time in which a thread may end by itself before it is reported. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private LeftThreads() {}

  /** Returns when no thread but this one keeps the process alive; exits if one continues to. */
  static void end(int rank) {
    if (!haveEnded(SILENCE)) {
      System.err.println(
          "fmi: rank "
              + rank
              + " returned from main after Fmi.close but has not exited, because of "
              + living().stream().map(LeftThreads::describe).collect(Collectors.joining("; "))
              + ". End these threads (shut pools down) or make them daemon threads; the process is"
              + " ended in "
              + LIMIT.toSeconds()
              + " s");
      if (!haveEnded(LIMIT)) {
        System.err.println(
            "fmi: rank "
                + rank
                + " is ended: these threads are still alive after "
                + LIMIT.toSeconds()
                + " s: "
                + living().stream().map(Thread::getName).collect(Collectors.joining(", ")));
        System.exit(FAILED);
      }
    }
  }

  /** Whether all end within a time limit. */
  private static boolean haveEnded(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    List<Thread> threads = living();
    try {
      while (!threads.isEmpty()) {
        long left = end - System.nanoTime();
        if (left <= 0 || !threads.getFirst().join(Duration.ofNanos(left))) {
          return false;
        }
        threads = living();
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static List<Thread> living() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.isDaemon() && !thread.equals(Thread.currentThread()))
        .filter(thread -> !thread.getName().equals("DestroyJavaVM"))
        .toList();
  }

  private static String describe(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    return "thread '" + thread.getName() + "'" + (stack.length == 0 ? "" : " at " + stack[0]);
  }
}
