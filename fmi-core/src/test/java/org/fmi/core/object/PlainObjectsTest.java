package org.fmi.core.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of messages come back as Java's serialization would bring them. */
final class PlainObjectsTest {
  record Pair(@Nullable Object left, @Nullable Object right) implements Serializable {}

  record Values(
      boolean a, byte b, short c, char d, int e, long f, float g, double h, String i, double[] j)
      implements Serializable {}

  record Nothing() implements Serializable {}

  record Positive(int value) implements Serializable {
    Positive {
      if (value <= 0) {
        throw new IllegalArgumentException(value + " is not positive");
      }
    }
  }

  /** The accessor gives something else than the component is. */
  record Doubled(int value) implements Serializable {
    @Override
    public int value() {
      return 2 * value;
    }
  }

  record Replaced(int value) implements Serializable {
    private Object writeReplace() {
      return "replaced by " + value;
    }
  }

  record Unserializable(int value) {}

  private static byte[] write(@Nullable Object object) {
    ObjectCodec.Bytes bytes = ObjectCodec.writeMessage(object);
    return Arrays.copyOf(bytes.array(), bytes.length());
  }

  private static @Nullable Object again(@Nullable Object object) {
    return ObjectCodec.readMessage(write(object));
  }

  private static boolean isPlain(@Nullable Object object) {
    return PlainObjects.isPlain(write(object));
  }

  private static void assertSame(@Nullable Object read, @Nullable Object object) {
    assertThat(Objects.deepEquals(read, object) || asText(read).equals(asText(object)))
        .as("%s and %s", asText(read), asText(object))
        .isTrue();
  }

  /** With arrays by what they hold, and classes. */
  private static String asText(@Nullable Object object) {
    return switch (object) {
      case null -> "null";
      case Pair(Object left, Object right) -> "(" + asText(left) + ", " + asText(right) + ")";
      case List<?> l ->
          l.getClass().getSimpleName() + l.stream().map(PlainObjectsTest::asText).toList();
      case Object[] a ->
          a.getClass().getTypeName() + Stream.of(a).map(PlainObjectsTest::asText).toList();
      case Object a when a.getClass().isArray() ->
          a.getClass().getTypeName() + Arrays.deepToString(new Object[] {a});
      default -> object.getClass().getSimpleName() + " " + object;
    };
  }

  /** An object of all kinds, within one another. */
  private static @Nullable Object any(Random random, int depth) {
    return switch (random.nextInt(depth > 4 ? 12 : 24)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> (byte) random.nextInt();
      case 3 -> (short) random.nextInt();
      case 4 -> (char) random.nextInt();
      case 5 -> random.nextInt();
      case 6 -> random.nextLong();
      case 7 -> Float.intBitsToFloat(random.nextInt());
      case 8 -> Double.longBitsToDouble(random.nextLong());
      case 9 -> "latin \u00ff".substring(random.nextInt(8));
      case 10 -> "\ud800 wide \u4e2d".substring(random.nextInt(8));
      case 11 -> new Nothing();
      case 12 -> new boolean[] {random.nextBoolean(), true, false};
      case 13 -> new byte[random.nextInt(9)];
      case 14 -> new short[] {(short) random.nextInt(), 1};
      case 15 -> new char[] {(char) random.nextInt()};
      case 16 -> random.ints(random.nextInt(300)).toArray();
      case 17 -> new long[] {random.nextLong()};
      case 18 -> new float[] {random.nextFloat(), Float.NaN};
      case 19 -> random.doubles(random.nextInt(100)).toArray();
      case 20 -> new Pair(any(random, depth + 1), any(random, depth + 1));
      case 21 -> new @Nullable Object[] {any(random, depth + 1), any(random, depth + 1)};
      case 22 -> new ArrayList<>(Arrays.asList(any(random, depth + 1), any(random, depth + 1)));
      default -> {
        List<Object> all = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          Object each = any(random, depth + 1);
          all.add(each == null ? "" : each);
        }
        yield List.copyOf(all);
      }
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whateverIsWrittenComesBack(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      Object object = any(random, 0);
      assertThat(isPlain(object)).isTrue();
      assertSame(again(object), object);
      if (object != null) {
        assertSame(again(object), ObjectCodec.read(ObjectCodec.write(object)));
      }
    }
  }

