package org.fmi.examples.heat2d;

import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.examples.Checksum;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;
import org.fmi.examples.ProcessGrid;
import org.fmi.examples.Share;
import org.jspecify.annotations.Nullable;

/**
 * A square plate to compute, which ranks share: what both programs have in common.
 *
 * @param size points along a side
 * @param iterations of each phase
 * @param phases how many loops
 * @param grid how ranks stand
 */
record Problem(int size, int iterations, int phases, ProcessGrid grid) {
  /** The options in a program's help. */
  static final String OPTIONS =
      """
        --size S         points along a side of the plate, default 256
        --iterations I   iterations of each phase, default 200
        --phases P       how many loops, one after the other, default 1; each begins by heating the
                         upper edge to half of the plate's peak
        --grid-ranks G   ranks by rows and columns, such as 4x2; default: with the shortest borders
        --help           show this and end

      The last line is "result checksum=HEX residual=HEX check=ok recoveries=R": CRC32C of all
      temperatures, the largest change of the last iteration, whether both are those of the serial
      program, bit for bit (check=FAILED and exit status 1 if not), and how often the job recovered
      from a failure.
      """;

  /** Reads the problem from rank 0's options; collective. */
  static Problem of(Comm world, Options options) {
    int[] parameters = new int[5];
    if (world.rank() == 0) {
      parameters[0] = options.integer("--size", 256, 1, 30_000);
      parameters[1] = options.integer("--iterations", 200, 1, Integer.MAX_VALUE);
      parameters[2] = options.integer("--phases", 1, 1, 1000);
      int[] grid = options.product("--grid-ranks", 2);
      if (grid != null) {
        parameters[3] = grid[0];
        parameters[4] = grid[1];
      }
    }
    world.bcast(parameters, 0);
    int size = parameters[0];
    ProcessGrid grid =
        parameters[3] == 0
            ? ProcessGrid.of(world.size(), size, size)
            : new ProcessGrid(parameters[3], parameters[4]);
    if (grid == null || grid.rows() > size || grid.cols() > size) {
      throw options.refuse(
          "a plate of size " + size + " cannot be divided among " + world.size() + " ranks");
    }
    if ((long) grid.rows() * grid.cols() != world.size()) {
      throw options.refuse(
          "--grid-ranks " + grid.rows() + "x" + grid.cols() + ": the job has " + world.size());
    }
    return new Problem(size, parameters[1], parameters[2], grid);
  }

  /** A rank's part. */
  Block block(int rank) {
    return new Block(
        Share.of(size, grid.rows(), grid.row(rank)), Share.of(size, grid.cols(), grid.col(rank)));
  }

  /** Creates the exchange with a rank's neighbours; collective. */
  Halo halo(Comm world) {
    int row = grid.row(world.rank());
    int col = grid.col(world.rank());
    return new Halo(
        Objects.requireNonNull(world.split(row, col)),
        Objects.requireNonNull(world.split(col, row)),
        block(world.rank()));
  }

  /** Returns the result line, gathered at rank 0; empty at all other ranks. Collective. */
  String outcome(Fmi fmi, double[] u, double residual) {
    Comm world = fmi.world();
    double[] plate = collect(world, block(world.rank()).inside(u));
    if (plate == null) {
      return "";
    }
    Result result = new Result(Checksum.of(plate), residual);
    return Outcome.of(
        fmi,
        result.equals(serial()),
        String.format(
            "checksum=%08x residual=%s", result.checksum, Double.toHexString(result.residual)));
  }

  private record Result(long checksum, double residual) {}

  /** Gathers the blocks at rank 0 and joins them; returns null at the other ranks. */
  private double @Nullable [] collect(Comm world, double[] mine) {
    if (world.rank() != 0) {
      world.gatherv(mine, null, (int[]) null, null, 0);
      return null;
    }
    Block[] blocks = new Block[world.size()];
    int[] counts = new int[blocks.length];
    int[] offsets = new int[blocks.length];
    for (int r = 0, offset = 0; r < blocks.length; r++) {
      blocks[r] = block(r);
      counts[r] = blocks[r].height * blocks[r].width;
      offsets[r] = offset;
      offset += counts[r];
    }
    double[] gathered = new double[size * size];
    world.gatherv(mine, gathered, counts, offsets, 0);
    double[] plate = new double[size * size];
    for (int r = 0; r < blocks.length; r++) {
      blocks[r].place(gathered, offsets[r], plate, size);
    }
    return plate;
  }

  /** The same on one rank, without any communication. */
  private Result serial() {
    Block plate = new Block(new Share(0, size), new Share(0, size));
    double[] u = plate.start();
    double[] next = plate.start();
    double residual = 0;
    for (int phase = 0; phase < phases; phase++) {
      double peak = plate.peak(u);
      plate.heat(u, peak / 2);
      plate.heat(next, peak / 2);
      for (int iteration = 0; iteration < iterations; iteration++) {
        residual = plate.step(u, next);
        double[] t = u;
        u = next;
        next = t;
      }
    }
    return new Result(Checksum.of(plate.inside(u)), residual);
  }
}
