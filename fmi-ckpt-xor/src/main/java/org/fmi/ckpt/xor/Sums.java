package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Computes the missing blocks of one stripe from those that are there, one after the other: data
 * first, in the order of their places, so that each sum grows by Horner's rule.
 *
 * <p>Sums are arrays in the heap, and each has a loop of its own. The JIT vectorises neither a loop
 * that writes a segment, which might overlap what is read, nor one that reads and writes several
 * arrays (JDK 25); that takes two to five times as long. But what is sent must not be in the heap,
 * so results are copied out.
 */
final class Sums {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Longs that stay in a core's first cache while they are multiplied. */
  private static final int PASS = 2048;

  private final long[][] sums;

  /** Room for missing data, made when it is needed. */
  private final long[][] rooms;

  /** Missing data that were computed. */
  private final long[][] data;

  // What is multiplied at a time, and the result of that.
  private final long[][] parts;
  private final long[] part = new long[PASS];

  private Erasures erasures;
  private int rows;
  private int longs;
  private boolean empty;

  /**
   * @param losses sums of a stripe
   * @param blockBytes the largest block
   */
  Sums(int losses, int blockBytes) {
    this.sums = new long[losses][blockBytes / Long.BYTES];
    this.rooms = new long[losses][0];
    this.data = new long[losses][0];
    this.parts = new long[losses][PASS];
    this.erasures = new Erasures(new Stripes(losses + 1, losses));
  }

  /** Begins with a stripe of which nothing was seen. */
  void begin(Erasures missing, int bytes) {
    erasures = missing;
    rows = missing.rows();
    longs = bytes / Long.BYTES;
    empty = true;
  }

  /**
   * The next data block. One that is missing reads as zeros.
   *
   * @param stored its bytes that are there; zeros follow
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

  /** A sum that is read. All data blocks came before. */
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

  /** Computes what is missing; all that the erasures need was added. */
  void solve() {
    finishData();
    int[] read = erasures.read();
    long[][] known = new long[read.length][];
    for (int i = 0; i < read.length; i++) {
      known[i] = sums[read[i]];
    }
    // Where XOR of all data is read, the first one follows from it by XOR, once there are the
    // others.
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

  /** A result of {@link #solve}. */
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
   * The sum of blocks, each times a factor: bit by bit of the factors, from the highest. Done in
   * parts that are copied, so that each loop has one index: the JIT does not vectorise others.
   *
   * @param anew whether what was in the result counts as zeros
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
