package org.fmi.ckpt.xor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeSet;
import org.fmi.ckpt.xor.Unchanged.Before;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnreadableException;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of one rank: which of them hold a complete checkpoint, and which are free to be used
 * again. The only truth about that is the header in each piece.
 */
final class Pieces implements AutoCloseable {
  private static final int MIB_SHIFT = 20;

  /** An image that has grown gets this part more. */
  private static final int SPARE_PART = 32;

  private final NodeMemory node;
  private final String prefix;
  private final int[] group;
  private final int me;
  private final int losses;
  private final int blockBytes;
  private final List<Piece> pieces = new ArrayList<>();

  /**
   * What pieces hold, or have held since they were taken last, whose code this process has taken
   * part in: nothing else is known to be whole.
   */
  private final IdentityHashMap<Piece, Before> coded = new IdentityHashMap<>();

  /** Size of all pieces. Read by other threads. */
  private volatile long bytes;

  /**
   * Maps what earlier processes of the rank have left.
   *
   * @param group world ranks
   * @param me index of this rank in it
   * @param losses how many lost members the parity brings back
   * @param blockBytes bytes of a full block
   */
  Pieces(NodeMemory node, int[] group, int me, int losses, int blockBytes) throws IOException {
    this.node = node;
    this.prefix = "ckpt-r" + group[me] + "-";
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

  /** The header of a piece, null if it is free. */
  @Nullable CheckpointHeader header(Piece piece) {
    CheckpointHeader header = CheckpointHeader.read(piece.memory(), group, losses);
    return header != null && layout(header).totalBytes() <= piece.memory().byteSize()
        ? header
        : null;
  }

  /** What lies where in the rank's piece. */
  PieceLayout layout(CheckpointHeader header) {
    return header.layout(me, blockBytes);
  }

  /** Ids of the complete checkpoints, ascending by version. */
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

  /** The piece of a complete checkpoint, null if it is not here. */
  @Nullable Piece find(CheckpointId id) {
    for (Piece piece : pieces) {
      CheckpointHeader header = header(piece);
      if (header != null && header.id().equals(id)) {
        return piece;
      }
    }
    return null;
  }

  /** A checkpoint has become complete in a piece with the code that all members have computed. */
  void coded(Piece piece, CheckpointHeader header) {
    coded.put(piece, new Before(header, layout(header), CheckpointHeader.digest(piece.memory())));
  }

  /** What pieces hold may be from others, or damaged. */
  void trustNone() {
    coded.clear();
  }

  /** Makes the piece of a complete checkpoint free, if there is one. */
  void free(CheckpointId id) {
    Piece piece = find(id);
    if (piece != null) {
      CheckpointHeader.markWriting(piece.memory());
    }
  }

  /** A free piece of at least so many bytes. */
  Taken take(long bytes) throws IOException {
    return take(bytes, null, null);
  }

  /**
   * A piece that was taken.
   *
   * @param before the checkpoint that it held, all of which is still there but for the header; null
   *     if that is not known
   */
  record Taken(Piece piece, @Nullable Before before) {}

  /**
   * A free piece of at least {@code bytes} bytes: the smallest that there is, or a new one in place
   * of all that are too small.
   *
   * @param busy a piece that is not complete but in use, or null
   * @param filler says what it holds; null if that comes later
   * @throws UnreadableException that of the filler
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
      } catch (UnreadableException e) {
        throw e;
      } catch (IOException e) {
        // Whoever reads what is pinned sees that it has changed, and does without.
        best = smallest(pinned, bytes);
        if (best == null) {
          throw new IOException(e.getMessage() + keptForEndedLoops(), e);
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
   * What a new piece gets. An image that has become larger will do so again, as those of overlapped
   * checkpoints hold messages: each time it would need another piece, and all of its code anew.
   */
  private long roomy(long bytes) {
    boolean grows = pieces.stream().anyMatch(piece -> piece.memory().byteSize() < bytes);
    return grows ? bytes + bytes / SPARE_PART : bytes;
  }

  /** A new piece, with no more than what is needed if memory is short. */
  private Piece create(long roomy, long bytes, NodeMemory.@Nullable Filler filler)
      throws IOException {
    if (roomy > bytes) {
      try {
        return Piece.create(node, unusedName(), roomy, filler);
      } catch (IOException e) {
        // What matters is whether there is room for what is needed.
      }
    }
    return Piece.create(node, unusedName(), bytes, filler);
  }

  /** What is not given up however short memory is; empty if there is nothing. */
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
        : "; final checkpoints of loops that have ended (%d, %d MiB) stay until the job ends: one loop in place of many, or a disk of the node (--node-dir), would help"
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
   * Keeps a piece from being used again as long as it has another name.
   *
   * @return that name; null if this memory gives none
   */
  @Nullable String pin(Piece piece, String as) throws IOException {
    String name = as + piece.name();
    return node.link(piece.name(), name) ? name : null;
  }

  /**
   * What all will take once a piece of this size is complete and another one of its size too: the
   * complete one that is released meanwhile, the last of its loop apart, is then used again.
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

  /** The memory that they take, in bytes. Any thread. */
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
