package org.fmi.run.report;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Writes fmirun's standard output and error on a thread of its own: a terminal that stops reading
 * must not stop the recovery of a job. Lines of different ranks are never mixed.
 */
public final class Console {
  private static final byte[] NEW_LINE = {'\n'};

  // Of st_mode (inode(7)).
  private static final int FILE_TYPE = 0170000;
  private static final int FIFO = 0010000;
  private static final int SOCKET = 0140000;

  /** Something to write, and what to do once it is written. */
  private record Entry(int rank, boolean error, byte[] bytes, Runnable written) {}

  private final boolean tagged;
  private final Runnable onReaderGone;
  private final Runnable onOutputLost;
  private final OutputStream out = new FileOutputStream(FileDescriptor.out);
  private final OutputStream err = new FileOutputStream(FileDescriptor.err);

  /** Bounded by the daemons: each has only a certain amount of unwritten output under way. */
  private final BlockingQueue<Entry> queue = new LinkedBlockingQueue<>();

  /** The rank whose line has not ended yet, per stream; -1 if all lines have. */
  private final int[] openLine = {-1, -1};

  private boolean failed;

  /**
   * Only one of the two handlers is called, and only once.
   *
   * @param tagged whether to prefix each line with its rank
   * @param onReaderGone called when nobody reads the output any more
   * @param onOutputLost called when output cannot be written for another reason, after the user was
   *     told
   */
  public Console(boolean tagged, Runnable onReaderGone, Runnable onOutputLost) {
    this.tagged = tagged;
    this.onReaderGone = onReaderGone;
    this.onOutputLost = onOutputLost;
  }

  /** Begins to write. */
  public void start() {
    Thread.ofPlatform().daemon().name("fmi-console").start(this::run);
  }

  /**
   * Writes output of a rank: whole lines, or a piece of one.
   *
   * @param written called once it is written
   */
  public void output(int rank, boolean error, byte[] bytes, Runnable written) {
    queue.add(new Entry(rank, error, bytes, written));
  }

  /** Writes a line of fmirun's own, on standard error. */
  public void line(String line) {
    queue.add(new Entry(-1, true, (line + "\n").getBytes(StandardCharsets.UTF_8), () -> {}));
  }

  /** Waits until everything given before is written, but at most for this long. */
  public void drain(long millis) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    queue.add(new Entry(-1, true, new byte[0], done::countDown));
    boolean _ = done.await(millis, TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      while (true) {
        Entry entry = queue.take();
        if (entry.bytes.length > 0) {
          write(entry);
        }
        entry.written.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(Entry entry) {
    int stream = entry.error ? 1 : 0;
    OutputStream to = entry.error ? err : out;
    try {
      boolean continued = openLine[stream] == entry.rank && entry.rank >= 0;
      if (openLine[stream] >= 0 && !continued) {
        to.write(NEW_LINE);
      }
      to.write(tagged && entry.rank >= 0 ? tag(entry, continued) : entry.bytes);
      openLine[stream] = entry.bytes[entry.bytes.length - 1] == '\n' ? -1 : entry.rank;
    } catch (IOException e) {
      if (!failed) {
        failed = true;
        fail(entry.error, e);
      }
    }
  }

  private void fail(boolean error, IOException e) {
    if (isPipe(error)) {
      onReaderGone.run();
      return;
    }
    String text =
        "fmirun: standard "
            + (error ? "error" : "output")
            + " cannot be written: "
            + e.getMessage()
            + "\n";
    write(new Entry(-1, !error, text.getBytes(StandardCharsets.UTF_8), () -> {}));
    onOutputLost.run();
  }

  /**
   * Whether a stream is a pipe or a socket: writing to it fails once nobody reads it. The message
   * of the failure does not tell, as it is in the user's language.
   */
  private static boolean isPipe(boolean error) {
    try {
      Path stream = Path.of("/proc/self/fd", error ? "2" : "1");
      int type = (int) Files.getAttribute(stream, "unix:mode") & FILE_TYPE;
      return type == FIFO || type == SOCKET;
    } catch (IOException e) {
      return false;
    }
  }

  private static byte[] tag(Entry entry, boolean continued) {
    byte[] tag = ("[" + entry.rank + "] ").getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream tagged = new ByteArrayOutputStream(entry.bytes.length + 16 * tag.length);
    boolean begin = !continued;
    for (byte b : entry.bytes) {
      if (begin) {
        tagged.writeBytes(tag);
      }
      tagged.write(b);
      begin = b == '\n';
    }
    return tagged.toByteArray();
  }
}
