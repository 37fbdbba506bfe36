package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.LeftCheckpoints;
import org.fmi.spi.NodeMemory;
import org.jspecify.annotations.Nullable;

/** The pieces in a node's memory, mapped until they are closed. */
final class NodePieces implements LeftCheckpoints {
  private record Held(Part part, Piece piece, StoredCheckpoint stored) {}

  private final NodeMemory memory;
  private final List<Piece> pieces = new ArrayList<>();
  private final List<Held> intact = new ArrayList<>();

  /**
   * Maps the pieces of all ranks, and compares them with their checksums.
   *
   * @param blockBytes the size of a full block
   */
  NodePieces(NodeMemory memory, int blockBytes) throws IOException {
    this.memory = memory;
    try {
      for (String name : memory.list(NodeMemory.PREFIX)) {
        Piece piece = Piece.open(memory, name);
        pieces.add(piece);
        int rank = NodeMemory.rankOf(name);
        CheckpointHeader header = CheckpointHeader.read(piece.memory());
        int me = header == null ? -1 : header.indexOf(rank);
        if (header == null || me < 0) {
          continue;
        }
        PieceLayout layout = header.layout(me, blockBytes);
        StoredCheckpoint stored = new StoredCheckpoint(piece.memory(), layout);
        if (layout.totalBytes() <= piece.memory().byteSize()
            && stored.isIntact()
            && stored.hasDigestsOf(header.members()[me])) {
          int digest = CheckpointHeader.digest(piece.memory());
          Part part = new Part(rank, header.id(), header.group(), header.losses(), digest);
          intact.add(new Held(part, piece, stored));
        }
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public List<Part> intact() {
    return intact.stream().map(Held::part).toList();
  }

  @Override
  public void keep(List<CheckpointId> needed) throws IOException {
    intact.removeIf(held -> !needed.contains(held.part.id()));
    List<Piece> kept = intact.stream().map(Held::piece).toList();
    for (Piece piece : List.copyOf(pieces)) {
      if (!kept.contains(piece)) {
        pieces.remove(piece);
        piece.unmap();
        memory.delete(piece.name());
      }
    }
  }

  @Override
  public byte @Nullable [] header(int rank, CheckpointId id) {
    Held held = find(rank, id);
    if (held == null) {
      return null;
    }
    int bytes = CheckpointHeader.bytes(held.part.group().length, held.part.losses());
    return held.piece.memory().asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
  }

  @Override
  public byte @Nullable [] block(int rank, CheckpointId id, int chunk, long row) {
    Held held = find(rank, id);
    if (held == null
        || chunk < 0
        || chunk >= held.stored.layout().chunks()
        || row < 0
        || row >= held.stored.layout().blocks()
        || !held.stored.isIntact(chunk, row)) {
      return null;
    }
    byte[] block = new byte[held.stored.layout().storedBytes(chunk, row)];
    if (block.length > 0) {
      MemorySegment.copy(
          held.piece.memory(),
          ValueLayout.JAVA_BYTE,
          held.stored.blockAt(chunk, row),
          block,
          0,
          block.length);
    }
    return block;
  }

  private @Nullable Held find(int rank, CheckpointId id) {
    for (Held held : intact) {
      if (held.part.rank() == rank && held.part.id().equals(id)) {
        return held;
      }
    }
    return null;
  }

  @Override
  public void close() {
    pieces.forEach(Piece::unmap);
    pieces.clear();
    intact.clear();
  }
}
