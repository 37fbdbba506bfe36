package org.fmi.run.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import org.fmi.job.control.FromDaemon;

/**
 * Forwards one output stream of a rank to fmirun, line by line. Stops reading, and so eventually
 * the rank, while fmirun has too much unwritten output. Output left in the pipe at the end of a
 * process is sent at once: waiting would slow nothing down, and the output must arrive before the
 * report of the end.
 */
final class OutputPump {
  /**
   * No pipe holds more: 16 pages of at most 64 KiB. Beyond that, other processes hold the pipe, and
   * write.
   */
  private static final int MOST_LEFT = 1 << 20;

  private final InputStream in;
  private final boolean error;
  private final CompletableFuture<Integer> rank;
  private final OutputCredit credit;
  private final Uplink uplink;
  private final LineAssembler lines;
  private volatile boolean ended;

  /** Whether a part of a line was sent, but not its end. Used by the pump's thread. */
  private boolean inLine;

  /** Bytes that were sent after the end. Used by the pump's thread. */
  private int left;

  /**
   * @param rank known when the process has been assigned one; nothing is read before
   * @param credit limit of output while the process lives
   */
  OutputPump(
      InputStream in,
      boolean error,
      CompletableFuture<Integer> rank,
      OutputCredit credit,
      Uplink uplink) {
    this.in = in;
    this.error = error;
    this.rank = rank;
    this.credit = credit;
    this.uplink = uplink;
    this.lines = new LineAssembler(credit.mostBytesOfLine());
  }

  Thread start(long pid) {
    return Thread.ofPlatform()
        .daemon()
        .name("fmi-" + (error ? "err-" : "out-") + pid)
        .start(this::run);
  }

  /**
   * Notes that the process has ended: from now on the rest is sent, however much fmirun has to
   * write.
   */
  void end() {
    ended = true;
    credit.lookAgain();
  }

  private void run() {
    int number = rank.join();
    byte[] buffer = new byte[credit.readBytes()];
    LineAssembler.Sink sink = (bytes, more) -> send(number, bytes, more);
    try {
      int count;
      while ((count = read(buffer)) >= 0) {
        lines.feed(buffer, count, sink);
      }
      lines.end(sink);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads like {@link InputStream#read(byte[])}; a pipe that was closed here counts as ended. */
  private int read(byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      return -1;
    }
  }

  private void send(int number, byte[] bytes, boolean more) throws InterruptedException {
    FromDaemon.Output output = new FromDaemon.Output(number, error, bytes, more);
    boolean part = inLine || more;
    if (part) {
      credit.takePart(this, output.cost(), this::isRest);
    } else {
      credit.take(output.cost(), this::isRest);
    }
    if (ended) {
      left += bytes.length;
    }
    uplink.send(output);
    if (part) {
      credit.sentPart(this, more);
    }
    inLine = more;
  }

  private boolean isRest() {
    return ended && left < MOST_LEFT;
  }
}
