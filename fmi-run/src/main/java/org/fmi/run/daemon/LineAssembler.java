package org.fmi.run.daemon;

import java.util.Arrays;

/**
 * Splits a stream of bytes into whole lines. Keeps at most one line of bounded length: a longer
 * line is forwarded in parts.
 */
final class LineAssembler {
  /** A line is kept together up to this many bytes. */
  private final int mostBytes;

  private byte[] kept = new byte[256];
  private int length;

  /** Whether a part of a line was forwarded, but not its end. */
  private boolean inLine;

  LineAssembler(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Receives the output; the array belongs to the receiver. */
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
    if (length + rest > mostBytes && length > 0) {
      inLine = true;
      sink.accept(taken(), true);
    }
    if (kept.length - length < rest) {
      kept = Arrays.copyOf(kept, Math.max(kept.length * 2, length + rest));
    }
    System.arraycopy(bytes, end, kept, length, rest);
    length += rest;
  }

  /** Forwards the rest at the end of the stream, though its line has not ended. */
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
