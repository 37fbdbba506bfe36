package org.fmi.wire;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTest {
  private static final int BYTES = 64;

  private static Object[] buffers(int bytes) {
    return new Object[] {
      new byte[bytes],
      new short[bytes / 2],
      new char[bytes / 2],
      new int[bytes / 4],
      new long[bytes / 8],
      new float[bytes / 4],
      new double[bytes / 8],
      Arena.ofAuto().allocate(bytes),
      MemorySegment.ofArray(new int[bytes / 4])
    };
  }

  private static byte[] content(Object buffer) {
    int bytes = (int) requireNonNull(Memory.view(buffer)).byteSize();
    MemorySegment out = MemorySegment.ofArray(new byte[bytes]);
    Memory.toSegment(buffer, 0, out, 0, bytes);
    return (byte[]) out.heapBase().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {BYTES, NativeCopy.LEAST + 64})
  void everyTypeCopiesToEveryOther(int bytes) {
    int copied = bytes - 40;
    byte[] random = new byte[bytes];
    new Random(bytes).nextBytes(random);
    for (Object from : buffers(bytes)) {
      for (Object to : buffers(bytes)) {
        Memory.fromSegment(MemorySegment.ofArray(random), 0, from, 0, bytes);
        Memory.copy(from, 16, to, 8, copied);
        byte[] expected = new byte[bytes];
        System.arraycopy(random, 16, expected, 8, copied);
        assertThat(content(to)).as("%s to %s", from.getClass(), to.getClass()).isEqualTo(expected);
      }
    }
  }

  /** Short copies are made in several ways, by type and length. */
  @Test
  void copiesExactlyEachLength() {
    byte[] random = new byte[BYTES];
    new Random(3).nextBytes(random);
    for (Object buffer : buffers(BYTES)) {
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

  /** The C library gets addresses: it must not read or write outside of the caller's memory. */
  @Test
  void longCopiesStayWithinTheirMemory() {
    int bytes = 2 * NativeCopy.LEAST;
    for (Object buffer : buffers(bytes)) {
      MemorySegment other = Arena.ofAuto().allocate(bytes);
      assertThatThrownBy(() -> Memory.toSegment(buffer, 8, other, 0, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> Memory.toSegment(buffer, 0, other, 8, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> Memory.fromSegment(other, 8, buffer, 0, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> Memory.fromSegment(other, 0, buffer, 8, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(bytes);
    }
    byte[] array = new byte[bytes];
    assertThatThrownBy(() -> Memory.toSegment(array, 0, freed, 0, bytes))
        .isInstanceOf(IllegalStateException.class);
    MemorySegment memory = Arena.ofAuto().allocate(bytes);
    for (MemorySegment to : List.of(memory, MemorySegment.ofArray(array))) {
      assertThatThrownBy(() -> Memory.toSegment(freed, 0, to, 0, NativeCopy.LEAST))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-64, 64})
  void longCopiesMayOverlap(int by) {
    int bytes = 4 * NativeCopy.LEAST;
    byte[] random = new byte[bytes + 128];
    new Random(by).nextBytes(random);
    MemorySegment memory = Arena.ofAuto().allocate(random.length);
    memory.copyFrom(MemorySegment.ofArray(random));
    Memory.toSegment(memory, 64, memory, 64 + by, bytes);
    System.arraycopy(random, 64, random, 64 + by, bytes);
    assertThat(content(memory)).isEqualTo(random);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, NativeCopy.LEAST})
  void booleansCopy(int length) {
    boolean[] from = new boolean[length];
    boolean[] to = new boolean[length];
    from[3] = true;
    Memory.copy(from, 2, to, 1, length - 2);
    for (int i = 0; i < length; i++) {
      assertThat(to[i]).isEqualTo(i == 2);
    }
    byte[] bytes = new byte[length];
    Memory.copy(from, 0, bytes, 0, length);
    assertThat(bytes[3]).isEqualTo((byte) 1);
    assertThat(bytes[4]).isEqualTo((byte) 0);
    assertThatThrownBy(() -> Memory.copy("text", 0, bytes, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