  @Test
  void recordsAndArraysKeepTheirClasses() {
    Values values =
        new Values(true, (byte) 1, (short) 2, 'c', 4, 5, 6, -0.0, "i", new double[] {7, 8});
    Values read = (Values) Objects.requireNonNull(again(values));
    assertThat(read).usingRecursiveComparison().isEqualTo(values);
    assertThat(again(new Doubled(3))).isEqualTo(new Doubled(3));
    assertThat(((Doubled) Objects.requireNonNull(again(new Doubled(3)))).value()).isEqualTo(6);
    assertThat((int[][]) again(new int[][] {{1}, {}, {2, 3}}))
        .isDeepEqualTo(new int[][] {{1}, {}, {2, 3}});
    assertThat(again(new String[] {"a", null})).isEqualTo(new String[] {"a", null});
    assertThat(isPlain(new Pair[][] {{new Pair(1, 2)}})).isTrue();
  }

  @Test
  void whatIsNotPlainIsLeftToSerialization() {
    Map<String, int[]> map = new HashMap<>(Map.of("a", new int[] {1}));
    assertThat(isPlain(map)).isFalse();
    assertThat(isPlain(new Pair("in a record", map))).isFalse();
    assertThat(((Map<?, ?>) Objects.requireNonNull(again(map))).get("a")).isEqualTo(new int[] {1});
    assertThat(again(new CopyOnWriteArrayList<>(List.of(1, 2))))
        .isInstanceOf(CopyOnWriteArrayList.class);
    assertThat(again(new Replaced(3))).isEqualTo("replaced by 3");
    assertThat(again(Stream.of(1, null).toList())).isEqualTo(Arrays.asList(1, null));
  }

  @Test
  void whatIsOneObjectStaysOne() {
    double[] shared = {1};
    Pair read = (Pair) Objects.requireNonNull(again(new Pair(shared, shared)));
    assertThat(read.left()).isSameAs(read.right());
    List<Object> itself = new ArrayList<>();
    itself.add(new Pair(itself, 1));
    List<?> readList = (List<?>) Objects.requireNonNull(again(itself));
    assertThat(((Pair) readList.getFirst()).left()).isSameAs(readList);
  }

  @Test
  void whatIsTooDeepIsSaid() {
    Object deep = new Nothing();
    for (int i = 0; i < 100; i++) { // more than are plain
      deep = new Pair(deep, null);
    }
    assertThat(isPlain(deep)).isFalse();
    assertSame(again(deep), deep);
    for (int i = 0; i < 200_000; i++) {
      deep = new Pair(deep, null);
    }
    Object tooDeep = deep;
    assertThatThrownBy(() -> write(tooDeep)).hasMessageContaining("too deeply");
  }

  @Test
  void aRecordMustBeSerializable() {
    assertThatThrownBy(() -> write(new Unserializable(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Unserializable, which is not java.io.Serializable");
    assertThatThrownBy(() -> write(new Pair(1, new Unserializable(1))))
        .hasMessageContaining("Unserializable, which is not java.io.Serializable");
  }

  /** Whatever stands in the bytes: no more memory than they fill, and no other failure. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void damagedBytesAreRefused(long seed) {
    Random random = new Random(seed);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = write(any(random, 0));
      byte[] damaged = Arrays.copyOf(bytes, Math.max(1, bytes.length - random.nextInt(2)));
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      try {
        Object _ = ObjectCodec.readMessage(damaged);
      } catch (IllegalArgumentException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1_000);
    byte[] bytes = write(new Positive(1));
    bytes[bytes.length - 4] = 0;
    assertThatThrownBy(() -> ObjectCodec.readMessage(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 is not positive");
  }

  @Test
  void aFilterOfTheUserHoldsWhateverTheWay() {
    ObjectFilter pairsAlone =
        new ObjectFilter(ObjectFilter.of(Pair.class.getName() + ";java.lang.*;!*"));
    ObjectFilter shortArrays = new ObjectFilter(ObjectFilter.of("maxarray=3"));
    assertThat(pairsAlone.isNarrowed()).isTrue();
    Pair pair = new Pair(1, "text");
    assertThat(ObjectCodec.readMessage(write(pair), pairsAlone)).isEqualTo(pair);
    for (Object other :
        List.of(
            new Positive(1),
            List.of(new Positive(1)),
            new Pair(new Positive(2), 1),
            new Positive[0],
            new Pair(new HashMap<>(Map.of(1, new Positive(3))), 1))) {
      assertThatThrownBy(() -> ObjectCodec.readMessage(write(other), pairsAlone))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("a filter refuses ")
          .hasMessageContaining("-Dfmi.objectFilter=");
    }
    assertThat(ObjectCodec.readMessage(write(new long[3]), shortArrays)).isEqualTo(new long[3]);
    for (Object tooLong : List.of(new long[4], new Pair(new Object[4], 1), List.of(1, 2, 3, 4))) {
      assertThatThrownBy(() -> ObjectCodec.readMessage(write(tooLong), shortArrays))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> ObjectFilter.of("maxarray=many"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fmi.objectFilter=maxarray=many is no filter");
  }
}
