package org.fmi.run.report;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Shows the output of ranks once, when all processes start again and print from the beginning: what
 * repeats what was shown is left out, line by line, up to the first line that differs. Keeps eight
 * bytes per line, of a bounded number of lines; what was shown beyond them is shown again. Used by
 * one thread.
 */
final class ShownOnce {
  private static final int MOST_LINES = 4 << 20;

  /** Of a line that is compared; a longer one is shown again. */
  private static final int MOST_CUT = 64 << 10;

  /** One stream of one rank. */
  private static final class Stream {
    long[] digests = new long[16];
    int lines;

    /** What was shown of a line that has not ended. */
    byte[] cut = {};

    /** Whether all that was shown is known. */
    boolean complete = true;

    /** The line that the process, started again, prints next; -1 if it prints what is new. */
    int next = -1;
  }

  private final IntConsumer onDifference;
  private final int mostLines;
  private final Map<Long, Stream> streams = new HashMap<>();
  private int allLines;

  /**
   * @param onDifference hears of a rank whose output differs from what was shown
   */
  ShownOnce(IntConsumer onDifference) {
    this(onDifference, MOST_LINES);
  }

  ShownOnce(IntConsumer onDifference, int mostLines) {
    this.onDifference = onDifference;
    this.mostLines = mostLines;
  }

  private Stream stream(int rank, boolean error) {
    return streams.computeIfAbsent(2L * rank + (error ? 1 : 0), _ -> new Stream());
  }

  /** A rank prints from the beginning. */
  void restart(int rank) {
    stream(rank, false).next = 0;
    stream(rank, true).next = 0;
  }

  /**
   * What is to be shown.
   *
   * @param bytes whole lines, or a piece of one
   * @param open whether the last thing shown was this rank's line that has not ended
   */
  byte[] filter(int rank, boolean error, byte[] bytes, boolean open) {
    Stream stream = stream(rank, error);
    if (stream.next < 0) {
      note(stream, bytes);
      return bytes;
    }
    int at = 0;
    while (at < bytes.length && stream.next >= 0) {
      int end = at;
      while (end < bytes.length && bytes[end] != '\n') {
        end++;
      }
      boolean whole = end < bytes.length;
      byte[] line = Arrays.copyOfRange(bytes, at, whole ? end + 1 : end);
      if (stream.next < stream.lines) {
        if (!whole || digest(line) != stream.digests[stream.next]) {
          return differs(stream, rank, bytes, at);
        }
        stream.next++;
        at += line.length;
      } else {
        return atTheEnd(stream, rank, bytes, at, line, open);
      }
    }
    return new byte[0];
  }

  /** All whole lines were repeated: what comes now is new, or completes a line that was cut. */
  private byte[] atTheEnd(
      Stream stream, int rank, byte[] bytes, int at, byte[] line, boolean open) {
    byte[] cut = stream.cut;
    if (startsWith(cut, line)) {
      return new byte[0]; // cut again, no later than before
    }
    if (!startsWith(line, cut)) {
      return differs(stream, rank, bytes, at);
    }
    stream.next = -1;
    stream.cut = new byte[0];
    byte[] rest = Arrays.copyOfRange(bytes, at, bytes.length);
    note(stream, rest);
    return open ? Arrays.copyOfRange(rest, cut.length, rest.length) : rest;
  }

  private byte[] differs(Stream stream, int rank, byte[] bytes, int at) {
    // What it prints now is what it will print the next time.
    allLines -= stream.lines - stream.next;
    stream.lines = stream.next;
    stream.next = -1;
    stream.cut = new byte[0];
    if (stream.complete) {
      onDifference.accept(rank);
    }
    byte[] rest = Arrays.copyOfRange(bytes, at, bytes.length);
    note(stream, rest);
    return rest;
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return prefix.length <= bytes.length
        && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** It is shown. */
  private void note(Stream stream, byte[] bytes) {
    if (!stream.complete) {
      return;
    }
    int at = 0;
    for (int end = 0; end < bytes.length; end++) {
      if (bytes[end] == '\n') {
        noteLine(stream, joined(stream.cut, bytes, at, end + 1));
        stream.cut = new byte[0];
        at = end + 1;
      }
    }
    if (at < bytes.length) {
      stream.cut = joined(stream.cut, bytes, at, bytes.length);
      stream.complete = stream.cut.length <= MOST_CUT;
      if (!stream.complete) {
        stream.cut = new byte[0];
      }
    }
  }

  private void noteLine(Stream stream, byte[] line) {
    if (allLines == mostLines) {
      stream.complete = false;
      return;
    }
    if (stream.lines == stream.digests.length) {
      stream.digests = Arrays.copyOf(stream.digests, 2 * stream.lines);
    }
    stream.digests[stream.lines++] = digest(line);
    allLines++;
  }

  private static byte[] joined(byte[] cut, byte[] bytes, int from, int to) {
    if (cut.length == 0) {
      return Arrays.copyOfRange(bytes, from, to);
    }
    ByteArrayOutputStream joined = new ByteArrayOutputStream(cut.length + to - from);
    joined.writeBytes(cut);
    joined.write(bytes, from, to - from);
    return joined.toByteArray();
  }

  /** FNV-1a of 64 bits, and a last mixing: nobody forges output to have it left out. */
  private static long digest(byte[] line) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : line) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return hash ^ (hash >>> 32);
  }
}
