package org.fmi.run.daemon;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * The amount of output that may be sent to fmirun before it has written some, in bytes of {@link
 * FromDaemon.Output#cost}, and the turn of lines that do not fit into one message. Any thread.
 *
 * <p>While fmirun writes such a line, all other output waits there. So these lines have a reserve
 * that no other output may use, and a node sends one of them at a time.
 */
final class OutputCredit {
  /** The reserve for long lines, one message, is one part in this many of the whole. */
  private static final int RESERVES = 4;

  /** A read is at most one part in this many of a message. */
  private static final int READS = 5;

  private final int reserve;
  private final long pauseNanos;

  /** Negative while more was sent than that. */
  private long bytes;

  /** The stream that sends a long line. */
  private @Nullable Object writer;

  /** Whether it has more to send at this moment. */
  private boolean writing;

  private long pausesSince;

  /**
   * @param bytes at least 10 KiB
   * @param pauseMillis how long a rank may pause in the middle of a long line before another one
   *     gets its turn
   */
  OutputCredit(int bytes, long pauseMillis) {
    this.bytes = bytes;
    this.reserve = bytes / RESERVES;
    assert mostBytesOfLine() > readBytes();
    this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
  }

  /** Returns the maximum bytes to read at a time. */
  int readBytes() {
    return reserve / READS;
  }

  /** Returns the length up to which a line is sent in one message, together with what was read. */
  int mostBytesOfLine() {
    return reserve - readBytes() - FromDaemon.Output.OVERHEAD;
  }

  /**
   * Takes credit for whole lines; waits until there is enough, or until it must not wait.
   *
   * @param atOnce whether it must not wait (any longer); checked again after {@link #lookAgain}
   */
  synchronized void take(long count, BooleanSupplier atOnce) throws InterruptedException {
    take(count + reserve, count, atOnce);
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
