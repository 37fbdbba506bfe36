package org.fmi.run.daemon;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The number of bytes of output that may be sent to fmirun before it has written some, and the turn
 * of lines that do not fit into one message. Any thread.
 *
 * <p>While fmirun writes such a line, all other output waits there. So these lines have a reserve
 * that no other output may use, and a node sends one of them at a time.
 */
final class OutputCredit {
  /** The reserve for long lines: one message. */
  static final int RESERVE = LineAssembler.MAX_LINE + OutputPump.CHUNK;

  private final long pauseNanos;

  /** Negative while more was sent than that. */
  private long bytes;

  /** The stream that sends a long line. */
  private @Nullable Object writer;

  /** Whether it has more to send at this moment. */
  private boolean writing;

  private long pausesSince;

  /**
   * @param bytes at least twice the {@link #RESERVE}
   * @param pauseMillis how long a rank may pause in the middle of a long line before another one
   *     gets its turn
   */
  OutputCredit(long bytes, long pauseMillis) {
    assert bytes >= 2 * RESERVE;
    this.bytes = bytes;
    this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
  }

  /**
   * Takes credit for whole lines; waits until there is enough, or until it must not wait.
   *
   * @param atOnce whether it must not wait (any longer); checked again after {@link #lookAgain}
   */
  synchronized void take(long count, BooleanSupplier atOnce) throws InterruptedException {
    take(count + RESERVE, count, atOnce);
  }

  /**
   * Takes credit for a part of a long line; also waits for its turn.
   *
   * @param stream the stream of the line
   */
  synchronized void takePart(Object stream, long count, BooleanSupplier atOnce)
      throws InterruptedException {
    while (isOthersTurn(stream) && !atOnce.getAsBoolean()) {
      if (writing) {
        wait();
      } else {
        TimeUnit.NANOSECONDS.timedWait(this, pauseNanos - (System.nanoTime() - pausesSince));
      }
    }
    if (!isOthersTurn(stream)) {
      writer = stream;
      writing = true;
    }
    take(count, count, atOnce);
  }

  @SuppressWarnings("ReferenceEquality") // identity of the stream
  private boolean isOthersTurn(Object stream) {
    return writer != null
        && writer != stream
        && (writing || System.nanoTime() - pausesSince < pauseNanos);
  }

  private void take(long needed, long count, BooleanSupplier atOnce) throws InterruptedException {
    while (bytes < needed && !atOnce.getAsBoolean()) {
      wait();
    }
    bytes -= count;
  }

  /**
   * Notes that a part was sent.
   *
   * @param more whether it was not the last
   */
  @SuppressWarnings("ReferenceEquality") // identity of the stream
  synchronized void sentPart(Object stream, boolean more) {
    if (writer == stream) {
      writer = more ? stream : null;
      writing = false;
      pausesSince = System.nanoTime();
      notifyAll();
    }
  }

  synchronized void give(long count) {
    bytes += count;
    notifyAll();
  }

  /** Wakes waiting threads, some of which may no longer have to wait. */
  synchronized void lookAgain() {
    notifyAll();
  }
}
