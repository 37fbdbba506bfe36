package org.fmi.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTest {
  private static final int BYTES = 64;

  private static Object[] buffers() {
    return new Object[] {
      new byte[BYTES],
      new short[BYTES / 2],
      new char[BYTES / 2],
      new int[BYTES / 4],
      new long[BYTES / 8],
      new float[BYTES / 4],
      new double[BYTES / 8],
      Arena.ofAuto().allocate(BYTES),
      MemorySegment.ofArray(new int[BYTES / 4])
    };
  }

  private static byte[] content(Object buffer) {
    MemorySegment out = MemorySegment.ofArray(new byte[BYTES]);
    Memory.toSegment(buffer, 0, out, 0, BYTES);
    return (byte[]) out.heapBase().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void everyTypeCopiesToEveryOther(long seed) {
    byte[] random = new byte[BYTES];
    new Random(seed).nextBytes(random);
    for (Object from : buffers()) {
      for (Object to : buffers()) {
        Memory.fromSegment(MemorySegment.ofArray(random), 0, from, 0, BYTES);
        Memory.copy(from, 16, to, 8, 24);
        byte[] expected = new byte[BYTES];
        System.arraycopy(random, 16, expected, 8, 24);
        assertThat(content(to)).as("%s to %s", from.getClass(), to.getClass()).isEqualTo(expected);
      }
    }
  }

  /** Short copies are made in several ways, by type and length. */
  @Test
  void everyLengthIsCopiedAndNoMore() {
    byte[] random = new byte[BYTES];
    new Random(3).nextBytes(random);
    for (Object buffer : buffers()) {
      int element = Memory.elementBytes(buffer);
      for (int offset = 0; offset <= 2 * element; offset += element) {
        for (int bytes = 0; offset + bytes <= BYTES - 8; bytes += element) {
          Memory.fromSegment(MemorySegment.ofArray(random), 0, buffer, 0, BYTES);
          byte[] expected = random.clone();
          System.arraycopy(random, 5, expected, offset, bytes);
          Memory.fromSegment(MemorySegment.ofArray(random), 5, buffer, offset, bytes);
          String what = buffer.getClass() + ", " + bytes + " bytes at " + offset;
          assertThat(content(buffer)).as(what).isEqualTo(expected);
          byte[] out = new byte[BYTES];
          Memory.toSegment(buffer, offset, MemorySegment.ofArray(out), 3, bytes);
          byte[] expectedOut = new byte[BYTES];
          System.arraycopy(expected, offset, expectedOut, 3, bytes);
          assertThat(out).as(what).isEqualTo(expectedOut);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void booleansCopy(boolean value) {
    boolean[] from = new boolean[5];
    boolean[] to = new boolean[5];
    from[3] = value;
    Memory.copy(from, 2, to, 1, 3);
    assertThat(to[2]).isEqualTo(value);
    assertThat(Array.getLength(to)).isEqualTo(5);
    byte[] bytes = new byte[5];
    Memory.copy(from, 0, bytes, 0, 5);
    assertThat(bytes[3]).isEqualTo((byte) (value ? 1 : 0));
    assertThatThrownBy(() -> Memory.copy("text", 0, bytes, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
