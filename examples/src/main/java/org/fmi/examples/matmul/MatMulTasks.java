package org.fmi.examples.matmul;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.Fmi;
import org.fmi.examples.Checksum;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;
import org.fmi.examples.Share;
import org.fmi.tasks.Results;
import org.fmi.tasks.Task;
import org.fmi.tasks.TaskGraph;
import org.fmi.tasks.Tasks;

/**
 * Multiplies two matrices, one task per block: tasks for the blocks of A and B, for those of their
 * product, each of which needs a row of blocks and a column of blocks, and for a summary of each,
 * so that the blocks themselves stay where they were computed.
 */
public final class MatMulTasks {
  private static final String HELP =
      """
      matmul-tasks - multiplies two matrices, as a graph of tasks

      usage: fmirun -n N matmul-tasks.jar [options]

        --size S    rows and columns of the matrices, default 1000
        --block B   rows and columns of a block, default 250
        --plain     compute the same in a plain loop, to compare with
        --help      show this and end

      The last line is "result product=HEX check=ok recoveries=R": a checksum of the product
      (equal for any N and B of the same number of blocks, with or without failures), whether a
      weighted sum of the product is right (check=FAILED and exit status 1 if not), and how often
      the job recovered from a failure by replacement.
      """;

  /** A weighted sum of a larger product is not exact. */
  private static final int LARGEST = 10_000;

  private MatMulTasks() {}

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; one rank alone has it. */
  static String run(Fmi fmi, String... args) {
    Options options = Options.parse(fmi.world(), HELP, args);
    if (options == null) {
      return "";
    }
    int size = options.integer("--size", 1000, 1, LARGEST);
    int block = options.integer("--block", 250, 1, LARGEST);
    Blocks blocks = new Blocks(size, Math.ceilDiv(size, block));

    if (options.has("--plain")) {
      Summary product = PlainLoop.multiply(fmi, blocks);
      return outcome(fmi, fmi.world().rank() == 0, product, blocks);
    }
    Results results = Tasks.run(fmi, graph(blocks));
    Summary product = Objects.requireNonNull(results.of("product", Summary.class));
    return outcome(fmi, results.isFirst(), product, blocks);
  }

  private static String outcome(Fmi fmi, boolean first, Summary product, Blocks blocks) {
    return Outcome.of(
        fmi,
        first,
        product.weighted() == blocks.weighted(),
        String.format("product=%08x", (long) product.checksum()));
  }

  static TaskGraph graph(Blocks blocks) {
    int count = blocks.count();
    return TaskGraph.build(
        builder -> {
          List<List<Task<double[]>>> rowsOfA = new ArrayList<>();
          List<List<Task<double[]>>> columnsOfB = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            Share outer = blocks.share(i);
            List<Task<double[]>> rowOfA = new ArrayList<>();
            List<Task<double[]>> columnOfB = new ArrayList<>();
            for (int k = 0; k < count; k++) {
              Share inner = blocks.share(k);
              rowOfA.add(builder.task("a" + i + "," + k, _ -> blocks.a(outer, inner)));
              columnOfB.add(builder.task("b" + k + "," + i, _ -> blocks.b(inner, outer)));
            }
            rowsOfA.add(rowOfA);
            columnsOfB.add(columnOfB);
          }
          List<Task<Summary>> summaries = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
              Share rows = blocks.share(i);
              Share columns = blocks.share(j);
              Task<double[]> c = product(builder, blocks, i, j, rowsOfA.get(i), columnsOfB.get(j));
              summaries.add(
                  builder.task(
                      "summary" + i + "," + j,
                      in ->
                          new Summary(
                              Checksum.of(in.of(c)), blocks.weighted(in.of(c), rows, columns)),
                      c));
            }
          }
          builder.task(
              "product",
              in -> all(summaries.stream().map(in::of).toList()),
              summaries.toArray(Task<?>[]::new));
        });
  }

  private static Task<double[]> product(
      TaskGraph.Builder builder,
      Blocks blocks,
      int i,
      int j,
      List<Task<double[]>> rowOfA,
      List<Task<double[]>> columnOfB) {
    int rows = blocks.share(i).count();
    int columns = blocks.share(j).count();
    List<Task<?>> inputs = new ArrayList<>(rowOfA);
    inputs.addAll(columnOfB);
    return builder.task(
        "c" + i + "," + j,
        in -> {
          double[] c = new double[rows * columns];
          for (int k = 0; k < blocks.count(); k++) {
            Blocks.multiply(
                in.of(rowOfA.get(k)),
                in.of(columnOfB.get(k)),
                c,
                rows,
                blocks.share(k).count(),
                columns);
          }
          return c;
        },
        inputs.toArray(Task<?>[]::new));
  }

  private static Summary all(List<Summary> summaries) {
    return new Summary(
        Checksum.of(summaries.stream().mapToDouble(Summary::checksum).toArray()),
        summaries.stream().mapToDouble(Summary::weighted).sum());
  }
}
