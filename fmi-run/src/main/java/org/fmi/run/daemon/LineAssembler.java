package org.fmi.run.daemon;

import java.util.Arrays;

/**
 * Cuts a stream of bytes into whole lines. Keeps no more than one line of bounded length: a longer
 * one is passed on in parts.
 */
final class LineAssembler {
  /** A line is kept together up to this many bytes. */
  static final int MAX_LINE = 64 << 10;

  private byte[] kept = new byte[256];
  private int length;

  /** Whether a part of a line was passed on, and not its end. */
  private boolean inLine;

  /** Takes what comes out; the array is the receiver's. */
  interface Sink {
    /**
     * @param more whether more of the last line follows
     */
    void accept(byte[] bytes, boolean more) throws InterruptedException;
  }

  void feed(byte[] bytes, int count, Sink sink) throws InterruptedException {
    int end = count;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    if (end > 0) {
      byte[] lines = Arrays.copyOf(kept, length + end);
      System.arraycopy(bytes, 0, lines, length, end);
      length = 0;
      inLine = false;
      sink.accept(lines, false);
    }
    int rest = count - end;
    if (length + rest > MAX_LINE && length > 0) {
      inLine = true;
      sink.accept(taken(), true);
    }
    if (kept.length - length < rest) {
      kept = Arrays.copyOf(kept, Math.max(kept.length * 2, length + rest));
    }
    System.arraycopy(bytes, end, kept, length, rest);
    length += rest;
  }

  /** Nothing follows: passes on what is left, though its line has not ended. */
  void end(Sink sink) throws InterruptedException {
    if (length > 0 || inLine) {
      inLine = false;
      sink.accept(taken(), false);
    }
  }

  private byte[] taken() {
    byte[] part = Arrays.copyOf(kept, length);
    length = 0;
    return part;
  }
}
