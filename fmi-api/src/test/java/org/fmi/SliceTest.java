package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Map;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Datatype.Predefined;
import org.junit.jupiter.api.Test;

class SliceTest {
  private static final Map<Predefined, Function<ByteBuffer, Buffer>> VIEWS =
      Map.of(
          Predefined.CHAR, ByteBuffer::asCharBuffer,
          Predefined.SHORT, ByteBuffer::asShortBuffer,
          Predefined.INT, ByteBuffer::asIntBuffer,
          Predefined.LONG, ByteBuffer::asLongBuffer,
          Predefined.FLOAT, ByteBuffer::asFloatBuffer,
          Predefined.DOUBLE, ByteBuffer::asDoubleBuffer);

  private static void assertFails(ErrorClass error, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(error))
        .hasMessageContaining(words);
  }

  private static void assertIs(Slice slice, Object base, long byteOffset, long count, Datatype t) {
    assertThat(slice.base()).isSameAs(base);
    assertThat(slice.byteOffset()).isEqualTo(byteOffset);
    assertThat(slice.count()).isEqualTo(count);
    assertThat(slice.type()).isEqualTo(t);
    assertThat(slice.bytes()).isEqualTo(count * t.bytes());
  }

  @Test
  void partsOfArrays() {
    byte[] bytes = new byte[9];
    assertIs(Slice.of(bytes, 2, 7), bytes, 2, 7, Datatype.BYTE);
    boolean[] booleans = new boolean[9];
    assertIs(Slice.of(booleans, 2, 3), booleans, 2, 3, Datatype.BOOLEAN);
    char[] chars = new char[9];
    assertIs(Slice.of(chars, 2, 3), chars, 4, 3, Datatype.CHAR);
    short[] shorts = new short[9];
    assertIs(Slice.of(shorts, 2, 3), shorts, 4, 3, Datatype.SHORT);
    int[] ints = new int[9];
    assertIs(Slice.of(ints, 9, 0), ints, 36, 0, Datatype.INT);
    long[] longs = new long[9];
    assertIs(Slice.of(longs, 2, 3), longs, 16, 3, Datatype.LONG);
    float[] floats = new float[9];
    assertIs(Slice.of(floats, 2, 3), floats, 8, 3, Datatype.FLOAT);
    double[] doubles = new double[9];
    assertIs(Slice.of(doubles, 0, 9), doubles, 0, 9, Datatype.DOUBLE);
    for (Object array :
        new Object[] {bytes, booleans, chars, shorts, ints, longs, floats, doubles}) {
      Slice whole = Slice.of(array);
      assertIs(whole, array, 0, 9, whole.type());
      assertThat(whole.isTyped()).isTrue();
      assertThat(Slice.of(whole)).isSameAs(whole);
      Slice part = Slice.of(Slice.of(array, 2, 5), 1, 3);
      assertIs(part, array, 3L * whole.type().bytes(), 3, whole.type());
    }
  }

  @Test
  void segmentsAreBytesOrElementsOfAType() {
    MemorySegment segment = MemorySegment.ofArray(new long[5]);
    assertIs(Slice.of(segment), segment, 0, 40, Datatype.BYTE);
    assertThat(Slice.of(segment).isTyped()).isFalse();
    assertThat(Slice.of(segment, 8, 16).isTyped()).isFalse();
    assertIs(Slice.of(segment, Datatype.DOUBLE), segment, 0, 5, Datatype.DOUBLE);
    assertThat(Slice.of(segment, Datatype.BYTE).isTyped()).isTrue();
    assertIs(Slice.of(segment, Datatype.INT, 3, 7), segment, 12, 7, Datatype.INT);
  }

  @Test
  void byteBuffersBeginAtTheirPosition() {
    ByteBuffer heap = ByteBuffer.allocate(60).position(10).slice().order(ByteOrder.nativeOrder());
    heap.position(2).limit(34);
    assertIs(Slice.of(heap), heap.array(), 12, 32, Datatype.BYTE);
    assertThat(Slice.of(heap).isTyped()).isFalse();
    assertIs(Slice.of(heap, 3, 4), heap.array(), 15, 4, Datatype.BYTE);
    assertIs(Slice.of(heap, Datatype.LONG), heap.array(), 12, 4, Datatype.LONG);
    assertIs(Slice.of(heap, Datatype.INT, 1, 7), heap.array(), 16, 7, Datatype.INT);
    Slice before = Slice.of(heap);
    heap.position(20);
    assertIs(before, heap.array(), 12, 32, Datatype.BYTE);
  }

  @Test
  void typedBuffersCarryTheirType() {
    int[] array = {1, 2, 3, 4, 5};
    assertIs(Slice.of(IntBuffer.wrap(array, 1, 3)), array, 4, 3, Datatype.INT);
    double[] doubles = new double[4];
    assertIs(
        Slice.of(DoubleBuffer.wrap(doubles).position(1).slice().position(1)),
        doubles,
        16,
        2,
        Datatype.DOUBLE);
    assertIs(Slice.of(LongBuffer.wrap(new long[4]), 1, 2).type(), Datatype.LONG);
    assertIs(Slice.of(FloatBuffer.allocate(4)).type(), Datatype.FLOAT);
    assertIs(Slice.of(ShortBuffer.allocate(4)).type(), Datatype.SHORT);
    assertIs(Slice.of(CharBuffer.allocate(4)).type(), Datatype.CHAR);
    VIEWS.forEach(
        (type, view) -> {
          for (ByteBuffer memory :
              new ByteBuffer[] {ByteBuffer.allocate(48), ByteBuffer.allocateDirect(48)}) {
            memory.order(ByteOrder.nativeOrder()).put(8 + type.bytes(), (byte) 99);
            Slice slice = Slice.of(view.apply(memory.position(8)).position(1));
            assertThat(slice.type()).isEqualTo(type);
            assertThat(slice.isTyped()).isTrue();
            assertThat(slice.count()).isEqualTo(40 / type.bytes() - 1);
            assertThat(
                    ((MemorySegment) slice.base()).get(ValueLayout.JAVA_BYTE, slice.byteOffset()))
                .isEqualTo((byte) 99);
          }
        });
  }

  private static void assertIs(Datatype type, Datatype expected) {
    assertThat(type).isEqualTo(expected);
  }

  @Test
  void anotherByteOrderIsRefused() {
    ByteOrder other =
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
            ? ByteOrder.BIG_ENDIAN
            : ByteOrder.LITTLE_ENDIAN;
    ByteBuffer memory = ByteBuffer.allocate(48).order(other);
    VIEWS
        .values()
        .forEach(
            view ->
                assertFails(ErrorClass.TYPE, "nativeOrder", () -> Slice.of(view.apply(memory))));
    assertFails(ErrorClass.TYPE, "nativeOrder", () -> Slice.of(memory, Datatype.INT));
    assertFails(ErrorClass.TYPE, "nativeOrder", () -> Slice.of(memory, Datatype.INT, 0, 1));
    assertThat(Slice.of(memory, Datatype.BYTE).count()).isEqualTo(48);
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void wrongPartsAreRefused() {
    double[] a = new double[10];
    assertFails(ErrorClass.COUNT, "count -1 is negative", () -> Slice.of(a, 0, -1));
    assertFails(
        ErrorClass.BUFFER,
        "offset 8 and count 3 of DOUBLE elements do not fit into a double[10], which holds 10",
        () -> Slice.of(a, 8, 3));
    assertFails(ErrorClass.BUFFER, "offset -1", () -> Slice.of(a, -1, 3));
    assertFails(ErrorClass.BUFFER, "double[10]", () -> Slice.of(a, 1, Long.MAX_VALUE));
    assertFails(ErrorClass.BUFFER, "double[10]", () -> Slice.of(a, Long.MAX_VALUE, 1));
    assertFails(ErrorClass.BUFFER, "which holds 4", () -> Slice.of(Slice.of(a, 2, 4), 2, 3));
    assertFails(ErrorClass.BUFFER, "null is not a buffer", () -> Slice.of((double[]) null, 0, 0));
    assertFails(ErrorClass.BUFFER, "null is not a buffer", () -> Slice.of((Object) null));
    assertFails(ErrorClass.BUFFER, "a java.lang.String is not", () -> Slice.of("text", 0, 1));
    assertFails(ErrorClass.BUFFER, "IN_PLACE", () -> Slice.of(Comm.IN_PLACE));
    assertFails(
        ErrorClass.BUFFER, "no memory of its own", () -> Slice.of(CharBuffer.wrap("a text")));
    MemorySegment segment = MemorySegment.ofArray(new byte[20]);
    assertFails(ErrorClass.TYPE, "20 bytes are not", () -> Slice.of(segment, Datatype.DOUBLE));
    assertFails(ErrorClass.TYPE, "null is not a type", () -> Slice.of(segment, null));
    assertFails(ErrorClass.BUFFER, "which holds 2", () -> Slice.of(segment, Datatype.DOUBLE, 1, 2));
  }

  @Test
  void saysWhatItIs() {
    assertThat(Slice.of(new int[9], 2, 3)).hasToString("3 INT elements at byte 8 of a int[9]");
    assertThat(Slice.of(MemorySegment.ofArray(new byte[9])))
        .hasToString("9 bytes at byte 0 of a MemorySegment of 9 bytes");
  }
}
