package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.fmi.wire.Memory;
import org.junit.jupiter.api.Test;

/** The place of a buffer in a state, in this process and in another one. */
final class StatePlaceTest {
  private static final byte[] TEXT = {1, 2, 3, 4};

  /** The data of a message to a place in a state. */
  private static void fill(StatePlace place, Object... state) {
    List<Object> objects = List.of(state);
    Memory.copy(TEXT, 0, place.base(objects), place.offsetIn(objects), TEXT.length);
  }

  private static MemorySegment segment(int bytes) {
    return Arena.ofAuto().allocate(bytes);
  }

  @Test
  void identifiesArraysByIdentity() {
    byte[] array = new byte[8];
    List<Object> state = List.of(new byte[8], array);
    assertThat(StatePlace.of(state, array, 2, 4)).isEqualTo(new StatePlace(1, 2));
    assertThat(StatePlace.of(state, array.clone(), 2, 4)).isNull();

    byte[] other = new byte[8];
    fill(new StatePlace(1, 2), new byte[8], other);
    assertThat(other).containsExactly(0, 0, 1, 2, 3, 4, 0, 0);
  }

  @Test
  void buffersOfAnArrayMayBeginAnywhereInIt() {
    ByteBuffer buffer = ByteBuffer.allocate(32).slice(8, 16).position(3).limit(5);
    List<Object> state = List.of(buffer);
    StatePlace place = StatePlace.of(state, buffer.array(), 10, 4);
    assertThat(place).isEqualTo(new StatePlace(0, 2));
    assertThat(StatePlace.of(state, buffer.array(), 20, 4)).isEqualTo(new StatePlace(0, 12));
    assertThat(StatePlace.of(state, buffer.array(), 7, 4)).as("before it").isNull();
    assertThat(StatePlace.of(state, buffer.array(), 21, 4)).as("behind it").isNull();
    assertThat(StatePlace.of(state, new byte[32], 10, 4)).isNull();

    ByteBuffer other = ByteBuffer.allocate(32).slice(1, 16);
    fill(new StatePlace(0, 2), other);
    assertThat(other.array()).containsSubsequence(0, 0, 0, 1, 2, 3, 4).startsWith(0, 0, 0, 1);
  }

  @Test
  void identifiesOtherMemoryByAddress() {
    MemorySegment all = segment(32);
    ByteBuffer direct = all.asSlice(16, 16).asByteBuffer().position(4);
    List<Object> state = List.of(all.asSlice(4, 8), direct);
    assertThat(StatePlace.of(state, all, 6, 4)).isEqualTo(new StatePlace(0, 2));
    assertThat(StatePlace.of(state, all.asSlice(5), 3, 4)).isEqualTo(new StatePlace(0, 4));
    assertThat(StatePlace.of(state, all, 20, 4)).isEqualTo(new StatePlace(1, 4));
    assertThat(StatePlace.of(state, all, 9, 4)).as("a part is behind it").isNull();
    assertThat(StatePlace.of(state, all, 14, 4)).as("a part is before it").isNull();
    assertThat(StatePlace.of(state, segment(32), 6, 4)).isNull();

    MemorySegment other = segment(8);
    ByteBuffer otherDirect = ByteBuffer.allocateDirect(16).position(4);
    fill(new StatePlace(0, 2), other, otherDirect);
    fill(new StatePlace(1, 4), other, otherDirect);
    assertThat(other.asSlice(2, 4).mismatch(MemorySegment.ofArray(TEXT))).isEqualTo(-1);
    assertThat(otherDirect.slice(4, 4)).isEqualTo(ByteBuffer.wrap(TEXT));
  }

  @Test
  void distinguishesSegmentsOfDifferentArrays() {
    byte[] array = new byte[16];
    List<Object> state = List.of(MemorySegment.ofArray(array).asSlice(4, 8));
    assertThat(StatePlace.of(state, MemorySegment.ofArray(array), 6, 4))
        .isEqualTo(new StatePlace(0, 2));
    assertThat(StatePlace.of(state, MemorySegment.ofArray(array.clone()), 6, 4)).isNull();
  }
}
