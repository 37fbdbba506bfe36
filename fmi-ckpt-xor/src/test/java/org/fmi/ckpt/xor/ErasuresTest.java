package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.fmi.rules.GroupCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The code's arithmetic, and the places of its chunks. */
final class ErasuresTest {
  private static final int BLOCK = 64;

  /** All sets of one up to {@code most} of the numbers below {@code n}. */
  private static List<int[]> sets(int n, int most) {
    List<int[]> all = new ArrayList<>();
    for (int a = 0; a < n; a++) {
      all.add(new int[] {a});
      for (int b = a + 1; most > 1 && b < n; b++) {
        all.add(new int[] {a, b});
        for (int c = b + 1; most > 2 && c < n; c++) {
          all.add(new int[] {a, b, c});
        }
      }
    }
    return all;
  }

  /** The blocks of a stripe by place, with sums computed byte by byte from their definition. */
  private static byte[][] stripe(Stripes stripes, Random random) {
    byte[][] blocks = new byte[stripes.members()][BLOCK];
    for (int place = stripes.losses(); place < stripes.members(); place++) {
      random.nextBytes(blocks[place]);
      for (int sum = 0; sum < stripes.losses(); sum++) {
        int factor = Field.powerOfTwo(sum * (stripes.members() - 1 - place));
        for (int b = 0; b < BLOCK; b++) {
          blocks[sum][b] ^= (byte) Field.times(factor, Byte.toUnsignedInt(blocks[place][b]));
        }
      }
    }
    return blocks;
  }

  private static void assertBroughtBack(Stripes stripes, byte[][] blocks, int... missing) {
    Erasures erasures = new Erasures(stripes, missing);
    Sums sums = new Sums(stripes.losses(), BLOCK);
    sums.begin(erasures, BLOCK);
    int read = 0;
    for (int place = stripes.losses(); place < stripes.members(); place++) {
      boolean needed = erasures.needs(place);
      sums.addData(MemorySegment.ofArray(blocks[place]), 0, needed ? BLOCK : 0);
      read += needed ? 1 : 0;
    }
    for (int place = 0; place < stripes.losses(); place++) {
      if (erasures.needs(place)) {
        sums.addSum(place, MemorySegment.ofArray(blocks[place]), 0);
        read++;
      }
    }
    assertThat(read).as("as many blocks as there are data").isEqualTo(stripes.data());
    sums.solve();
    for (int place : missing) {
      byte[] result = new byte[BLOCK];
      sums.copyTo(place, MemorySegment.ofArray(result), 0, BLOCK);
      assertThat(result)
          .as("place %d of %s without %s", place, stripes, Arrays.toString(missing))
          .isEqualTo(blocks[place]);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void rebuildsEverySetOfLosses(int losses) {
    Random random = new Random(losses);
    for (int members = losses + 1; members <= 16; members++) {
      Stripes stripes = new Stripes(members, losses);
      byte[][] blocks = stripe(stripes, random);
      for (int[] missing : sets(members, losses)) {
        assertBroughtBack(stripes, blocks, missing);
      }
    }
  }

  /** Equations without a solution are refused at their creation. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void rebuildsTheLargestGroup(int losses) {
    Stripes stripes = new Stripes(GroupCode.mostMembers(losses), losses);
    for (int[] missing : sets(stripes.members(), losses)) {
      Erasures erasures = new Erasures(stripes, missing);
      assertThat(erasures.rows()).isBetween(1, losses);
    }
    byte[][] blocks = stripe(stripes, new Random(losses));
    assertBroughtBack(stripes, blocks, stripes.losses(), stripes.members() - 1);
  }

  @Test
  void aMemberHoldsOneChunkOfEachStripe() {
    for (int losses = 1; losses <= GroupCode.MOST_LOSSES; losses++) {
      for (int members = losses + 1; members <= 16; members++) {
        Stripes stripes = new Stripes(members, losses);
        for (int member = 0; member < members; member++) {
          boolean[] chunks = new boolean[members];
          for (int stripe = 0; stripe < members; stripe++) {
            int place = stripes.place(stripe, member);
            assertThat(stripes.member(stripe, place)).isEqualTo(member);
            assertThat(stripes.stripe(member, place)).isEqualTo(stripe);
            assertThat(stripes.chunk(place) >= stripes.data()).isEqualTo(stripes.isSum(place));
            chunks[stripes.chunk(place)] = true;
          }
          assertThat(chunks).doesNotContain(false);
        }
      }
    }
  }

  /** All blocks are shorter than a full block, as at the end of an image. */
  @Test
  void unstoredBytesCountAsZeros() {
    Random random = new Random(5);
    Stripes stripes = new Stripes(5, 3);
    byte[][] blocks = new byte[5][BLOCK];
    int[] stored = {0, 0, 0, 24, 48};
    Erasures sumsMissing = new Erasures(stripes, 0, 1, 2);
    Sums sums = new Sums(3, BLOCK);
    sums.begin(sumsMissing, BLOCK);
    for (int place = 3; place < 5; place++) {
      random.nextBytes(blocks[place]);
      Arrays.fill(blocks[place], stored[place], BLOCK, (byte) 0);
      sums.addData(MemorySegment.ofArray(blocks[place]), 0, stored[place]);
    }
    sums.solve();
    for (int place = 0; place < 3; place++) {
      sums.copyTo(place, MemorySegment.ofArray(blocks[place]), 0, BLOCK);
    }
    for (int[] missing : sets(5, 3)) {
      assertBroughtBack(stripes, blocks, missing);
    }
    sums.begin(sumsMissing, BLOCK);
    sums.addData(MemorySegment.ofArray(blocks[3]), 0, 0);
    sums.addData(MemorySegment.ofArray(blocks[4]), 0, 0);
    sums.solve();
    byte[] nothing = new byte[BLOCK];
    sums.copyTo(2, MemorySegment.ofArray(nothing), 0, BLOCK);
    assertThat(nothing).containsOnly(0);
  }

  @Test
  void theFieldIsOne() {
    boolean[] powers = new boolean[256];
    for (int e = 0; e < 255; e++) {
      int power = Field.powerOfTwo(e);
      assertThat(powers[power]).isFalse();
      powers[power] = true;
      assertThat(Field.times(power, Field.inverse(power))).isEqualTo(1);
      assertThat(Field.twice(0x0101_0101_0101_0101L * power))
          .isEqualTo(0x0101_0101_0101_0101L * Field.times(power, 2));
    }
    assertThat(powers[0]).isFalse();
  }

  @Test
  void moreThanThreeLossesAreRefused() {
    assertThatThrownBy(() -> new Stripes(8, 4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Stripes(3, 3)).isInstanceOf(IllegalArgumentException.class);
  }
}
