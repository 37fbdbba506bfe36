package org.fmi.ckpt.xor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.fmi.rules.GroupCode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the arithmetic of the code costs, without messages: one stripe of blocks that lie in node
 * memory, beside copying the same blocks. Divide the bytes of the data blocks by the time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SumsBenchmark {
  private static final int DATA = 6;
  private static final int BLOCK = PieceLayout.BLOCK_BYTES;

  /** Sums of a stripe, and how many blocks are brought back. */
  @Param({"1", "2", "3"})
  public int losses;

  private final MemorySegment blocks =
      Arena.ofAuto().allocate((DATA + GroupCode.MOST_LOSSES) * (long) BLOCK, Long.BYTES);
  private final MemorySegment result = Arena.ofAuto().allocate(BLOCK, Long.BYTES);
  private final long[] copy = new long[BLOCK / Long.BYTES];

  private Sums sums = new Sums(1, BLOCK);
  private Erasures allSums = erasures(1, 0);
  private Erasures firstData = erasures(1, 1);

  @Setup
  public void choose() {
    sums = new Sums(losses, BLOCK);
    allSums = erasures(losses, 0);
    firstData = erasures(losses, losses);
  }

  /** As many missing places as there are losses, from one on. */
  private static Erasures erasures(int losses, int from) {
    Stripes stripes = new Stripes(DATA + losses, losses);
    return new Erasures(stripes, IntStream.range(from, from + losses).toArray());
  }

  /** The data blocks, each into the same array: what is read must be read at least. */
  @Benchmark
  public long copy() {
    for (int d = 0; d < DATA; d++) {
      MemorySegment.copy(blocks, (long) d * BLOCK, MemorySegment.ofArray(copy), 0, BLOCK);
    }
    return copy[0];
  }

  /** All sums of the data. */
  @Benchmark
  public MemorySegment encode() {
    return compute(allSums);
  }

  /** The first data blocks, from the others and all sums. */
  @Benchmark
  public MemorySegment decode() {
    return compute(firstData);
  }

  private MemorySegment compute(Erasures erasures) {
    sums.begin(erasures, BLOCK);
    for (int place = losses; place < DATA + losses; place++) {
      sums.addData(blocks, (long) place * BLOCK, erasures.needs(place) ? BLOCK : 0);
    }
    for (int place = 0; place < losses; place++) {
      if (erasures.needs(place)) {
        sums.addSum(place, blocks, (long) place * BLOCK);
      }
    }
    sums.solve();
    for (int place : erasures.missing()) {
      sums.copyTo(place, result, 0, BLOCK);
    }
    return result;
  }
}
