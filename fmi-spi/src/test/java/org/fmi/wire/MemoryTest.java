package org.fmi.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.Random;
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
