package org.fmi.core.p2p;

import java.util.Optional;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Request;
import org.fmi.control.RankReport.Untaken;
import org.fmi.control.RankReport.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A call that has waited for about a tenth of a second, for whoever looks at this rank.
 *
 * @param call the method that the program has called, such as "recv" or "Fmi.close"
 * @param peer the world rank that it waits for; {@link #ANY} for any, or none in particular
 * @param tag of the message; {@link #ANY} for any, or none
 * @param context that it waits in; {@link #ANY} for none
 * @param sinceNanos when it began to, about, by the rank's clock
 * @param untaken what leaves no room for a copy, if it is a send that such a copy would complete
 */
public record LongWait(
    String call, int peer, int tag, int context, long sinceNanos, @Nullable Untaken untaken) {
  static final int ANY = Waiting.ANY;

  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** Any wildcard of a call is {@link #ANY} here. */
  public LongWait {
    peer = Math.max(peer, ANY);
    tag = Math.max(tag, ANY);
  }

  /** One that waits for something else than room for a copy. */
  LongWait(String call, int peer, int tag, int context, long sinceNanos) {
    this(call, peer, tag, context, sinceNanos, null);
  }

  /** The program's communicator, as a person calls it; empty if it waits in none. */
  public String communicator() {
    int id = context >> 1;
    return context == ANY || id == Contexts.SYSTEM ? "" : id == Contexts.WORLD ? "world" : "#" + id;
  }

  /**
   * The method of the API that the program has called on this thread: the outermost one up to the
   * program. So nothing has to be noted in each call for those that wait long.
   */
  static String callOfThisThread() {
    Optional<String> call =
        STACK.walk(
            frames ->
                frames
                    .takeWhile(frame -> isBelowProgram(frame.getDeclaringClass()))
                    .filter(frame -> isApi(frame.getDeclaringClass()))
                    .reduce((inner, outer) -> outer)
                    .map(LongWait::name));
    return call.orElse("a call");
  }

  private static String name(StackWalker.StackFrame frame) {
    String method = frame.getMethodName();
    return Fmi.class.isAssignableFrom(frame.getDeclaringClass()) ? "Fmi." + method : method;
  }

  private static boolean isBelowProgram(Class<?> type) {
    String name = type.getPackageName();
    return name.equals("org.fmi") || name.startsWith("org.fmi.core.") || name.startsWith("java.");
  }

  private static boolean isApi(Class<?> type) {
    return Comm.class.isAssignableFrom(type)
        || Request.class.isAssignableFrom(type)
        || Fmi.class.isAssignableFrom(type);
  }
}
