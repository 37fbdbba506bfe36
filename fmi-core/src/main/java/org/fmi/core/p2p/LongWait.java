package org.fmi.core.p2p;

import java.util.Optional;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Message;
import org.fmi.Request;
import org.fmi.control.RankReport.Untaken;
import org.fmi.control.RankReport.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A call that has waited for about a tenth of a second, for status reports.
 *
 * @param call the API method, such as "recv" or "Fmi.close"
 * @param peer the world rank that it waits for; {@link #ANY} for any, or none in particular
 * @param tag the message's tag; {@link #ANY} for any, or none
 * @param context its context; {@link #ANY} for none
 * @param sinceNanos the approximate start of the wait, by the rank's clock
 * @param untaken the messages that fill the send buffer, if this is a send that would complete by a
 *     copy
 */
public record LongWait(
    String call, int peer, int tag, int context, long sinceNanos, @Nullable Untaken untaken) {
  static final int ANY = Waiting.ANY;

  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** Maps every wildcard of a call to {@link #ANY}. */
  public LongWait {
    peer = Math.max(peer, ANY);
    tag = Math.max(tag, ANY);
  }

  /** A wait that is not for room in the send buffer. */
  LongWait(String call, int peer, int tag, int context, long sinceNanos) {
    this(call, peer, tag, context, sinceNanos, null);
  }

  /** The communicator's name for users; empty if there is none. */
  public String communicator() {
    int id = context >> 1;
    return context == ANY || id == Contexts.SYSTEM ? "" : id == Contexts.WORLD ? "world" : "#" + id;
  }

  /**
   * The API method that the program has called on this thread: the outermost API frame below the
   * program. Walking the stack here spares all other calls from noting their names.
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
        || Message.class.isAssignableFrom(type)
        || Fmi.class.isAssignableFrom(type);
  }
}
