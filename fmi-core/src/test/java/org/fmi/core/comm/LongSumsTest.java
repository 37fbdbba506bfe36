package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.coll.Channel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sums of long vectors have the same bits in each version of FMI, whatever the placement of ranks
 * and data: in arrays, in native memory, in place.
 */
class LongSumsTest {
  /** Longer than all scratch memory, and not a whole number of blocks of any kind. */
  private static final int N = 600_001;

  /** Not aligned, so that no two segments have the same offsets. */
  private static final long OFFSET = 20;

  private enum Memory {
    ARRAYS,
    SEGMENTS
  }

  private enum Nodes {
    APART,
    TOGETHER,
    IN_TURN
  }

  /** Wide exponents: almost any other order of additions gives other bits. */
  private static double element(int rank, int i) {
    long h = (i + 1L) * 0x9E3779B97F4A7C15L + rank * 0xC2B2AE3D27D4EB4FL;
    h = (h ^ (h >>> 29)) * 0xBF58476D1CE4E5B9L;
    h ^= h >>> 32;
    return Math.scalb((double) (h >> 11), (int) (h & 31));
  }

  private static Object vector(Memory memory, int n) {
    return switch (memory) {
      case ARRAYS -> new double[n];
      case SEGMENTS -> Arena.ofAuto().allocate(8L * n + OFFSET, 8).asSlice(OFFSET);
    };
  }

  private static Object filled(Memory memory, int rank) {
    Object vector = vector(memory, N);
    for (int i = 0; i < N; i++) {
      if (vector instanceof MemorySegment s) {
        s.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, element(rank, i));
      } else {
        ((double[]) vector)[i] = element(rank, i);
      }
    }
    return vector;
  }

  private static Slice part(Object vector, long n) {
    return vector instanceof MemorySegment s
        ? Slice.of(s, Datatype.DOUBLE, 0, n)
        : Slice.of(vector, 0, n);
  }

  private static long hash(Object vector, int n) {
    long h = 0;
    for (int i = 0; i < n; i++) {
      double d =
          vector instanceof MemorySegment s
              ? s.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i)
              : ((double[]) vector)[i];
      h = 31 * h + Double.doubleToRawLongBits(d);
    }
    return h;
  }

  /** The bits are from the version of 2026-11-29, whose sums used arrays. */
  @ParameterizedTest
  @CsvSource({"2, -1238829534", "3, 876663529", "4, 1256858060"})
  void haveTheBitsOfAllVersions(int ranks, int bits) {
    for (Nodes nodes : Nodes.values()) {
      for (Memory memory : Memory.values()) {
        int[] mapping = new int[ranks];
        Arrays.setAll(mapping, r -> nodes == Nodes.APART ? r : nodes == Nodes.IN_TURN ? r % 2 : 0);
        long[] found = new long[ranks];
        Worlds.runOnNodes(mapping, 1, world -> found[world.rank()] = sums(world, memory));
        assertThat(Arrays.hashCode(found)).as("%s of ranks %s", memory, nodes).isEqualTo(bits);
      }
    }
  }

  private static long sums(Communicator world, Memory memory) {
    for (int i = 0; i < Channel.USES_BEFORE_REGION; i++) {
      world.barrier();
    }
    int rank = world.rank();
    Object mine = filled(memory, rank);
    Object result = vector(memory, N);
    long h = 0;
    world.allReduce(part(mine, N), part(result, N), Op.SUM);
    h = 31 * h + hash(result, N);
    world.reduce(part(mine, N), part(result, N), Op.SUM, 1);
    h = 31 * h + hash(result, N); // at ranks other than the root, of the previous content
    world.scan(part(mine, N), part(result, N), Op.SUM);
    h = 31 * h + hash(result, N);
    world.exScan(part(mine, N), part(result, N), Op.PROD);
    h = 31 * h + hash(result, N);
    long[] counts = new long[world.size()];
    counts[0] = 7;
    counts[world.size() - 1] = N - 7;
    int own = (int) counts[rank];
    world.reduceScatter(part(mine, N), part(result, N), counts, Op.SUM);
    h = 31 * h + hash(result, own);
    world.reduceScatter(Comm.IN_PLACE, part(mine, N), counts, Op.SUM);
    h = 31 * h + hash(mine, own);
    mine = filled(memory, rank);
    world.allReduce(part(mine, N), Op.SUM);
    return 31 * h + hash(mine, N);
  }
}
