package example;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/** Adds up a series for pi; each rank every size-th term. */
public final class Pi {
  private static final int ITERATIONS = 1000;
  private static final int TERMS = 10_000;

  private Pi() {}

  public static void main(String[] args) {
    double[] sum = new double[1];
    int rank;
    int size;
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      rank = world.rank();
      size = world.size();
      fmi.loop(ITERATIONS, iteration -> sum[0] += terms(iteration, rank, size), sum);
      world.allReduce(sum, Op.SUM);
    }
    System.out.printf("rank %d of %d: pi = %.5f%n", rank, size, sum[0]);
  }

  private static double terms(long iteration, int rank, int size) {
    double sum = 0;
    for (long k = iteration * TERMS + rank; k < (iteration + 1) * TERMS; k += size) {
      sum += (k % 2 == 0 ? 4.0 : -4.0) / (2 * k + 1);
    }
    return sum;
  }
}
