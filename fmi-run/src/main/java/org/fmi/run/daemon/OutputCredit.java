package org.fmi.run.daemon;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes of output may be sent to fmirun before it has written some, and whose turn it is
 * to send a line that does not fit into one message. Any thread.
 *
 * <p>While fmirun writes such a line the output of others waits there. So these lines have a
 * reserve that no other output may use up, and a node sends one of them at a time.
 */
final class OutputCredit {
  /** What is left to long lines: one message. */
  static final int RESERVE = LineAssembler.MAX_LINE + OutputPump.CHUNK;

  private final long pauseNanos;

  /** Negative while more was sent than that. */
  private long bytes;

  /** Who sends a long line. */
  private @Nullable Object writer;

  /** Whether it has more to send at this moment. */
  private boolean writing;

  private long pausesSince;

  /**
   * @param bytes at least twice the {@link #RESERVE}
   * @param pauseMillis for how long a rank may send nothing in the middle of a long line before it
   *     is another one's turn
   */
  OutputCredit(long bytes, long pauseMillis) {
    assert bytes >= 2 * RESERVE;
    this.bytes = bytes;
    this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
  }

  /**
   * Takes as many for whole lines; waits until there are, or until it need not.
   *
   * @param atOnce whether it need not wait (any more); asked again after {@link #lookAgain}
   */
  synchronized void take(long count, BooleanSupplier atOnce) throws InterruptedException {
    take(count + RESERVE, count, atOnce);
  }

  /**
   * The same for a part of a long line; waits for its turn too.
   *
   * @param stream which it is a part of
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

  @SuppressWarnings("ReferenceEquality") // which stream it is
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
   * A part was sent.
   *
   * @param more whether it was not the last
   */
  @SuppressWarnings("ReferenceEquality") // which stream it is
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

  /** Some of those who wait may need to no more. */
  synchronized void lookAgain() {
    notifyAll();
  }
}
