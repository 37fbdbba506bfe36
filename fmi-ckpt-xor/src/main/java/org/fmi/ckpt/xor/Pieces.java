package org.fmi.ckpt.xor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeSet;
import org.fmi.ckpt.xor.Unchanged.Before;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of one rank: which of them hold a complete checkpoint, and which are free. The header
 * in each piece is the only source of this information.
 */
final class Pieces implements AutoCloseable {
  private static final int MIB_SHIFT = 20;

  /** The divisor of the extra room for an image that has grown. */
  private static final int SPARE_PART = 32;

  private final NodeMemory node;
  private final String prefix;
  private final int[] group;
  private final int me;
  private final int losses;
  private final int blockBytes;
  private final List<Piece> pieces = new ArrayList<>();

  /**
   * Checkpoints in pieces, current or overwritten only in the header, in whose encoding this
   * process took part. All others may be incomplete.
   */
  private final IdentityHashMap<Piece, Before> coded = new IdentityHashMap<>();

  /** The size of all pieces. Read by other threads. */
  private volatile long bytes;

  /**
   * Maps the pieces left by earlier processes of the rank.
   *
   * @param group world ranks
   * @param me the index of this rank in it
   * @param losses the number of lost members that the parity can rebuild
   * @param blockBytes the size of a full block
   */
  Pieces(NodeMemory node, int[] group, int me, int losses, int blockBytes) throws IOException {
    this.node = node;
    this.prefix = NodeMemory.prefix(group[me]);
    this.group = group;
    this.me = me;
    this.losses = losses;
    this.blockBytes = blockBytes;
    try {
      for (String name : node.list(prefix)) {
        pieces.add(Piece.open(node, name));
      }
      measure();
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The header of a piece; null if it is free. */
  @Nullable CheckpointHeader header(Piece piece) {
    CheckpointHeader header = CheckpointHeader.read(piece.memory(), group, losses);
    return header != null && layout(header).totalBytes() <= piece.memory().byteSize()
        ? header
        : null;
  }

  /** The layout of this rank's piece. */
  PieceLayout layout(CheckpointHeader header) {
    return header.layout(me, blockBytes);
  }

  /** The ids of the complete checkpoints, ascending by version. */
  List<CheckpointId> complete() {
    List<CheckpointId> ids = new ArrayList<>();
    for (Piece piece : pieces) {
      CheckpointHeader header = header(piece);
      if (header != null) {
        ids.add(header.id());
      }
    }
    ids.sort(Comparator.comparingLong(CheckpointId::version));
    return ids;
  }

  /** The piece of a complete checkpoint; null if it is not here. */
  @Nullable Piece find(CheckpointId id) {
    for (Piece piece : pieces) {
      CheckpointHeader header = header(piece);
      if (header != null && header.id().equals(id)) {
        return piece;
      }
    }
    return null;
  }

  /** Notes that a checkpoint has become complete in a piece, with code computed by all members. */
  void coded(Piece piece, CheckpointHeader header) {
    coded.put(piece, new Before(header, layout(header), CheckpointHeader.digest(piece.memory())));
  }

  /** Drops all knowledge of pieces, as they may come from other processes or be damaged. */
  void trustNone() {
    coded.clear();
  }

  /** Frees the piece of a complete checkpoint, if there is one. */
  void free(CheckpointId id) {
    Piece piece = find(id);
    if (piece != null) {
      CheckpointHeader.markWriting(piece.memory());
    }
  }

  /** A free piece of at least this size. */
  Taken take(long bytes) throws IOException {
    return take(bytes, null, null);
  }

  /**
   * A piece taken for a new checkpoint.
   *
   * @param before its previous checkpoint, all of which is still there except the header; null if
   *     unknown
   */
  record Taken(Piece piece, @Nullable Before before) {}

  /**
   * A free piece of at least {@code bytes} bytes: the smallest one, or a new one that replaces all
   * that are too small.
   *
   * @param busy a piece that is in use although not complete, or null
   * @param filler provides its content; null if it is written later
   * @throws org.fmi.spi.UnreadableException if the filler throws it
   * @throws NoRoomException if there is no room; nothing is taken then
   */
  Taken take(long bytes, @Nullable Piece busy, NodeMemory.@Nullable Filler filler)
      throws IOException {
    List<Piece> free = new ArrayList<>();
    List<Piece> pinned = new ArrayList<>();
    for (Piece piece : pieces) {
      if (!piece.equals(busy) && header(piece) == null) {
        (node.isLinked(piece.name()) ? pinned : free).add(piece);
      }
    }
    Piece best = smallest(free, bytes);
    if (best == null) {
      long roomy = filler == null ? roomy(bytes) : bytes;
      for (Piece piece : free) {
        delete(piece);
      }
      try {
        Piece created = create(roomy, bytes, filler);
        pieces.add(created);
        measure();
        CheckpointHeader.markWriting(created.memory());
        return new Taken(created, null);
      } catch (NoRoomException e) {
        // A reader of a pinned image will notice the change, and give up.
        best = smallest(pinned, bytes);
        if (best == null) {
          throw new NoRoomException(e.getMessage() + keptForEndedLoops(), e);
        }
      }
    }
    CheckpointHeader.markWriting(best.memory());
    Before before = coded.remove(best);
    if (filler != null) {
      filler.fill(best.memory());
    }
    return new Taken(best, before);
  }

  /**
   * The size of a new piece. An image that has grown once will grow again, as asynchronous
   * checkpoints contain messages; without spare room, each growth would cost a new piece and a
   * complete encoding.
   */
  private long roomy(long bytes) {
    boolean grows = pieces.stream().anyMatch(piece -> piece.memory().byteSize() < bytes);
    return grows ? bytes + bytes / SPARE_PART : bytes;
  }

  /** Creates a piece, without spare room if memory is short. */
  private Piece create(long roomy, long bytes, NodeMemory.@Nullable Filler filler)
      throws IOException {
    if (roomy > bytes) {
      try {
        return Piece.create(node, unusedName(), roomy, filler);
      } catch (NoRoomException e) {
        // Only a lack of the needed room matters.
      }
    }
    return Piece.create(node, unusedName(), bytes, filler);
  }

  /** A message about pieces that are never given up; empty if there are none. */
  private String keptForEndedLoops() {
    int loops = 0;
    long kept = 0;
    for (Piece piece : pieces) {
      CheckpointHeader header = header(piece);
      if (header != null && header.id().last()) {
        loops++;
        kept += piece.memory().byteSize();
      }
    }
    return loops == 0
        ? ""
        : "; the final checkpoints of %d ended loops (%d MiB) stay until the job ends: use one loop instead of many, or a disk of the node (--node-dir)"
            .formatted(loops, Math.ceilDiv(kept, 1L << MIB_SHIFT));
  }

  private static @Nullable Piece smallest(List<Piece> of, long bytes) {
    Piece best = null;
    for (Piece piece : of) {
      long size = piece.memory().byteSize();
      if (size >= bytes && (best == null || size < best.memory().byteSize())) {
        best = piece;
      }
    }
    return best;
  }

  /**
   * Prevents reuse of a piece as long as it has another name.
   *
   * @return that name; null if this memory does not support it
   */
  @Nullable String pin(Piece piece, String as) throws IOException {
    String name = as + piece.name();
    return node.link(piece.name(), name) ? name : null;
  }

  /**
   * The size of all pieces once one of this size is complete and the next one, of the same size,
   * too. The complete piece that is released in between is reused, unless it is the last of its
   * loop.
   */
  long forecast(long size) {
    int wanted = 2;
    long all = 0;
    for (Piece piece : pieces) {
      CheckpointHeader header = header(piece);
      boolean stays = header != null && header.id().last();
      if (stays || (piece.memory().byteSize() >= size && wanted > 0)) {
        all += piece.memory().byteSize();
        wanted -= stays ? 0 : 1;
      }
    }
    return all + wanted * roomy(size);
  }

  void delete(Piece piece) throws IOException {
    pieces.remove(piece);
    coded.remove(piece);
    piece.unmap();
    node.delete(piece.name());
    measure();
  }

  private void measure() {
    bytes = pieces.stream().mapToLong(piece -> piece.memory().byteSize()).sum();
  }

  /** The memory of all pieces, in bytes. Any thread. */
  long bytes() {
    return bytes;
  }

  private String unusedName() {
    TreeSet<String> used = new TreeSet<>();
    for (Piece piece : pieces) {
      used.add(piece.name());
    }
    int number = 0;
    while (used.contains(prefix + number)) {
      number++;
    }
    return prefix + number;
  }

  @Override
  public void close() {
    for (Piece piece : pieces) {
      piece.unmap();
    }
    pieces.clear();
    coded.clear();
  }
}
