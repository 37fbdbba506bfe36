package org.fmi.examples.heat2d;

import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Holder;
import org.fmi.Op;
import org.fmi.Same;
import org.fmi.examples.Checksum;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;
import org.fmi.examples.ProcessGrid;
import org.fmi.examples.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Heat spreads in a square plate, divided into blocks. Uses what comes before, between and after
 * loops: parameters that rank 0 tells the others, communicators of rows and columns, a reduction
 * between two phases, and the result collected at rank 0, which compares it with its own serial
 * one.
 */
public final class Heat2d {
  private static final String HELP =
      """
      heat2d - heat spreads in a square plate, divided into blocks

      usage: fmirun -n N heat2d.jar [options]

        --size S         points along a side of the plate, default 256
        --iterations I   iterations of each phase, default 200
        --phases P       how many loops, one after the other, default 1; each begins by heating the
                         upper edge to half of the plate's peak
        --help           show this and end

      The last line is "result checksum=HEX residual=HEX check=ok recoveries=R": CRC32C of all
      temperatures, the largest change of the last iteration, whether both are those of the serial
      program, bit for bit (check=FAILED and exit status 1 if not), and how often the job recovered
      from a failure.
      """;

  private Heat2d() {}

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; rank 0 alone has one. */
  static String run(Fmi fmi, String... args) {
    Comm world = fmi.world();
    Options options = Options.parse(world, HELP, args);
    if (options == null) {
      return "";
    }
    int[] parameters = new int[3];
    if (world.rank() == 0) {
      parameters[0] = options.integer("--size", 256, 1, 30_000);
      parameters[1] = options.integer("--iterations", 200, 1, Integer.MAX_VALUE);
      parameters[2] = options.integer("--phases", 1, 1, 1000);
    }
    world.bcast(parameters, 0);
    int size = parameters[0];
    int iterations = parameters[1];
    int phases = parameters[2];

    ProcessGrid grid = ProcessGrid.of(world.size(), size, size);
    if (grid == null) {
      throw options.refuse(
          "a plate of size " + size + " cannot be divided among " + world.size() + " ranks");
    }
    int myRow = grid.row(world.rank());
    int myCol = grid.col(world.rank());
    Comm row = Objects.requireNonNull(world.split(myRow, myCol));
    Comm col = Objects.requireNonNull(world.split(myCol, myRow));
    Block block = block(grid, size, world.rank());
    Halo halo = new Halo(row, col, block);

    Holder<double[]> u = Holder.of(block.start());
    Holder<double[]> next = Holder.of(block.start());
    double[] residual = new double[1];
    for (int phase = 0; phase < phases; phase++) {
      double[] peak = {block.peak(u.get())};
      world.allReduce(peak, Op.MAX);
      block.heat(u.get(), peak[0] / 2);
      block.heat(next.get(), peak[0] / 2);
      fmi.loop(
          iterations,
          iteration -> {
            halo.exchange(u.get());
            residual[0] = block.step(u.get(), next.get());
            Holder.swap(u, next);
            world.allReduce(residual, Op.MAX);
          },
          block.of(u, size),
          block.of(next, size),
          Same.of(residual));
    }

    double[] plate = collect(world, grid, size, block.inside(u.get()));
    if (plate == null) {
      return "";
    }
    Result result = new Result(Checksum.of(plate), residual[0]);
    return Outcome.of(
        fmi,
        result.equals(serial(size, iterations, phases)),
        String.format(
            "checksum=%08x residual=%s", result.checksum, Double.toHexString(result.residual)));
  }

  private record Result(long checksum, double residual) {}

  private static Block block(ProcessGrid grid, int size, int rank) {
    return new Block(
        Slice.of(size, grid.rows(), grid.row(rank)), Slice.of(size, grid.cols(), grid.col(rank)));
  }

  /** Gathers the blocks at rank 0 and puts them together; null at the other ranks. */
  private static double @Nullable [] collect(
      Comm world, ProcessGrid grid, int size, double[] mine) {
    if (world.rank() != 0) {
      world.gatherv(mine, 0, mine.length, null, 0, null, null, 0);
      return null;
    }
    Block[] blocks = new Block[world.size()];
    long[] counts = new long[blocks.length];
    long[] offsets = new long[blocks.length];
    for (int r = 0, offset = 0; r < blocks.length; r++) {
      blocks[r] = block(grid, size, r);
      counts[r] = (long) blocks[r].height * blocks[r].width;
      offsets[r] = offset;
      offset += (int) counts[r];
    }
    double[] gathered = new double[size * size];
    world.gatherv(mine, 0, mine.length, gathered, 0, counts, offsets, 0);
    double[] plate = new double[size * size];
    for (int r = 0; r < blocks.length; r++) {
      blocks[r].place(gathered, (int) offsets[r], plate, size);
    }
    return plate;
  }

  /** The same on one rank, without any communication. */
  private static Result serial(int size, int iterations, int phases) {
    Block plate = new Block(new Slice(0, size), new Slice(0, size));
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
