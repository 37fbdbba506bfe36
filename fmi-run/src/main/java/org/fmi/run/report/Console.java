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
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.fmi.job.control.FromDaemon;
import org.fmi.run.Amounts;
import org.fmi.run.process.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * Writes fmirun's standard output and error on a separate thread: a terminal that stops reading
 * must not stop the recovery of a job. Does not mix lines of different ranks, however long they are
 * ({@link WholeLines}).
 */
public final class Console {
  private static final byte[] NEW_LINE = {'\n'};

  /** Stands for fmirun itself instead of a rank. */
  private static final int NOBODY = -1;

  // Of st_mode (inode(7)).
  private static final int FILE_TYPE = 0170000;
  private static final int FIFO = 0010000;
  private static final int SOCKET = 0140000;

  /**
   * Output to write, and a task to run once it is written.
   *
   * @param more whether more of the last line follows
   * @param dropped bytes that had no room in the queue
   */
  private record Entry(
      int rank, boolean error, byte[] bytes, boolean more, int dropped, Runnable written) {
    Entry(int rank, boolean error, byte[] bytes, boolean more, Runnable written) {
      this(rank, error, bytes, more, 0, written);
    }

    /** Returns the same without its bytes. */
    Entry withoutBytes() {
      return new Entry(rank, error, new byte[0], more, bytes.length, written);
    }

    /** Returns the source whose line it may be a part of. */
    int source() {
      return rank < 0 ? WholeLines.NONE : 2 * rank + (error ? 1 : 0);
    }

    static Entry own(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return new Entry(NOBODY, true, bytes, false, () -> {});
    }

    /** Returns an entry without output. */
    static Entry task(Runnable task) {
      return new Entry(NOBODY, true, new byte[0], false, task);
    }
  }

  /** Returns to the start of the line and clears it (ECMA-48). */
  private static final byte[] ERASE = "\r\u001b[K".getBytes(StandardCharsets.US_ASCII);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS ", Locale.ROOT);

  /**
   * The destination of output.
   *
   * @param together whether both streams are the same file, so that lines of one interrupt lines of
   *     the other
   * @param outIsTerminal whether standard output is the user's terminal
   * @param width columns of the terminal on standard error; null if it is no terminal
   * @param othersTerminal whether another process group owns that terminal now, such as a shell
   *     with its prompt, which redrawing a line would disturb
   */
  record Streams(
      OutputStream out,
      OutputStream err,
      boolean together,
      boolean outIsTerminal,
      @Nullable IntSupplier width,
      BooleanSupplier othersTerminal,
      @Nullable OutputFiles files) {
    static Streams ofProcess(@Nullable OutputFiles files) {
      return new Streams(
          new FileOutputStream(FileDescriptor.out),
          new FileOutputStream(FileDescriptor.err),
          areTogether(),
          Terminal.is(Terminal.OUT),
          Terminal.is(Terminal.ERR) ? () -> Terminal.width(Terminal.ERR) : null,
          () -> Terminal.isOthers(Terminal.ERR),
          files);
    }

    private static boolean areTogether() {
      try {
        return Files.isSameFile(descriptor(false), descriptor(true));
      } catch (IOException e) {
        return false;
      }
    }
  }

  private final boolean tagged;
  private final boolean timed;
  private final Runnable onReaderGone;
  private final Runnable onOutputLost;
  private final OutputStream out;
  private final OutputStream err;
  private final boolean together;
  private final boolean outIsTerminal;
  private final @Nullable IntSupplier width;
  private final BooleanSupplier othersTerminal;
  private final @Nullable OutputFiles files;

  /** The live line to draw next. Null if it was taken. */
  private final AtomicReference<@Nullable String> live = new AtomicReference<>();

  /** Whether a live line is on the terminal. */
  private boolean drawn;

  private final BlockingQueue<Entry> queue = new LinkedBlockingQueue<>();

  /** Maximum bytes of output in the queue. */
  private final long mostBytes;

  /** Bytes of output in the queue. */
  private final AtomicLong unwritten = new AtomicLong();

  /** Bytes that were dropped since output was last written. */
  private long missing;

  /** The source of the unfinished line, per file. */
  private final int[] openLine = {WholeLines.NONE, WholeLines.NONE};

  private boolean failed;

  /** Per file. */
  private final WholeLines[] lines = {wholeLines(), wholeLines()};

  private final ShownOnce once = new ShownOnce(this::reportDifference);

