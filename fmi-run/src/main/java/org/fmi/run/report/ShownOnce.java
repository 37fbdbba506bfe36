package org.fmi.run.report;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Shows the output of ranks once when all processes restart and print from the beginning: repeated
 * output is omitted, line by line, up to the first different line. Keeps eight bytes per line, of a
 * bounded number of lines; output beyond these is shown again. Used by one thread.
 *
 * <p>When a single process replaces another one, it is unknown at first whether all restart. Until
 * that is known, the process has run only the beginning of the program, so repeated output is
 * omitted in any case. From then on, everything it prints is shown, unless all have restarted.
 */
final class ShownOnce {
  private static final int MOST_LINES = 4 << 20;

  /** Longer lines are compared in parts of this length, which count as lines. */
  private static final int LONGEST = 4 << 10;

  private static final byte[] NEW_LINE = {'\n'};

  /** One stream of one rank. */
  private static final class Stream {
    final int rank;
    final boolean error;

    /**
     * Digests of the lines that the newest process has printed, and that earlier ones may have
     * printed.
     */
    long[] digests = new long[16];

    int lines;

    /** The shown part of an unfinished line. */
    byte[] cut = {};

    /** Whether the last byte shown is not the end of a line. */
    boolean inLine;

    /** Whether all shown output is known. */
    boolean complete = true;

    /** The line that the restarted process prints next; -1 if it prints new output. */
    int next = -1;

    /** The beginning of that line, which is not shown yet. */
    byte[] held = {};

    /** Whether the ranks have not been started since the process was. */
    boolean starting;

    /** Whether it has printed a different line since then. */
    boolean different;

    /** Whether the next output does not continue the line shown last. */
    boolean onNewLine;

    Stream(int rank, boolean error) {
      this.rank = rank;
      this.error = error;
    }
  }

  /** Receives the output to show. */
  interface Sink {
    void show(int rank, boolean error, byte[] bytes);
  }

  private final IntConsumer onDifference;
  private final int mostLines;
  private final Map<Long, Stream> streams = new HashMap<>();
  private int allLines;

  /**
   * @param onDifference receives a rank whose output differs from its earlier output
   */
  ShownOnce(IntConsumer onDifference) {
    this(onDifference, MOST_LINES);
  }

  ShownOnce(IntConsumer onDifference, int mostLines) {
    this.onDifference = onDifference;
    this.mostLines = mostLines;
  }

  private Stream stream(int rank, boolean error) {
    return streams.computeIfAbsent(2L * rank + (error ? 1 : 0), _ -> new Stream(rank, error));
  }

  /** Notes a new process of a rank, which prints from the beginning. */
  void replaced(int rank, boolean error) {
    Stream stream = stream(rank, error);
    stream.next = 0;
    stream.held = new byte[0];
    stream.starting = true;
    stream.different = false;
  }

  /**
   * Notes that ranks start to run.
   *
   * @param fromTheStart whether all of them are new processes; otherwise the new ones skip the
   *     output that the others do not repeat
   */
  void begun(boolean fromTheStart) {
    for (Stream stream : streams.values()) {
      if (!fromTheStart && stream.next >= 0) {
        forget(stream);
      } else if (fromTheStart && stream.different) {
        onDifference.accept(stream.rank);
      }
      stream.starting = false;
      stream.different = false;
    }
  }

  /** Shows output that was held back as a possible repetition. */
  void end(Sink sink) {
    for (Stream stream : streams.values()) {
      byte[] held = stream.held;
      boolean repeated = stream.next == stream.lines && startsWith(stream.cut, held);
      if (held.length > 0 && !repeated) {
        stream.held = new byte[0];
        sink.show(stream.rank, stream.error, held);
      }
    }
  }

  /**
   * Returns the output to show.
   *
   * @param open whether the last output shown was an unfinished line of this rank
   */
  byte[] filter(int rank, boolean error, byte[] bytes, boolean open) {
    Stream stream = stream(rank, error);
    byte[] all = joined(stream.held, bytes);
    stream.held = new byte[0];
    if (stream.next < 0) {
      return fresh(stream, all, open);
    }
    int at = 0;
    while (at < all.length && stream.next < stream.lines) {
      int end = endOfLine(all, at);
      if (end < 0) {
        stream.held = Arrays.copyOfRange(all, at, all.length);
        return new byte[0];
      }
      if (digest(all, at, end) != stream.digests[stream.next]) {
        return differs(stream, Arrays.copyOfRange(all, at, all.length), open);
      }
      stream.next++;
      at = end;
    }
    return at == all.length
        ? new byte[0]
        : atTheEnd(stream, Arrays.copyOfRange(all, at, all.length), open);
  }

