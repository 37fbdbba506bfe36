package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Computes the missing blocks of one stripe from the available ones, one after the other: data
 * first, in the order of their places, so that each sum grows by Horner's rule.
 *
 * <p>Sums are heap arrays, and each has a separate loop. The JIT vectorises neither a loop that
 * writes a segment, which might overlap its input, nor one that reads and writes several arrays
 * (JDK 25); those take two to five times as long. As sent data must not be on the heap, results are
 * copied out.
 */
final class Sums {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** The number of longs that stay in a core's L1 cache during multiplication. */
  private static final int PASS = 2048;

  private final long[][] sums;

  /** Room for missing data, allocated on demand. */
  private final long[][] rooms;

  /** Computed missing data. */
  private final long[][] data;

  // The parts being multiplied, and their result.
  private final long[][] parts;
  private final long[] part = new long[PASS];

  private Erasures erasures;
  private int rows;
  private int longs;
  private boolean empty;

  /**
   * @param losses the number of sums per stripe
   * @param blockBytes the size of the largest block
   */
  Sums(int losses, int blockBytes) {
    this.sums = new long[losses][blockBytes / Long.BYTES];
    this.rooms = new long[losses][0];
    this.data = new long[losses][0];
    this.parts = new long[losses][PASS];
    this.erasures = new Erasures(new Stripes(losses + 1, losses));
  }

  /** Begins a stripe. */
  void begin(Erasures missing, int bytes) {
    erasures = missing;
    rows = missing.rows();
    longs = bytes / Long.BYTES;
    empty = true;
  }

  /**
   * Adds the next data block. A missing one counts as zeros.
   *
   * @param stored the number of its stored bytes; zeros follow
   */
  void addData(MemorySegment from, long at, int stored) {
    int there = stored / Long.BYTES;
    if (empty) {
      empty = there == 0;
      if (!empty) {
        beginWith(from, at, there);
      }
      return;
    }
    if (rows > 0) {
      add(sums[0], from, at, there);
    }
    if (rows > 1) {
      addToTwice(sums[1], from, at, there);
      twice(sums[1], there, longs);
    }
    if (rows > 2) {
      addToFourTimes(sums[2], from, at, there);
      twice(sums[2], there, longs);
      twice(sums[2], there, longs);
    }
  }

  private void beginWith(MemorySegment from, long at, int there) {
    for (int row = 0; row < rows; row++) {
      MemorySegment.copy(from, LONG, at, sums[row], 0, there);
      clear(sums[row], there);
    }
  }

  private void clear(long[] sum, int begin) {
    Arrays.fill(sum, begin, longs, 0);
  }

  /** Adds a sum that is read. All data blocks were added before. */
  void addSum(int which, MemorySegment from, long at) {
    finishData();
    add(sums[which], from, at, longs);
  }

  private void finishData() {
    for (int row = 0; empty && row < rows; row++) {
      clear(sums[row], 0);
    }
    empty = false;
  }

  /** Computes the missing blocks, after all blocks that the erasures need were added. */
  void solve() {
    finishData();
    int[] read = erasures.read();
    long[][] known = new long[read.length][];
    for (int i = 0; i < read.length; i++) {
      known[i] = sums[read[i]];
    }
    // If the XOR of all data is read, the first missing block follows from it once the other ones
    // are known.
    boolean byXor = read.length > 0 && read[0] == 0;
    for (int i = byXor ? 1 : 0; i < read.length; i++) {
      data[i] = combine(room(i), known, erasures.factorsOfRead(i), true);
    }
    if (byXor) {
      data[0] = known[0];
      for (int i = 1; i < read.length; i++) {
        add(data[0], data[i], longs);
      }
    }
    for (int place : erasures.missing()) {
      if (place < sums.length && read.length > 0) {
        combine(sums[place], data, erasures.factorsOfData(place), false);
      }
    }
  }

  private long[] room(int which) {
    if (rooms[which].length < longs) {
      rooms[which] = new long[sums[0].length];
    }
    return rooms[which];
  }

  /** Copies a result of {@link #solve}. */
  void copyTo(int place, MemorySegment to, long at, int bytes) {
    MemorySegment.copy(result(place), 0, to, LONG, at, bytes / Long.BYTES);
  }

  private long[] result(int place) {
    if (place < sums.length) {
      return sums[place];
    }
    int which = 0;
    for (int other : erasures.missing()) {
      which += other >= sums.length && other < place ? 1 : 0;
    }
    return data[which];
  }

  private static void add(long[] sum, MemorySegment from, long at, int end) {
    for (int i = 0; i < end; i++) {
      sum[i] ^= from.get(LONG, at + ((long) i << 3));
    }
  }

  private static void addToTwice(long[] sum, MemorySegment from, long at, int end) {
    for (int i = 0; i < end; i++) {
      sum[i] = Field.twice(sum[i]) ^ from.get(LONG, at + ((long) i << 3));
    }
  }

  private static void addToFourTimes(long[] sum, MemorySegment from, long at, int end) {
    for (int i = 0; i < end; i++) {
      sum[i] = Field.twice(Field.twice(sum[i])) ^ from.get(LONG, at + ((long) i << 3));
    }
  }

  private static void twice(long[] sum, int begin, int end) {
    for (int i = begin; i < end; i++) {
      sum[i] = Field.twice(sum[i]);
    }
  }

  /**
   * Combines blocks, each times a factor: bit by bit of the factors, from the highest. Works on
   * copied parts, so that each loop has one index: the JIT vectorises no other loops.
   *
   * @param anew whether to ignore the previous content of the result
   */
  private long[] combine(long[] result, long[][] blocks, int[] factors, boolean anew) {
    int all = 0;
    for (int factor : factors) {
      all |= factor;
    }
    int highest = 31 - Integer.numberOfLeadingZeros(all);
    for (int begin = 0; begin < longs; begin += PASS) {
      int count = Math.min(PASS, longs - begin);
      for (int i = 0; i < factors.length; i++) {
        System.arraycopy(blocks[i], begin, parts[i], 0, count);
      }
      Arrays.fill(part, 0, count, 0);
      for (int bit = highest; bit >= 0; bit--) {
        boolean doubled = false;
        for (int i = 0; i < factors.length; i++) {
          if ((factors[i] >> bit & 1) != 0) {
            if (doubled) {
              add(part, parts[i], count);
            } else {
              addToTwice(part, parts[i], count);
              doubled = true;
            }
          }
        }
        if (!doubled) {
          twice(part, 0, count);
        }
      }
      if (!anew) {
        System.arraycopy(result, begin, parts[0], 0, count);
        add(part, parts[0], count);
      }
      System.arraycopy(part, 0, result, begin, count);
    }
    return result;
  }

  private static void add(long[] sum, long[] block, int count) {
    for (int i = 0; i < count; i++) {
      sum[i] ^= block[i];
    }
  }

  private static void addToTwice(long[] sum, long[] block, int count) {
    for (int i = 0; i < count; i++) {
      sum[i] = Field.twice(sum[i]) ^ block[i];
    }
  }
}
