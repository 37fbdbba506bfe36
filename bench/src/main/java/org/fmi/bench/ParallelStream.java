package org.fmi.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.fmi.Fmi;

/**
 * A rank that runs a parallel stream, for {@code bench/placement}: prints the processors and the
 * number of threads that it ran on, and how many times as fast it was as on one thread.
 */
public final class ParallelStream {
  private static final int PARTS = 64;
  private static final int STEPS = 10_000_000;

  /** Of the line of a thread in proc_pid_stat(5), after the name: field 39. */
  private static final int PROCESSOR = 36;

  private final Set<Integer> processors = new ConcurrentSkipListSet<>();
  private final Set<Long> threads = new ConcurrentSkipListSet<>();

  private ParallelStream() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      ParallelStream program = new ParallelStream();
      fmi.loop(1, iteration -> program.run(), new long[1]);
    }
  }

  private void run() {
    seconds(IntStream.range(0, PARTS)); // compiles it
    double alone = seconds(IntStream.range(0, PARTS));
    processors.clear();
    threads.clear();
    double parallel = seconds(IntStream.range(0, PARTS).parallel());
    System.out.printf(
        Locale.ROOT,
        "stream,%s %d %.2f%n",
        processors.stream().map(String::valueOf).collect(Collectors.joining(",")),
        threads.size(),
        alone / parallel);
  }

  private double seconds(IntStream parts) {
    long begin = System.nanoTime();
    double sum = parts.mapToDouble(this::work).sum();
    double seconds = (System.nanoTime() - begin) / 1e9;
    if (Double.isNaN(sum)) {
      throw new ArithmeticException("no number");
    }
    return seconds;
  }

  private double work(int part) {
    threads.add(Thread.currentThread().threadId());
    double x = part;
    for (int i = 0; i < STEPS; i++) {
      x = x * 0.999999 + 1e-6;
    }
    processors.add(processor());
    return x;
  }

  private static int processor() {
    try {
      String stat = Files.readString(Path.of("/proc/thread-self/stat"));
      return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[PROCESSOR]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