  /** Handles the end of the repeated lines: the rest is new, or completes an interrupted line. */
  private byte[] atTheEnd(Stream stream, byte[] rest, boolean open) {
    byte[] cut = stream.cut;
    if (startsWith(cut, rest)) {
      stream.held = rest;
      return new byte[0];
    }
    if (!startsWith(rest, cut)) {
      return differs(stream, rest, open);
    }
    stream.next = -1;
    stream.cut = new byte[0];
    note(stream, rest);
    return open ? Arrays.copyOfRange(rest, cut.length, rest.length) : rest;
  }

  private byte[] differs(Stream stream, byte[] rest, boolean open) {
    if (stream.complete) {
      if (stream.starting) {
        stream.different = true;
      } else {
        onDifference.accept(stream.rank);
      }
    }
    forget(stream);
    return fresh(stream, rest, open);
  }

  /** Forgets all output: what follows is not compared with it, and continues no line of it. */
  void forgetAll() {
    for (Stream stream : streams.values()) {
      stream.next = 0;
      stream.held = new byte[0];
      stream.complete = true;
      forget(stream);
    }
  }

  /**
   * Forgets lines beyond the ones that the process has printed, which is what it will print next
   * time.
   */
  private void forget(Stream stream) {
    allLines -= stream.lines - stream.next;
    stream.lines = stream.next;
    stream.next = -1;
    stream.cut = new byte[0];
    stream.onNewLine = stream.inLine;
  }

  private byte[] fresh(Stream stream, byte[] bytes, boolean open) {
    boolean onNewLine = stream.onNewLine && open;
    stream.onNewLine = false;
    note(stream, bytes);
    return onNewLine ? joined(NEW_LINE, bytes) : bytes;
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return prefix.length <= bytes.length
        && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Returns the end of the line, or part of a line, that begins there; -1 if it does not end. */
  private static int endOfLine(byte[] bytes, int from) {
    int limit = Math.min(bytes.length, from + LONGEST);
    for (int at = from; at < limit; at++) {
      if (bytes[at] == '\n') {
        return at + 1;
      }
    }
    return limit == from + LONGEST ? limit : -1;
  }

  /** Records shown output. */
  private void note(Stream stream, byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    stream.inLine = bytes[bytes.length - 1] != '\n';
    if (!stream.complete) {
      return;
    }
    byte[] all = joined(stream.cut, bytes);
    int at = 0;
    int end;
    while (at < all.length && (end = endOfLine(all, at)) >= 0) {
      noteLine(stream, digest(all, at, end));
      at = end;
    }
    stream.cut = stream.complete ? Arrays.copyOfRange(all, at, all.length) : new byte[0];
  }

  private void noteLine(Stream stream, long digest) {
    if (allLines == mostLines) {
      stream.complete = false;
    }
    if (!stream.complete) {
      return;
    }
    if (stream.lines == stream.digests.length) {
      stream.digests = Arrays.copyOf(stream.digests, 2 * stream.lines);
    }
    stream.digests[stream.lines++] = digest;
    allLines++;
  }

  private static byte[] joined(byte[] begin, byte[] bytes) {
    if (begin.length == 0) {
      return bytes;
    }
    byte[] joined = Arrays.copyOf(begin, begin.length + bytes.length);
    System.arraycopy(bytes, 0, joined, begin.length, bytes.length);
    return joined;
  }

  /** Returns the FNV-1a digest of 64 bits with a final mix; output is not expected to be forged. */
  private static long digest(byte[] bytes, int from, int to) {
    long hash = 0xcbf29ce484222325L;
    for (int at = from; at < to; at++) {
      hash = (hash ^ (bytes[at] & 0xff)) * 0x100000001b3L;
    }
    return hash ^ (hash >>> 32);
  }
}
