package org.fmi.run.report;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.fmi.run.process.Terminal;
import org.jspecify.annotations.Nullable;

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

  /** Back to the start of the line, and clear it (ECMA-48). */
  private static final byte[] ERASE = "\r\u001b[K".getBytes(StandardCharsets.US_ASCII);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS ", Locale.ROOT);

  /**
   * Where it writes.
   *
   * @param outIsTerminal whether standard output is the user's terminal
   * @param width columns of the terminal that standard error is; null if it is none
   */
  record Streams(
      OutputStream out,
      OutputStream err,
      boolean outIsTerminal,
      @Nullable IntSupplier width,
      @Nullable OutputFiles files) {
    static Streams ofProcess(@Nullable OutputFiles files) {
      return new Streams(
          new FileOutputStream(FileDescriptor.out),
          new FileOutputStream(FileDescriptor.err),
          Terminal.is(Terminal.OUT),
          Terminal.is(Terminal.ERR) ? () -> Terminal.width(Terminal.ERR) : null,
          files);
    }
  }

  private final boolean tagged;
  private final boolean timed;
  private final Runnable onReaderGone;
  private final Runnable onOutputLost;
  private final OutputStream out;
  private final OutputStream err;
  private final boolean outIsTerminal;
  private final @Nullable IntSupplier width;
  private final @Nullable OutputFiles files;

  /** The live line to be drawn next. Null if it was taken to be drawn. */
  private final AtomicReference<@Nullable String> live = new AtomicReference<>();

  /** Whether a live line stands on the terminal. */
  private boolean drawn;

  /** Bounded by the daemons: each has only a certain amount of unwritten output under way. */
  private final BlockingQueue<Entry> queue = new LinkedBlockingQueue<>();

  /** The rank whose line has not ended yet, per stream; -1 if all lines have. */
  private final int[] openLine = {-1, -1};

  private boolean failed;

  private final ShownOnce once = new ShownOnce(this::tellDifference);

  /**
   * Only one of the two handlers is called, and only once.
   *
   * @param files where ranks write; null if here
   * @param tagged whether to prefix each line with its rank
   * @param timed whether to prefix fmirun's own lines with date and time
   * @param onReaderGone called when nobody reads the output any more
   * @param onOutputLost called when output cannot be written for another reason, after the user was
   *     told
   */
  public Console(
      @Nullable OutputFiles files,
      boolean tagged,
      boolean timed,
      Runnable onReaderGone,
      Runnable onOutputLost) {
    this(Streams.ofProcess(files), tagged, timed, onReaderGone, onOutputLost);
  }

  Console(
      Streams streams,
      boolean tagged,
      boolean timed,
      Runnable onReaderGone,
      Runnable onOutputLost) {
    this.out = streams.out;
    this.err = streams.err;
    this.outIsTerminal = streams.outIsTerminal;
    this.width = streams.width;
    this.files = streams.files;
    this.tagged = tagged;
    this.timed = timed;
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

  /**
   * A rank has a new process, which prints from the beginning; all that the one before has printed
   * was given.
   *
   * @param incarnation 0 for the first
   */
  public void spawned(int rank, int incarnation) {
    if (incarnation > 0) {
      onceWritten(() -> once.replaced(rank, false));
      onceWritten(() -> once.replaced(rank, true));
    }
  }

  /**
   * The ranks are told to run.
   *
   * @param fromTheStart whether all of them are new processes
   */
  public void begun(boolean fromTheStart) {
    onceWritten(() -> once.begun(fromTheStart));
  }

  /** Does something once everything given before is written. */
  private void onceWritten(Runnable task) {
    queue.add(new Entry(-1, true, new byte[0], task));
  }

  private void tellDifference(int rank) {
    line("fmi: rank " + rank + " prints other lines than before all processes started again");
  }

  /** Writes a line of fmirun's own, on standard error. */
  public void line(String line) {
    String text =
        (timed ? LocalDateTime.now(ZoneId.systemDefault()).format(TIME) : "") + line + "\n";
    queue.add(new Entry(-1, true, text.getBytes(StandardCharsets.UTF_8), () -> {}));
  }

  /** Whether {@link #live} has an effect. */
  public boolean isLive() {
    return width != null;
  }

  /**
   * Draws a line on the terminal below all others, in place of the last one; it is no part of the
   * output, and stands there until there is output. Dropped if standard error is no terminal, or if
   * the terminal does not keep up.
   *
   * @param text empty to have none
   */
  public void live(String text) {
    if (isLive() && live.getAndSet(text) == null) {
      onceWritten(this::drawLive);
    }
  }

  /** Waits until everything given so far is written, but at most for this long; nothing follows. */
  public void drain(long millis) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    onceWritten(
        () -> {
          once.end((rank, error, bytes) -> write(new Entry(rank, error, bytes, () -> {})));
          done.countDown();
        });
    boolean _ = done.await(millis, TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      while (true) {
        Entry entry = queue.take();
        if (entry.rank >= 0) {
          boolean open = openLine[entry.error ? 1 : 0] == entry.rank;
          byte[] news = once.filter(entry.rank, entry.error, entry.bytes, open || files != null);
          if (news.length > 0) {
            write(new Entry(entry.rank, entry.error, news, entry.written));
          }
        } else if (entry.bytes.length > 0) {
          write(entry);
        }
        entry.written.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void drawLive() {
    String text = live.getAndSet(null);
    IntSupplier columns = width;
    // A line of output that has not ended is not cut in two.
    if (text == null
        || columns == null
        || openLine[1] >= 0
        || (outIsTerminal && openLine[0] >= 0)) {
      return;
    }
    try {
      if (text.isEmpty()) {
        erase();
      } else {
        // The last column would move the cursor to the next line.
        int most = Math.max(0, columns.getAsInt() - 1);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        line.writeBytes(ERASE);
        line.writeBytes(
            (text.length() <= most ? text : text.substring(0, most))
                .getBytes(StandardCharsets.UTF_8));
        err.write(line.toByteArray());
        drawn = true;
      }
    } catch (IOException e) {
      // It is no output: whoever writes some will see it.
      drawn = false;
    }
  }

  private void erase() throws IOException {
    if (drawn) {
      drawn = false;
      err.write(ERASE);
    }
  }

  private void write(Entry entry) {
    if (files != null && entry.rank >= 0) {
      try {
        files.write(entry.rank, entry.error, entry.bytes);
      } catch (IOException e) {
        if (!failed) {
          failed = true;
          say(false, "--output: " + files.file(entry.rank, entry.error), e);
        }
      }
      return;
    }
    int stream = entry.error ? 1 : 0;
    OutputStream to = entry.error ? err : out;
    try {
      if (entry.error || outIsTerminal) {
        erase();
      }
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
    say(error, "standard " + (error ? "error" : "output"), e);
  }

  /**
   * @param error whether it is standard error that does not work
   */
  private void say(boolean error, String what, IOException e) {
    String text = "fmirun: " + what + " cannot be written: " + e.getMessage() + "\n";
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
