package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Copies of messages whose sends are complete and that their peers have not taken yet: buffered
 * sends in the room that the program has attached, or standard sends in the rank's own.
 *
 * <p>Copies are off the heap in pieces, each with consecutive messages to one peer. A peer takes
 * its messages roughly in order, so a piece soon becomes free as a whole.
 */
final class SendBuffer {
  /** Memory for copies of messages to one peer. */
  static final class Piece {
    private final MemorySegment memory;
    private long end;
    private int messages;

    Piece(MemorySegment memory) {
      this.memory = memory;
    }
  }

  private static final int PIECE_BYTES = 64 << 10;

  /** The most memory that an empty buffer holds. */
  private static final long KEPT_BYTES = 16 << 20;

  private final int messageCost;
  private final NativePieces pieces = new NativePieces();

  /** By peer, the piece for its next message. */
  private final @Nullable Piece[] filling;

  private long bytes;
  private long used;

  /**
   * A buffer without room.
   *
   * @param size the number of ranks
   * @param messageCost the room that a message takes in addition to its length
   */
  SendBuffer(int size, int messageCost) {
    this.filling = new Piece[size];
    this.messageCost = messageCost;
  }

  /** Begins an epoch without pending copies. */
  void reset() {
    Arrays.fill(filling, null);
    pieces.drop();
    used = 0;
  }

  /** The total room in bytes, free or not. */
  long bytes() {
    return bytes;
  }

  /** Sets the total room, even below the amount in use. */
  void room(long newBytes) {
    bytes = newBytes;
    pieces.most(newBytes);
  }

  boolean inUse() {
    return used > 0;
  }

  boolean hasRoom(long length) {
    return length + messageCost <= bytes - used;
  }

  /** Prepares a request as the send of a copy, for which there is room. */
  void prepare(
      MessageRequest r, Object base, long offset, long length, int dest, int context, long tag) {
    take(length);
    Piece piece = pieceFor(dest, length);
    long at = piece.end;
    piece.end += (length + 7) & ~7L;
    piece.messages++;
    Memory.toSegment(base, offset, piece.memory, at, length);
    r.prepareSend(piece.memory, at, length, dest, context, tag, Mode.STANDARD);
    r.buffer = this;
    r.detached = true;
    r.piece = piece;
  }

  private Piece pieceFor(int dest, long length) {
    Piece piece = filling[dest];
    if (piece != null && piece.end + length <= piece.memory.byteSize()) {
      return piece;
    }
    if (length > PIECE_BYTES) {
      return new Piece(memory(length, 2 * length));
    }
    Piece next = new Piece(memory(PIECE_BYTES, PIECE_BYTES));
    filling[dest] = next;
    if (piece != null && piece.messages == 0) {
      giveBack(piece);
    }
    return next;
  }

  private MemorySegment memory(long length, long largest) {
    MemorySegment memory = pieces.take(length, length, largest);
    return memory != null ? memory : MessagePool.memory(length);
  }

  /** Frees the copy of a completed send. */
  void give(MessageRequest r) {
    Piece piece = r.piece;
    r.piece = null;
    if (piece != null && --piece.messages == 0) {
      if (piece == filling[r.peer]) {
        piece.end = 0;
      } else {
        giveBack(piece);
      }
    }
    give(r.bytes);
  }

  private void giveBack(Piece piece) {
    if (piece.memory.isNative()) {
      pieces.give(piece.memory);
    }
  }

  /** Takes room for a message of this length. */
  void take(long length) {
    used += length + messageCost;
    assert used <= bytes : "a message is copied that there is no room for";
  }

  /** Frees the room of a message of this length. */
  void give(long length) {
    used -= length + messageCost;
    assert used >= 0 : "more room was given back than taken";
    if (used == 0 && pieces.held() > KEPT_BYTES) {
      Arrays.fill(filling, null);
      pieces.drop();
    }
  }

  /** The error of a buffered send that does not fit. */
  FmiException refusal(long length) {
    return new FmiException(
        ErrorClass.BUFFER,
        "a buffered send of "
            + length
            + " bytes does not fit: "
            + used
            + " of "
            + bytes
            + " attached bytes are in use; attach a larger buffer");
  }
}
