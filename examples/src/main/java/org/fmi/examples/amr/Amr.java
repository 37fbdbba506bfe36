package org.fmi.examples.amr;

import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;

/**
 * Heat from a spot that goes around a plate, on a mesh that is fine where temperatures differ and
 * coarse elsewhere. Blocks are refined and coarsened as the spot passes, and move between the ranks
 * so that all have about as much to do. Rank 0 compares the result with what it computes alone.
 */
public final class Amr {
  private static final String HELP =
      """
      amr - heat from a moving spot, on blocks that are refined and moved between ranks

      usage: fmirun -n N amr.jar [options]

        --side S         blocks along a side of the plate, default 12
        --iterations I   how many iterations to compute, default 500
        --adapt A        refines, coarsens and moves blocks in each A-th iteration, default 10
        --help           show this and end

      The last line is "result cells=C moves=M checksum=HEX check=ok recoveries=R": the cells of
      all blocks in the end, how often a block moved to another rank, CRC32C of all temperatures
      (equal for any N, with or without failures), whether cells and checksum are those that rank 0
      computes alone (check=FAILED and exit status 1 if not), and how often the job recovered from a
      failure.
      """;

  private Amr() {}

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
    int side = options.integer("--side", 12, 1, 1000);
    int iterations = options.integer("--iterations", 500, 1, Integer.MAX_VALUE);
    int adapt = options.integer("--adapt", 10, 1, Integer.MAX_VALUE);

    Comm alone = Objects.requireNonNull(world.split(world.rank(), 0));
    Mesh mesh = new Mesh(world, side);
    fmi.loop(
        iterations,
        iteration -> compute(mesh, iteration, adapt),
        mesh.blocks,
        mesh.levels,
        mesh.owners,
        mesh.moves);

    Result result = new Result(mesh.cells(), mesh.checksum());
    if (world.rank() != 0) {
      return "";
    }
    Mesh serial = new Mesh(alone, side);
    for (long iteration = 0; iteration < iterations; iteration++) {
      compute(serial, iteration, adapt);
    }
    return Outcome.of(
        fmi,
        result.equals(new Result(serial.cells(), serial.checksum())),
        String.format(
            "cells=%d moves=%d checksum=%08x", result.cells, mesh.moves[0], result.checksum));
  }

  private record Result(long cells, long checksum) {}

  private static void compute(Mesh mesh, long iteration, int adapt) {
    mesh.step(iteration);
    if ((iteration + 1) % adapt == 0) {
      mesh.adapt();
    }
  }
}
