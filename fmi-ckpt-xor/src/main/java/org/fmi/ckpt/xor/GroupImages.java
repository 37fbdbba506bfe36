package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * The images of one checkpoint of a group, after the ranks that wrote them have ended: reads the
 * blocks of their pieces. A block of a member that is lost is computed from the other members'
 * blocks of its stripe, so only that stripe's row is read.
 */
public final class GroupImages {
  /** Blocks kept: of a stripe, or of a sequential read. */
  private static final int KEPT = 8;

  /** The members' pieces, wherever they are. */
  public interface Blocks {
    /**
     * Reads the stored bytes of a block.
     *
     * @param rank the world rank of the member
     * @return null if the member's piece is lost or the block is damaged
     */
    byte @Nullable [] read(int rank, int chunk, long row) throws IOException;
  }

  /** A block of a member. */
  private record At(int member, int chunk, long row) {}

  private final CheckpointHeader header;
  private final int[] group;
  private final Stripes stripes;
  private final PieceLayout[] layouts;
  private final Blocks blocks;
  private final Map<At, byte[]> kept = new LinkedHashMap<>();

  /** Members whose blocks could not be read. */
  private final BitSet lost = new BitSet();

  /**
   * @param copy the header, as {@link org.fmi.spi.LeftCheckpoints#header} returns it
   * @param group the world ranks of the group, ascending
   * @param losses the number of lost members that the group's code can rebuild
   * @param blockBytes the size of a full block
   * @throws IOException if the header is damaged
   */
  public GroupImages(byte[] copy, int[] group, int losses, int blockBytes, Blocks blocks)
      throws IOException {
    CheckpointHeader read = CheckpointHeader.read(MemorySegment.ofArray(copy), group, losses);
    if (read == null) {
      throw new IOException("the header of a checkpoint arrived corrupt");
    }
    this.header = read;
    this.group = group.clone();
    this.stripes = new Stripes(group.length, losses);
    this.layouts = new PieceLayout[group.length];
    Arrays.setAll(layouts, i -> read.layout(i, blockBytes));
    this.blocks = blocks;
  }

  /** The size of a rank's image. */
  public long bytes(int rank) {
    return layouts[member(rank)].imageBytes();
  }

  private int member(int rank) {
    int member = Arrays.binarySearch(group, rank);
    if (member < 0) {
      throw new IllegalArgumentException(rank + " is not in the group " + Arrays.toString(group));
    }
    return member;
  }

  /**
   * Reads a part of a rank's image.
   *
   * @throws IOException if the group has lost more than its code can rebuild
   */
  public void read(int rank, long at, MemorySegment into) throws IOException {
    int member = member(rank);
    PieceLayout layout = layouts[member];
    if (at < 0 || at + into.byteSize() > layout.imageBytes()) {
      throw new IOException(
          "the image of rank %d has %d bytes, and ends before %d"
              .formatted(rank, layout.imageBytes(), at + into.byteSize()));
    }
    for (long done = 0; done < into.byteSize(); ) {
      long row = Math.min((at + done) / layout.rowBytes(), layout.fullRows());
      long inRow = at + done - row * layout.rowBytes();
      int chunk = (int) (inRow / layout.blockBytes(row));
      int inBlock = (int) (inRow % layout.blockBytes(row));
      byte[] block = block(member, chunk, row);
      long bytes = Math.min(into.byteSize() - done, layout.blockBytes(row) - inBlock);
      MemorySegment.copy(MemorySegment.ofArray(block), inBlock, into, done, bytes);
      done += bytes;
    }
  }

  private byte[] block(int member, int chunk, long row) throws IOException {
    byte[] block = stored(member, chunk, row);
    return block == null ? rebuild(new At(member, chunk, row)) : block;
  }

  /** A block as it is stored; null if it is lost. */
  private byte @Nullable [] stored(int member, int chunk, long row) throws IOException {
    At at = new At(member, chunk, row);
    byte[] block = kept.get(at);
    if (block == null && !lost.get(member)) {
      block = blocks.read(group[member], chunk, row);
      if (block == null) {
        lost.set(member);
      } else if (block.length != layouts[member].storedBytes(chunk, row)) {
        throw new IOException("a block of rank " + group[member] + " has a wrong size");
      } else {
        keep(at, block);
      }
    }
    return block;
  }

  private void keep(At at, byte[] block) {
    if (kept.size() >= KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
    kept.put(at, block);
  }

  private byte[] rebuild(At missing) throws IOException {
    int stripe = stripes.stripe(missing.member, missing.chunk + stripes.losses());
    Sums sums = null;
    while (sums == null) {
      requireRebuildable();
      sums = sums(stripe, missing.row);
    }
    byte[] block = new byte[layouts[missing.member].storedBytes(missing.chunk, missing.row)];
    int place = missing.chunk + stripes.losses();
    sums.copyTo(place, MemorySegment.ofArray(block), 0, block.length);
    keep(missing, block);
    return block;
  }

  private void requireRebuildable() throws IOException {
    if (lost.cardinality() > stripes.losses()) {
      CheckpointId id = header.id();
      throw new IOException(
          "the checkpoint of iteration "
              + id.iteration()
              + " is lost for good: ranks "
              + Arrays.toString(lost.stream().map(i -> group[i]).toArray())
              + " of one checkpoint group lost their parts or found them damaged, and the group's"
              + " code rebuilds "
              + stripes.losses());
    }
  }

  /** Solves a row of a stripe; null if one more member turned out to be lost. */
  private @Nullable Sums sums(int stripe, long row) throws IOException {
    Erasures erasures =
        new Erasures(stripes, lost.stream().map(member -> stripes.place(stripe, member)).toArray());
    int bytes = layouts[0].blockBytes(row);
    Sums sums = new Sums(stripes.losses(), bytes);
    sums.begin(erasures, bytes);
    for (int place = stripes.losses(); place < stripes.members(); place++) {
      byte[] block = erasures.needs(place) ? at(stripe, place, row) : new byte[0];
      if (block == null) {
        return null;
      }
      sums.addData(MemorySegment.ofArray(block), 0, block.length);
    }
    for (int place = 0; place < stripes.losses(); place++) {
      byte[] block = erasures.needs(place) ? at(stripe, place, row) : new byte[0];
      if (block == null) {
        return null;
      }
      if (erasures.needs(place)) {
        sums.addSum(place, MemorySegment.ofArray(block), 0);
      }
    }
    sums.solve();
    return sums;
  }

  private byte @Nullable [] at(int stripe, int place, long row) throws IOException {
    return stored(stripes.member(stripe, place), stripes.chunk(place), row);
  }
}
