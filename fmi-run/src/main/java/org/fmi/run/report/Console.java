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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.fmi.job.control.FromDaemon;
import org.fmi.run.process.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * Writes fmirun's standard output and error on a thread of its own: a terminal that stops reading
 * must not stop the recovery of a job. Lines of different ranks are not mixed, however long they
 * are ({@link WholeLines}).
 */
public final class Console {
  private static final byte[] NEW_LINE = {'\n'};

  /** In place of a rank: fmirun itself. */
  private static final int NOBODY = -1;

  // Of st_mode (inode(7)).
  private static final int FILE_TYPE = 0170000;
  private static final int FIFO = 0010000;
  private static final int SOCKET = 0140000;

  /**
   * Something to write, and what to do once it is written.
   *
   * @param more whether more of the last line follows
   */
  private record Entry(int rank, boolean error, byte[] bytes, boolean more, Runnable written) {
    /** Whose line it may be a part of. */
    int source() {
      return rank < 0 ? WholeLines.NONE : 2 * rank + (error ? 1 : 0);
    }

    static Entry own(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return new Entry(NOBODY, true, bytes, false, () -> {});
    }

    /** Nothing to write. */
    static Entry task(Runnable task) {
      return new Entry(NOBODY, true, new byte[0], false, task);
    }
  }

  /** Back to the start of the line, and clear it (ECMA-48). */
  private static final byte[] ERASE = "\r\u001b[K".getBytes(StandardCharsets.US_ASCII);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS ", Locale.ROOT);

  /**
   * Where it writes.
   *
   * @param together whether both are the same file, so that lines of one cut those of the other
   * @param outIsTerminal whether standard output is the user's terminal
   * @param width columns of the terminal that standard error is; null if it is none
   * @param othersTerminal whether others have that terminal now, as a shell with its prompt: a line
   *     that is drawn again and again would be in their way
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

  /** The live line to be drawn next. Null if it was taken to be drawn. */
  private final AtomicReference<@Nullable String> live = new AtomicReference<>();

  /** Whether a live line stands on the terminal. */
  private boolean drawn;

  /** Bounded by the daemons: each has only a certain amount of unwritten output under way. */
  private final BlockingQueue<Entry> queue = new LinkedBlockingQueue<>();

  /** The source whose line has not ended yet, per file. */
  private final int[] openLine = {WholeLines.NONE, WholeLines.NONE};

  private boolean failed;

  /** Per file. */
  private final WholeLines[] lines = {wholeLines(), wholeLines()};

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
    this.together = streams.together;
    this.outIsTerminal = streams.outIsTerminal;
    this.width = streams.width;
    this.othersTerminal = streams.othersTerminal;
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
   * Writes output of a rank: whole lines, or a part of one.
   *
   * @param more whether more of the last line follows
   * @param written called once it is written
   */
  public void output(int rank, boolean error, byte[] bytes, boolean more, Runnable written) {
    queue.add(new Entry(rank, error, bytes, more, written));
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

  /** Does something once everything given before is written: no line is waited for any more. */
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
                    + " printed a part of a line, and nothing for "
                    + FromDaemon.Output.PAUSE_MILLIS / 1000
                    + " s: the output of others is printed before the rest"));
  }

  private void tellDifference(int rank) {
    line("fmi: rank " + rank + " prints other lines than before all processes started again");
  }

  /** Writes a line of fmirun's own, on standard error. */
  public void line(String line) {
    String text =
        (timed ? LocalDateTime.now(ZoneId.systemDefault()).format(TIME) : "") + line + "\n";
    queue.add(Entry.own(text));
  }

  /** Whether {@link #live} has an effect. */
  public boolean isLive() {
    return width != null;
  }

  /**
   * Draws a line on the terminal below all others, in place of the last one; it is no part of the
   * output, and stands there until there is output. Dropped if standard error is no terminal, if
   * fmirun is in the terminal's background, or if the terminal does not keep up.
   *
   * @param text empty to have none
   */
  public void live(String text) {
    if (isLive() && live.getAndSet(text) == null) {
      queue.add(Entry.task(this::drawLive));
    }
  }

  /** Waits until everything given so far is written, but at most for this long; nothing follows. */
  public void drain(long millis) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    onceWritten(
        () -> {
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
    boolean waitsForNobody = entry.rank >= 0 ? files != null : entry.bytes.length == 0;
    if (waitsForNobody) {
      show(entry);
    } else {
      lines[file(entry.error)].add(entry.source(), entry.more, () -> show(entry));
    }
  }

  /** Null if some output has to be looked at before there is more. */
  private @Nullable Entry next() throws InterruptedException {
    long now = System.nanoTime();
    long wait = Long.MAX_VALUE;
    for (WholeLines stream : lines) {
      OptionalLong due = stream.due();
      wait = Math.min(wait, due.isPresent() ? due.getAsLong() - now : Long.MAX_VALUE);
    }
    return wait == Long.MAX_VALUE ? queue.take() : queue.poll(wait, TimeUnit.NANOSECONDS);
  }

  /** Which of two; the first if there is but one. */
  private int file(boolean error) {
    return error && !together ? 1 : 0;
  }

  private void show(Entry entry) {
    if (entry.rank >= 0) {
      boolean open = openLine[file(entry.error)] == entry.source();
      byte[] news = once.filter(entry.rank, entry.error, entry.bytes, open || files != null);
      if (news.length > 0) {
        write(new Entry(entry.rank, entry.error, news, entry.more, entry.written));
      }
    } else if (entry.bytes.length > 0) {
      write(entry);
    }
    entry.written.run();
  }

  private void drawLive() {
    String text = live.getAndSet(null);
    IntSupplier columns = width;
    // A line of output that has not ended is not cut in two.
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
   * @param error whether it is standard error that does not work
   */
  private void say(boolean error, String what, IOException e) {
    String text = "fmirun: " + what + " cannot be written: " + e.getMessage() + "\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(new Entry(NOBODY, !error, bytes, false, () -> {}));
    onOutputLost.run();
  }

  /**
   * Whether a stream is a pipe or a socket: writing to it fails once nobody reads it. The message
   * of the failure does not tell, as it is in the user's language.
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
