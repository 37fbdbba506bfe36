package org.fmi.examples.matmul;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Checksum;
import org.fmi.examples.Share;

/**
 * The same multiplication as a loop, to compare with: each rank has whole rows of blocks, and an
 * iteration sends a column of blocks of B to all ranks.
 */
final class PlainLoop {
  private final Comm world;
  private final Blocks blocks;

  /** The rows of blocks of this rank. */
  private final Share mine;

  private final double[][][] a;
  private final double[] checksums;
  private final double[] weighted = new double[1];

  private PlainLoop(Fmi fmi, Blocks blocks) {
    this.world = fmi.world();
    this.blocks = blocks;
    int count = blocks.count();
    mine = Share.of(count, world.size(), world.rank());
    checksums = new double[count * count];
    a = new double[mine.count()][count][];
    for (int i = 0; i < mine.count(); i++) {
      for (int k = 0; k < count; k++) {
        a[i][k] = blocks.a(blocks.share(mine.first() + i), blocks.share(k));
      }
    }
  }

  static Summary multiply(Fmi fmi, Blocks blocks) {
    PlainLoop loop = new PlainLoop(fmi, blocks);
    fmi.loop(blocks.count(), column -> loop.column((int) column), loop.checksums, loop.weighted);
    double[] all = new double[loop.checksums.length];
    double[] sum = new double[1];
    loop.world.allReduce(loop.checksums, all, Op.SUM);
    loop.world.allReduce(loop.weighted, sum, Op.SUM);
    return new Summary(Checksum.of(all), sum[0]);
  }

  private void column(int j) {
    int count = blocks.count();
    Share columns = blocks.share(j);
    double[][] c = new double[mine.count()][];
    for (int i = 0; i < c.length; i++) {
      c[i] = new double[blocks.share(mine.first() + i).count() * columns.count()];
    }
    for (int k = 0; k < count; k++) {
      Share inner = blocks.share(k);
      int owner = Share.partOf(count, world.size(), k);
      double[] b =
          owner == world.rank()
              ? blocks.b(inner, columns)
              : new double[inner.count() * columns.count()];
      world.bcast(b, owner);
      for (int i = 0; i < c.length; i++) {
        int rows = blocks.share(mine.first() + i).count();
        Blocks.multiply(a[i][k], b, c[i], rows, inner.count(), columns.count());
      }
    }
    for (int i = 0; i < c.length; i++) {
      checksums[(mine.first() + i) * count + j] = Checksum.of(c[i]);
      weighted[0] += blocks.weighted(c[i], blocks.share(mine.first() + i), columns);
    }
  }
}
