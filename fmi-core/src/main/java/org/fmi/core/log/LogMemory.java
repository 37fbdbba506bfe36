package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.fmi.core.p2p.NativePieces;
import org.fmi.wire.Memory;

/**
 * Memory for a {@link MessageLog}'s copies of messages, one after the other. Each copy has a
 * position, and stores the position of the next one to the same rank:
 *
 * <pre>
 *   0      8     16       24        28   32
 *   | next | tag | length | context | -  | data, up to the next multiple of 8
 * </pre>
 *
 * Memory is reused only after a recovery line: until then messages may be on their way out of it.
 */
final class LogMemory {
  /** Receives a message from the log. */
  interface Reader {
    /** The data is in {@code memory} from {@code at} on. */
    void message(MemorySegment memory, long at, long length, int context, long tag);
  }

  /** Stands for a position where there is none. */
  static final long NONE = -1;

  private static final int NEXT = 0;
  private static final int TAG = 8;
  private static final int LENGTH = 16;
  private static final int CONTEXT = 24;
  private static final int HEADER_BYTES = 32;

  /** Bits of a position that hold the offset in its piece. */
  private static final int PLACE_BITS = 20;

  private static final int LARGEST = 1 << PLACE_BITS;

  /** Longer messages have a dedicated piece, so that at most a quarter of a piece is wasted. */
  private static final int LONG = LARGEST / 4;

  private final NativePieces pieces = new NativePieces();

  /** The pieces in use, in the order taken; {@link #first} is the number of the first one. */
  private final List<MemorySegment> used = new ArrayList<>();

  private long first;

  /** Number of pieces from before the mark. */
  private int marked;

  // Messages that count, and the part of them from before the mark.
  private long messages;
  private long bytes;
  private long messagesBefore;
  private long bytesBefore;

  // All messages added since the last clearAll.
  private long messagesInAll;
  private long bytesInAll;

  private MemorySegment piece = MemorySegment.NULL;
  private long number;
  private long end;

  /** The size of a message in the log, in bytes. */
  static long bytes(long length) {
    return HEADER_BYTES + ((length + 7) & ~7L);
  }

  /** Sets the maximum size, in bytes. */
  void most(long bytes) {
    pieces.most(bytes);
  }

  /** The number of messages that count. */
  long messages() {
    return messages;
  }

  /** Their size, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Stops counting messages from before the mark, which are not needed. */
  void discountBefore() {
    messages -= messagesBefore;
    bytes -= bytesBefore;
    messagesBefore = 0;
    bytesBefore = 0;
  }

  /** Stops counting all messages, which are not needed. */
  void discount() {
    messages = 0;
    bytes = 0;
    messagesBefore = 0;
    bytesBefore = 0;
  }

  /** The number of messages added since {@link #clearAll}. */
  long messagesInAll() {
    return messagesInAll;
  }

  /** Their size, in bytes. */
  long bytesInAll() {
    return bytesInAll;
  }

  /** Resets the totals. */
  void clearAll() {
    messagesInAll = 0;
    bytesInAll = 0;
  }

  /** The size of the memory held, in use or not, in bytes. */
  long held() {
    return pieces.held();
  }

  /**
   * Copies a message.
   *
   * @return its position, or {@link #NONE} if there is no memory
   */
  long add(int context, long tag, Object base, long offset, long length) {
    long more = bytes(length);
    MemorySegment to = piece;
    long at = end;
    long position = (number << PLACE_BITS) | at;
    if (more > LONG) {
      MemorySegment own = pieces.take(more, more, 2 * more);
      if (own == null) {
        return NONE;
      }
      to = own;
      at = 0;
      position = use(own) << PLACE_BITS;
    } else if (at + more > to.byteSize()) {
      long wanted = Math.clamp(Long.highestOneBit(pieces.held()), NativePieces.SMALLEST, LARGEST);
      MemorySegment next = pieces.take(more, Math.max(wanted, pieceFor(more)), LARGEST);
      if (next == null) {
        return NONE;
      }
      piece = next;
      number = use(next);
      to = next;
      at = 0;
      end = more;
      position = number << PLACE_BITS;
    } else {
      end += more;
    }
    to.set(ValueLayout.JAVA_LONG, at + NEXT, NONE);
    to.set(ValueLayout.JAVA_LONG, at + TAG, tag);
    to.set(ValueLayout.JAVA_LONG, at + LENGTH, length);
    to.set(ValueLayout.JAVA_INT, at + CONTEXT, context);
    Memory.toSegment(base, offset, to, at + HEADER_BYTES, length);
    messages++;
    bytes += more;
    messagesInAll++;
    bytesInAll += more;
    return position;
  }

  private static long pieceFor(long bytes) {
    return 4 * Long.highestOneBit(bytes);
  }

  private long use(MemorySegment next) {
    used.add(next);
    return first + used.size() - 1;
  }

  private MemorySegment of(long position) {
    return used.get((int) ((position >> PLACE_BITS) - first));
  }

  private static long at(long position) {
    return position & (LARGEST - 1);
  }

  /** Links a message to the next one to the same rank. */
  void follow(long position, long next) {
    of(position).set(ValueLayout.JAVA_LONG, at(position) + NEXT, next);
  }

  /** The next message to the same rank, or {@link #NONE}. */
  long next(long position) {
    return of(position).get(ValueLayout.JAVA_LONG, at(position) + NEXT);
  }

  /** The length of a message, in bytes. */
  long length(long position) {
    return of(position).get(ValueLayout.JAVA_LONG, at(position) + LENGTH);
  }

  /** Passes a message to a reader. */
  void read(long position, Reader reader) {
    MemorySegment from = of(position);
    long at = at(position);
    reader.message(
        from,
        at + HEADER_BYTES,
        from.get(ValueLayout.JAVA_LONG, at + LENGTH),
        from.get(ValueLayout.JAVA_INT, at + CONTEXT),
        from.get(ValueLayout.JAVA_LONG, at + TAG));
  }

  /** Begins a new piece, so that no piece has messages from before and after the mark. */
  void mark() {
    endPiece();
    marked = used.size();
    messagesBefore = messages;
    bytesBefore = bytes;
  }

  /** Frees the messages from before the mark, which are not needed or under way any more. */
  void cut() {
    discountBefore();
    giveBack(marked);
    marked = 0;
  }

  /** Frees all messages, which are not needed or under way any more. */
  void clear() {
    discount();
    endPiece();
    marked = 0;
    giveBack(used.size());
  }

  /** Returns all memory to the system; no message is left. */
  void free() {
    assert used.isEmpty() : "memory is freed that is in use";
    pieces.drop();
  }

  private void endPiece() {
    piece = MemorySegment.NULL;
    end = 0;
  }

  private void giveBack(int count) {
    List<MemorySegment> before = used.subList(0, count);
    before.forEach(pieces::give);
    before.clear();
    first += count;
  }
}
