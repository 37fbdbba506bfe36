package org.fmi.run.rank;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The stacks of this process's threads, for a person. */
final class ThreadStacks {
  /** Limit that keeps a program with thousands of threads from flooding the reader. */
  private static final int MOST_CHARS = 1 << 20;

  private static final String MAIN = "main";

  private ThreadStacks() {}

  /**
   * Returns the stacks of the program's threads, main first: lines, each with its line end. Omits
   * threads of the JVM and of FMI, and virtual threads.
   */
  static String text() {
    StringBuilder text = new StringBuilder();
    List<Map.Entry<Thread, StackTraceElement[]>> stacks =
        Thread.getAllStackTraces().entrySet().stream()
            .filter(entry -> isOfProgram(entry.getKey()) && entry.getValue().length > 0)
            .sorted(
                Comparator.comparing(
                        (Map.Entry<Thread, ?> entry) -> !entry.getKey().getName().equals(MAIN))
                    .thenComparingLong(entry -> entry.getKey().threadId()))
            .toList();
    for (Map.Entry<Thread, StackTraceElement[]> stack : stacks) {
      if (text.length() > MOST_CHARS) {
        text.append("... and more threads\n");
        break;
      }
      Thread thread = stack.getKey();
      text.append('"').append(thread.getName()).append("\" ");
      text.append(thread.isDaemon() ? "daemon " : "").append(thread.getState()).append('\n');
      StackTraceElement[] frames = stack.getValue();
      int end = frames.length;
      while (end > 0 && isOfLauncher(frames[end - 1].getClassName())) {
        end--;
      }
      for (int f = 0; f < end; f++) {
        text.append("    at ").append(withoutLoader(frames[f])).append('\n');
      }
    }
    return text.toString();
  }

  /** Whether it belongs to the callers of the program's main. */
  private static boolean isOfLauncher(String type) {
    return type.startsWith("org.fmi.run.rank.")
        || type.startsWith("java.lang.invoke.")
        || type.startsWith("java.lang.reflect.")
        || type.startsWith("jdk.internal.reflect.");
  }

  /** Formats a frame as in the stack trace of an exception. */
  private static StackTraceElement withoutLoader(StackTraceElement frame) {
    return new StackTraceElement(
        null,
        null,
        null,
        frame.getClassName(),
        frame.getMethodName(),
        frame.getFileName(),
        frame.getLineNumber());
  }

  private static boolean isOfProgram(Thread thread) {
    ThreadGroup group = thread.getThreadGroup();
    return group != null
        && !group.getName().equals("system")
        && !group.getName().equals("InnocuousThreadGroup")
        && !thread.getName().startsWith("fmi-");
  }
}