  /**
   * Calls at most one of the two handlers, and only once.
   *
   * @param files output files of ranks; null to print here
   * @param mostBytes maximum bytes of output that waits: what is beyond is dropped. The daemons
   *     limit the output of living processes to less
   * @param tagged whether to prefix each line with its rank
   * @param timed whether to prefix notices of fmirun with the date and time
   * @param onReaderGone called when the reader of the output is gone
   * @param onOutputLost called when output cannot be written for another reason, after the user was
   *     notified
   */
  public Console(
      @Nullable OutputFiles files,
      long mostBytes,
      boolean tagged,
      boolean timed,
      Runnable onReaderGone,
      Runnable onOutputLost) {
    this(Streams.ofProcess(files), mostBytes, tagged, timed, onReaderGone, onOutputLost);
  }

  Console(
      Streams streams,
      long mostBytes,
      boolean tagged,
      boolean timed,
      Runnable onReaderGone,
      Runnable onOutputLost) {
    this.out = streams.out;
    this.err = streams.err;
    this.together = streams.together;
    this.outIsTerminal = streams.outIsTerminal;
    this.width = streams.width;
    this.othersTerminal = streams.othersTerminal;
    this.files = streams.files;
    this.mostBytes = mostBytes;
    this.tagged = tagged;
    this.timed = timed;
    this.onReaderGone = onReaderGone;
    this.onOutputLost = onOutputLost;
  }

  /** Starts to write. */
  public void start() {
    Thread.ofPlatform().daemon().name("fmi-console").start(this::run);
  }

  /**
   * Writes output of a rank: whole lines, or a part of one.
   *
   * @param more whether more of the last line follows
   * @param written called once it is written
   */
  public void output(int rank, boolean error, byte[] bytes, boolean more, Runnable written) {
    add(new Entry(rank, error, bytes, more, written));
  }

  /** Queues output, without its bytes if there is no room. */
  private void add(Entry entry) {
    int bytes = entry.bytes.length;
    if (unwritten.addAndGet(bytes) <= mostBytes) {
      queue.add(entry);
    } else {
      unwritten.addAndGet(-bytes);
      queue.add(entry.withoutBytes());
    }
  }

  /**
   * Notes a new process of a rank, which prints from the beginning; all output of its predecessor
   * has been passed in.
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
   * Notes that ranks start to run.
   *
   * @param fromTheStart whether all of them are new processes
   */
  public void begun(boolean fromTheStart) {
    onceWritten(() -> once.begun(fromTheStart));
  }

  /** Notes that the program begins anew with another number of ranks: all that it prints is new. */
  public void shrunk() {
    onceWritten(once::forgetAll);
  }

  /** Runs a task once all earlier output is written, and waits for no unfinished line any more. */
  private void onceWritten(Runnable task) {
    queue.add(
        Entry.task(
            () -> {
              for (WholeLines stream : lines) {
                stream.release();
              }
              task.run();
            }));
  }

  private WholeLines wholeLines() {
    return new WholeLines(
        System::nanoTime,
        TimeUnit.MILLISECONDS.toNanos(FromDaemon.Output.PAUSE_MILLIS),
        source ->
            line(
                "fmi: rank "
                    + source / 2
                    + " printed part of a line and then nothing for "
                    + FromDaemon.Output.PAUSE_MILLIS / 1000
                    + " s: output of other ranks is printed before the rest of it"));
  }

  private void reportDifference(int rank) {
    line("fmi: rank " + rank + " prints different lines after the restart of all processes");
  }

  /** Writes a line of fmirun on standard error. */
  public void line(String line) {
    String text =
        (timed ? LocalDateTime.now(ZoneId.systemDefault()).format(TIME) : "") + line + "\n";
    add(Entry.own(text));
  }

  /** Whether {@link #live} has an effect. */
  public boolean isLive() {
    return width != null;
  }

  /**
   * Draws a line on the terminal below all others, in place of the last one. It is not output, and
   * stays until there is output. Dropped if standard error is no terminal, if fmirun is in the
   * terminal's background, or if the terminal does not keep up.
   *
   * @param text empty to remove the line
   */
  public void live(String text) {
    if (isLive() && live.getAndSet(text) == null) {
      queue.add(Entry.task(this::drawLive));
    }
  }

