package org.fmi.run.daemon;

import java.util.Arrays;

/**
 * Cuts a stream of bytes into whole lines. Keeps no more than one line of bounded length: a longer
 * one is passed on in pieces.
 */
final class LineAssembler {
  /** A line is kept together up to this many bytes. */
  static final int MAX_LINE = 64 << 10;

  private byte[] kept = new byte[256];
  private int length;

  /** Takes what comes out; the array is the receiver's. */
  interface Sink {
    void accept(byte[] bytes) throws InterruptedException;
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
      sink.accept(lines);
    }
    int rest = count - end;
    if (length + rest > MAX_LINE) {
      flush(sink);
    }
    if (kept.length - length < rest) {
      kept = Arrays.copyOf(kept, Math.max(kept.length * 2, length + rest));
    }
    System.arraycopy(bytes, end, kept, length, rest);
    length += rest;
  }

  /** Passes on what is left, though its line has not ended. */
  void flush(Sink sink) throws InterruptedException {
    if (length > 0) {
      byte[] piece = Arrays.copyOf(kept, length);
      length = 0;
      sink.accept(piece);
    }
  }
}
