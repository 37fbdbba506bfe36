package org.fmi.examples.himeno;

import org.fmi.Comm;
import org.fmi.Slice;
import org.fmi.examples.ProcessGrid;

/** Updates the layer around a block with its neighbours' results. */
final class Halo {
  private static final int TAG = 1;

  private final Comm world;
  private final Block block;
  private final int before;
  private final int behind;
  private final int left;
  private final int right;
  private final float[] outgoing;
  private final float[] incoming;

  /** Blocks are divided in direction i among the grid's rows, in direction j among its columns. */
  Halo(Comm world, ProcessGrid grid, Block block) {
    this.world = world;
    this.block = block;
    int row = grid.row(world.rank());
    int col = grid.col(world.rank());
    before = grid.rank(row - 1, col);
    behind = grid.rank(row + 1, col);
    left = grid.rank(row, col - 1);
    right = grid.rank(row, col + 1);
    outgoing = new float[block.ni * block.nk];
    incoming = new float[block.ni * block.nk];
  }

  /**
   * Exchanges the outermost points. First in direction j, then whole planes in direction i, edges
   * included: so the points across an edge arrive too.
   */
  void exchange(float[] p) {
    shiftJ(p, 0, left, block.nj, right);
    shiftJ(p, block.nj - 1, right, -1, left);
    shiftI(p, 0, before, block.ni, behind);
    shiftI(p, block.ni - 1, behind, -1, before);
  }

  /** Sends the points at {@code fromJ}, receives those at {@code intoJ}. */
  private void shiftJ(float[] p, int fromJ, int to, int intoJ, int from) {
    if (to != Comm.PROC_NULL) {
      for (int i = 0; i < block.ni; i++) {
        System.arraycopy(p, block.row(i, fromJ), outgoing, i * block.nk, block.nk);
      }
    }
    world.sendRecv(outgoing, to, TAG, incoming, from, TAG);
    if (from != Comm.PROC_NULL) {
      for (int i = 0; i < block.ni; i++) {
        System.arraycopy(incoming, i * block.nk, p, block.row(i, intoJ), block.nk);
      }
    }
  }

  /** Shifts as {@link #shiftJ} does; a plane is contiguous in memory. */
  private void shiftI(float[] p, int fromI, int to, int intoI, int from) {
    int plane = block.strideI;
    world.sendRecv(
        Slice.of(p, (long) (fromI + 1) * plane, plane),
        to,
        TAG,
        Slice.of(p, (long) (intoI + 1) * plane, plane),
        from,
        TAG);
  }
}