  /** Waits until all earlier output is written, up to a time limit; nothing follows. */
  public void drain(long millis) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    onceWritten(
        () -> {
          reportMissing();
          once.end((rank, error, bytes) -> write(new Entry(rank, error, bytes, false, () -> {})));
          done.countDown();
        });
    boolean _ = done.await(millis, TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      while (true) {
        Entry entry = next();
        if (entry != null) {
          take(entry);
        }
        for (WholeLines stream : lines) {
          stream.look();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void take(Entry entry) {
    boolean waitsForNobody =
        entry.rank >= 0 ? files != null : entry.bytes.length + entry.dropped == 0;
    if (waitsForNobody) {
      show(entry);
    } else {
      lines[file(entry.error)].add(entry.source(), entry.more, () -> show(entry));
    }
  }

  /** Returns null if pauses must be checked before the next entry. */
  private @Nullable Entry next() throws InterruptedException {
    long now = System.nanoTime();
    long wait = Long.MAX_VALUE;
    for (WholeLines stream : lines) {
      OptionalLong due = stream.due();
      wait = Math.min(wait, due.isPresent() ? due.getAsLong() - now : Long.MAX_VALUE);
    }
    return wait == Long.MAX_VALUE ? queue.take() : queue.poll(wait, TimeUnit.NANOSECONDS);
  }

  /** Returns the index of a file; the first if there is only one. */
  private int file(boolean error) {
    return error && !together ? 1 : 0;
  }

  private void show(Entry entry) {
    missing += entry.dropped;
    if (entry.bytes.length > 0) {
      reportMissing();
      if (entry.rank >= 0) {
        boolean open = openLine[file(entry.error)] == entry.source();
        byte[] news = once.filter(entry.rank, entry.error, entry.bytes, open || files != null);
        if (news.length > 0) {
          write(new Entry(entry.rank, entry.error, news, entry.more, entry.written));
        }
      } else {
        write(entry);
      }
      unwritten.addAndGet(-entry.bytes.length);
    }
    entry.written.run();
  }

  private void reportMissing() {
    if (missing > 0) {
      long bytes = missing;
      missing = 0;
      write(
          Entry.own(
              "fmi: "
                  + Amounts.bytes(bytes)
                  + " of output are missing here: output was not read for so long that fmirun had"
                  + " no memory for more\n"));
    }
  }

  private void drawLive() {
    String text = live.getAndSet(null);
    IntSupplier columns = width;
    // A live line does not interrupt an unfinished line of output.
    if (text == null
        || columns == null
        || openLine[file(true)] >= 0
        || (outIsTerminal && openLine[0] >= 0)
        || othersTerminal.getAsBoolean()) {
      return;
    }
    try {
      if (text.isEmpty()) {
        erase();
      } else {
        // A character in the last column would move the cursor to the next line.
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
      // It is not output: a failing write of output will be noticed.
      drawn = false;
    }
  }

  private void erase() throws IOException {
    if (drawn) {
      drawn = false;
      err.write(othersTerminal.getAsBoolean() ? NEW_LINE : ERASE);
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
    int file = file(entry.error);
    OutputStream to = entry.error ? err : out;
    try {
      if (entry.error || outIsTerminal) {
        erase();
      }
      boolean continued = openLine[file] == entry.source() && entry.rank >= 0;
      if (openLine[file] >= 0 && !continued) {
        to.write(NEW_LINE);
      }
      to.write(tagged && entry.rank >= 0 ? tag(entry, continued) : entry.bytes);
      boolean ended = entry.bytes[entry.bytes.length - 1] == '\n';
      openLine[file] = ended ? WholeLines.NONE : entry.source();
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
   * @param error whether standard error is the failing stream
   */
  private void say(boolean error, String what, IOException e) {
    String text = "fmirun: " + what + " cannot be written: " + e.getMessage() + "\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(new Entry(NOBODY, !error, bytes, false, () -> {}));
    onOutputLost.run();
  }

  /**
   * Whether a stream is a pipe or a socket, on which writes fail once there is no reader. The
   * message of the failure is in the user's language, so it cannot be parsed.
   */
  private static boolean isPipe(boolean error) {
    try {
      int type = (int) Files.getAttribute(descriptor(error), "unix:mode") & FILE_TYPE;
      return type == FIFO || type == SOCKET;
    } catch (IOException e) {
      return false;
    }
  }

  private static Path descriptor(boolean error) {
    return Path.of("/proc/self/fd", error ? "2" : "1");
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
