package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.fmi.core.p2p.NativePieces;
import org.fmi.wire.Memory;

/**
 * Where a {@link MessageLog} copies messages to, one behind the other. Each has a position, and
 * knows that of the next one to the same rank:
 *
 * <pre>
 *   0      8     16       24        28   32
 *   | next | tag | length | context | -  | data, up to the next multiple of 8
 * </pre>
 *
 * Memory is used again only behind a line: messages from before may be under way out of it.
 */
final class LogMemory {
  /** Gets a message. */
  interface Reader {
    /** Its data is in {@code memory} from {@code at} on. */
    void message(MemorySegment memory, long at, long length, int context, long tag);
  }

  /** In place of a position. */
  static final long NONE = -1;

  private static final int NEXT = 0;
  private static final int TAG = 8;
  private static final int LENGTH = 16;
  private static final int CONTEXT = 24;
  private static final int HEADER_BYTES = 32;

  /** Bits of a position that are the place in its piece. */
  private static final int PLACE_BITS = 20;

  private static final int LARGEST = 1 << PLACE_BITS;

  /** What is longer has a piece of its own, so that no more than a quarter of a piece is lost. */
  private static final int LONG = LARGEST / 4;

  private final NativePieces pieces = new NativePieces();

  /** The pieces in use, in the order taken, and the number of the first of all that were taken. */
  private final List<MemorySegment> used = new ArrayList<>();

  private long first;

  /** How many of them are from before the mark. */
  private int marked;

  // What counts of it, and of that what is from before the mark.
  private long messages;
  private long bytes;
  private long messagesBefore;
  private long bytesBefore;

  // All that was ever added, until that is cleared.
  private long messagesInAll;
  private long bytesInAll;

  private MemorySegment piece = MemorySegment.NULL;
  private long number;
  private long end;

  /** What a message takes, in bytes. */
  static long bytes(long length) {
    return HEADER_BYTES + ((length + 7) & ~7L);
  }

  /** The most bytes that messages will take. */
  void most(long bytes) {
    pieces.most(bytes);
  }

  /** How many messages count. */
  long messages() {
    return messages;
  }

  /** What they take, in bytes. */
  long bytes() {
    return bytes;
  }

  /** What was added from before the mark counts no more, as it is not needed. */
  void discountBefore() {
    messages -= messagesBefore;
    bytes -= bytesBefore;
    messagesBefore = 0;
    bytesBefore = 0;
  }

  /** Nothing counts any more, as none of it is needed. */
  void discount() {
    messages = 0;
    bytes = 0;
    messagesBefore = 0;
    bytesBefore = 0;
  }

  /** How many messages were ever added. */
  long messagesInAll() {
    return messagesInAll;
  }

  /** What they took, in bytes. */
  long bytesInAll() {
    return bytesInAll;
  }

  /** Forgets what was ever added. */
  void clearAll() {
    messagesInAll = 0;
    bytesInAll = 0;
  }

  /** Bytes of all memory that it has, in use or not. */
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

  /** Says which message to a rank follows another one. */
  void follow(long position, long next) {
    of(position).set(ValueLayout.JAVA_LONG, at(position) + NEXT, next);
  }

  /** The next message to the same rank, or {@link #NONE}. */
  long next(long position) {
    return of(position).get(ValueLayout.JAVA_LONG, at(position) + NEXT);
  }

  /** The length of a message in bytes. */
  long length(long position) {
    return of(position).get(ValueLayout.JAVA_LONG, at(position) + LENGTH);
  }

  /** Shows a message. */
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

  /** What is added from now on is not in the same pieces as what was before. */
  void mark() {
    endPiece();
    marked = used.size();
    messagesBefore = messages;
    bytesBefore = bytes;
  }

  /** What was added before the mark is not needed any more, and nothing of it is under way. */
  void cut() {
    discountBefore();
    giveBack(marked);
    marked = 0;
  }

  /** Nothing is needed any more, or under way. */
  void clear() {
    discount();
    endPiece();
    marked = 0;
    giveBack(used.size());
  }

  /** Frees all memory; nothing of it is in use. */
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
