package org.fmi.examples.kmeans;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Checksum;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;
import org.fmi.examples.Share;

/**
 * Lloyd's k-means: each rank divides its points among the clusters; sums and counts of all ranks
 * move the centres, until no point changes its cluster. Rank 0 compares the centres with those that
 * it finds alone.
 */
public final class KMeans {
  private static final String HELP =
      """
      kmeans - divides points among clusters by Lloyd's algorithm

      usage: fmirun -n N kmeans.jar [options]

        --points P       points of all ranks together, default 50000
        --dimensions D   coordinates of a point, default 4
        --clusters K     how many clusters, default 12
        --seed S         draws other points, default 1
        --iterations I   stops after so many if points still change clusters, default 1000
        --help           show this and end

      The last line is "result iterations=I checksum=HEX check=ok recoveries=R": how many iterations
      it took, CRC32C of the centres (equal for any N, with or without failures), whether both are
      those of the serial program, bit for bit (check=FAILED and exit status 1 if not), and how
      often the job recovered from a failure.
      """;

  private KMeans() {}

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
    int count = options.integer("--points", 50_000, 1, 10_000_000);
    int dimensions = options.integer("--dimensions", 4, 1, 100);
    int k = options.integer("--clusters", 12, 1, 10_000);
    int seed = options.integer("--seed", 1, 0, Integer.MAX_VALUE);
    int most = options.integer("--iterations", 1000, 1, Integer.MAX_VALUE);
    if (k > count) {
      throw options.refuse(count + " points cannot be divided among " + k + " clusters");
    }

    Points first = Points.draw(new Share(0, k), dimensions, k, seed);
    Share mine = Share.of(count, world.size(), world.rank());
    Clusters clusters = new Clusters(Points.draw(mine, dimensions, k, seed), first);
    long iterations =
        fmi.loopWhile(
            most,
            iteration -> {
              clusters.assign();
              world.allReduce(clusters.sums, Op.SUM);
              return clusters.move();
            },
            clusters.centres,
            clusters.nearest); // a point's last cluster shows whether it changes

    if (world.rank() != 0) {
      return "";
    }
    Result result = new Result(iterations, Checksum.of(clusters.centres));
    Points all = Points.draw(new Share(0, count), dimensions, k, seed);
    return Outcome.of(
        fmi,
        result.equals(serial(new Clusters(all, first), most)),
        String.format("iterations=%d checksum=%08x", result.iterations, result.checksum));
  }

  private record Result(long iterations, long checksum) {}

  /** The same on one rank, without any communication. */
  private static Result serial(Clusters clusters, int most) {
    int iterations = 0;
    boolean goesOn = true;
    while (goesOn && iterations < most) {
      clusters.assign();
      goesOn = clusters.move();
      iterations++;
    }
    return new Result(iterations, Checksum.of(clusters.centres));
  }
}
