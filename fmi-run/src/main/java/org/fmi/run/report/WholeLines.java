package org.fmi.run.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which output is written next to one file, so that a line that arrives in parts is written
 * in one piece: all other output waits until its end. The daemons bound the amount. A source that
 * pauses for long in the middle of a line is not waited for. Used by one thread.
 */
final class WholeLines {
  /** A source whose lines never arrive in parts. */
  static final int NONE = -1;

  private record Piece(int source, boolean more, Runnable write) {}

  private final LongSupplier nanoTime;
  private final long pauseNanos;
  private final IntConsumer onPause;
  private final Deque<Piece> waiting = new ArrayDeque<>();

  /** The source of a line that has begun but not ended. */
  private int writer = NONE;

  /** The time of its last write. */
  private long writtenNanos;

  /**
   * @param pauseNanos maximum length of a pause
   * @param onPause receives a source whose pause was longer while other sources waited
   */
  WholeLines(LongSupplier nanoTime, long pauseNanos, IntConsumer onPause) {
    this.nanoTime = nanoTime;
    this.pauseNanos = pauseNanos;
    this.onPause = onPause;
  }

  /**
   * Writes output, or keeps it until that is possible.
   *
   * @param source the source of the output
   * @param more whether more of the last line follows
   */
  void add(int source, boolean more, Runnable write) {
    Piece piece = new Piece(source, more, write);
    if (writer == NONE || writer == source) {
      write(piece);
      writeNext();
    } else {
      waiting.add(piece);
    }
  }

  /** Returns when {@link #look} must be called at the latest. */
  OptionalLong due() {
    return waiting.isEmpty() ? OptionalLong.empty() : OptionalLong.of(writtenNanos + pauseNanos);
  }

  /** Ends a pause that is too long. */
  void look() {
    if (!waiting.isEmpty() && nanoTime.getAsLong() - writtenNanos >= pauseNanos) {
      onPause.accept(writer);
      writer = NONE;
      writeNext();
    }
  }

  /** Writes all waiting output, and waits for no line any more. */
  void release() {
    Piece piece;
    while ((piece = waiting.poll()) != null) {
      write(piece);
    }
    writer = NONE;
  }

  private void writeNext() {
    Piece piece;
    while ((piece = next()) != null) {
      write(piece);
    }
  }

  private void write(Piece piece) {
    piece.write.run();
    writer = piece.more ? piece.source : NONE;
    writtenNanos = nanoTime.getAsLong();
  }

  private @Nullable Piece next() {
    if (writer == NONE) {
      return waiting.poll();
    }
    for (Iterator<Piece> all = waiting.iterator(); all.hasNext(); ) {
      Piece piece = all.next();
      if (piece.source == writer) {
        all.remove();
        return piece;
      }
    }
    return null;
  }
}
