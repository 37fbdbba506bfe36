package org.fmi.run.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.fmi.run.control.FromDaemon;

/**
 * Carries one output stream of a rank to fmirun, line by line. Stops reading, and so in the end the
 * rank, while fmirun has too much that it could not write yet.
 */
final class OutputPump {
  private static final int CHUNK = 16 << 10;

  private final InputStream in;
  private final boolean error;
  private final CompletableFuture<Integer> rank;
  private final Semaphore credit;
  private final Uplink uplink;
  private final LineAssembler lines = new LineAssembler();

  /**
   * @param rank known when the process has been assigned one; nothing is read before
   * @param credit bytes that may be sent
   */
  OutputPump(
      InputStream in,
      boolean error,
      CompletableFuture<Integer> rank,
      Semaphore credit,
      Uplink uplink) {
    this.in = in;
    this.error = error;
    this.rank = rank;
    this.credit = credit;
    this.uplink = uplink;
  }

  Thread start(long pid) {
    return Thread.ofPlatform()
        .daemon()
        .name("fmi-" + (error ? "err-" : "out-") + pid)
        .start(this::run);
  }

  private void run() {
    int number = rank.join();
    byte[] buffer = new byte[CHUNK];
    LineAssembler.Sink sink = bytes -> send(number, bytes);
    try {
      int count;
      while ((count = read(buffer)) >= 0) {
        lines.feed(buffer, count, sink);
      }
      lines.flush(sink);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** As {@link InputStream#read(byte[])}; a pipe that was closed here has ended too. */
  private int read(byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      return -1;
    }
  }

  private void send(int number, byte[] bytes) throws InterruptedException {
    credit.acquire(bytes.length);
    uplink.send(new FromDaemon.Output(number, error, bytes));
  }
}
