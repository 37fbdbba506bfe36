package org.fmi.run.report;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.fmi.node.Refusal;
import org.fmi.run.Amounts;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to their log on a separate thread, because its file may be on a server that does
 * not respond. That delays nothing else, and takes bounded memory: events that find the queue full
 * are dropped and counted. Any thread.
 */
final class EventWriter {
  /** Some 100,000 events. */
  static final int MOST_BYTES = 16 << 20;

  private final EventLog log;
  private final int mostBytes;
  private final Consumer<String> say;
  private final Thread thread;

  // ---- guarded by this

  /** Events that are not written yet; the first one is being written. */
  private final Deque<byte[]> waiting = new ArrayDeque<>();

  private long bytes;
  private long dropped;
  private boolean closing;
  private boolean failed;

  /**
   * @param mostBytes maximum bytes of events that wait
   * @param say receives messages for the user
   */
  EventWriter(EventLog log, int mostBytes, Consumer<String> say) {
    this.log = log;
    this.mostBytes = mostBytes;
    this.say = say;
    this.thread = Thread.ofPlatform().daemon().name("fmi-events").start(this::run);
  }

  /** Writes a line, or drops it if too many wait. */
  synchronized void write(byte[] line) {
    if (failed) {
      return;
    }
    if (bytes + line.length > mostBytes) {
      if (dropped == 0) {
        say.accept(
            "fmirun: --events: the file does not take events as fast as they happen (does its"
                + " server respond?); "
                + Amounts.bytes(mostBytes)
                + " of them wait, and further ones are dropped until there is room");
      }
      dropped++;
      return;
    }
    waiting.add(line);
    bytes += line.length;
    notifyAll();
  }

  /**
   * Writes the remaining events and closes the log. Reports how many events are missing.
   *
   * @param millis maximum time to wait for the file
   */
  void close(long millis) throws InterruptedException {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    boolean _ = thread.join(Duration.ofMillis(millis));
    synchronized (this) {
      long missing = dropped + waiting.size();
      if (missing > 0 && !failed) {
        say.accept(
            "fmirun: --events: "
                + Amounts.count(missing, "event")
                + (missing == 1 ? " is" : " are")
                + " missing in the file, which took too long to write");
      }
    }
  }

  private void run() {
    try {
      byte[] line;
      while ((line = next()) != null) {
        log.write(line);
        written(line);
      }
    } catch (IOException e) {
      fail("writing failed; no more events are written: " + Refusal.text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      log.close();
    } catch (IOException e) {
      fail("the last events were lost: " + Refusal.text(e));
    }
  }

  /** Returns the next line; null at the end. */
  private synchronized byte @Nullable [] next() throws InterruptedException {
    while (waiting.isEmpty() && !closing) {
      wait();
    }
    return waiting.peek();
  }

  private synchronized void written(byte[] line) {
    waiting.remove();
    bytes -= line.length;
  }

  private synchronized void fail(String what) {
    if (!failed) {
      failed = true;
      waiting.clear();
      say.accept("fmirun: --events: " + what);
    }
  }
}
