package org.fmi.examples.heat2d;

import org.fmi.Comm;
import org.fmi.Slice;

/** Updates the layer around a block with its neighbours' results. */
final class Halo {
  private static final int TAG = 1;

  private final Comm row;
  private final Comm col;
  private final Block block;
  private final double[] outgoing;
  private final double[] incoming;

  /** Creates the exchange with the neighbours in a row and a column of ranks. */
  Halo(Comm row, Comm col, Block block) {
    this.row = row;
    this.col = col;
    this.block = block;
    outgoing = new double[block.height];
    incoming = new double[block.height];
  }

  void exchange(double[] u) {
    int left = previous(row);
    int right = next(row);
    shiftColumn(u, 0, left, block.width, right);
    shiftColumn(u, block.width - 1, right, -1, left);
    int above = previous(col);
    int below = next(col);
    shiftRow(u, 0, above, block.height, below);
    shiftRow(u, block.height - 1, below, -1, above);
  }

  private static int previous(Comm line) {
    return line.rank() == 0 ? Comm.PROC_NULL : line.rank() - 1;
  }

  private static int next(Comm line) {
    return line.rank() == line.size() - 1 ? Comm.PROC_NULL : line.rank() + 1;
  }

  private void shiftColumn(double[] u, int fromCol, int to, int intoCol, int from) {
    block.copyColumn(u, fromCol, outgoing);
    row.sendRecv(outgoing, to, TAG, incoming, from, TAG);
    if (from != Comm.PROC_NULL) {
      block.setColumn(u, intoCol, incoming);
    }
  }

  private void shiftRow(double[] u, int fromRow, int to, int intoRow, int from) {
    int width = block.width;
    col.sendRecv(
        Slice.of(u, block.at(fromRow, 0), width),
        to,
        TAG,
        Slice.of(u, block.at(intoRow, 0), width),
        from,
        TAG);
  }
}
