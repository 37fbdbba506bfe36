package org.fmi.core.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ObjectCodecTest {
  enum Color {
    RED,
    GREEN
  }

  record Point(int x, int y) implements Serializable {}

  /** A linked list without a collection. */
  static final class Link implements Serializable {
    private static final long serialVersionUID = 1;
    final @Nullable Link next;

    Link(@Nullable Link next) {
      this.next = next;
    }
  }

  private static Object again(Object object) {
    return ObjectCodec.read(ObjectCodec.write(object));
  }

  @Test
  void restoresObjectsOfTheProgram() throws IOException {
    Map<Color, List<Point>> map = new EnumMap<>(Color.class);
    map.put(Color.GREEN, List.of(new Point(1, 2), new Point(3, 4)));
    List<Object> objects =
        List.of(
            map,
            "text",
            7,
            new BigDecimal("1.50"),
            Instant.EPOCH,
            Duration.ofDays(3),
            Locale.ITALIAN,
            TimeZone.getTimeZone("CET"),
            BitSet.valueOf(new long[] {5}),
            new TreeSet<>(List.of(3, 1)),
            int[].class);
    for (Object object : objects) {
      assertThat(again(object)).isEqualTo(object);
    }
    assertThat((Point[][]) again(new Point[][] {{new Point(5, 6)}, {}}))
        .isDeepEqualTo(new Point[][] {{new Point(5, 6)}, {}});
    assertThat(((AtomicLong) again(new AtomicLong(4))).get()).isEqualTo(4);
  }

  /** A comparator may be a lambda. */
  @Test
  void sortedCollectionsKeepTheirOrder() {
    PriorityQueue<Point> queue =
        new PriorityQueue<>((Comparator<Point> & Serializable) (a, b) -> b.x() - a.x());
    queue.addAll(List.of(new Point(1, 0), new Point(3, 0), new Point(2, 0)));
    PriorityQueue<?> read = (PriorityQueue<?>) again(queue);
    assertThat(read.poll()).isEqualTo(new Point(3, 0));
    assertThat(read.poll()).isEqualTo(new Point(2, 0));
  }

  /** Their tables have more places than entries. */
  @Test
  void acceptsTablesOfAnySize() {
    for (int size : new int[] {0, 1, 3, 13, 1_000, 30_000}) {
      HashMap<Object, Object> map = new HashMap<>(16, 0.3f);
      IdentityHashMap<Object, Object> identity = new IdentityHashMap<>();
      ConcurrentHashMap<Object, Object> concurrent = new ConcurrentHashMap<>(1 << 16);
      for (int i = 0; i < size; i++) {
        map.put((byte) i + (i << 8), Color.RED);
        identity.put((byte) i, Color.RED);
        concurrent.put(i, Color.RED);
      }
      assertThat(again(map)).isEqualTo(map);
      assertThat((Map<?, ?>) again(identity)).hasSize(identity.size());
      assertThat(again(concurrent)).isEqualTo(concurrent);
      assertThat(again(new HashSet<>(map.keySet()))).isEqualTo(map.keySet());
      assertThat((ArrayDeque<?>) again(new ArrayDeque<>(map.keySet()))).hasSize(size);
      assertThat(again(new ArrayList<>(map.keySet()))).isEqualTo(new ArrayList<>(map.keySet()));
    }
  }

  @Test
  void namesTheClassThatIsNotSerializable() {
    assertThatThrownBy(() -> ObjectCodec.write(List.of("x", new Thread())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("it refers to a java.lang.Thread, which is not java.io.Serializable");
  }

  @Test
  void refusesClassesThatMightDoMoreThanHoldData() throws Exception {
    ObjectName foreign = new ObjectName("a:b=c");
    InvocationHandler handler =
        (InvocationHandler & Serializable) (proxy, method, arguments) -> null;
    Object proxy =
        Proxy.newProxyInstance(
            ObjectCodecTest.class.getClassLoader(), new Class<?>[] {Comparator.class}, handler);
    assertRefused(foreign, "javax.management.ObjectName of module java.management");
    assertRefused(new ObjectName[0], "javax.management.ObjectName");
    assertRefused(proxy, "a dynamic proxy");
  }

  /** When an object is written, and when bytes are from elsewhere. */
  private static void assertRefused(Object object, String what) throws IOException {
    assertThatThrownBy(() -> ObjectCodec.write(List.of(object)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(List.of(object));
    }
    assertThatThrownBy(() -> ObjectCodec.read(bytes.toByteArray()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void fewBytesDoNotAskForMuchMemory() {
    byte[] bytes = ObjectCodec.write(new long[4]);
    // The length, before four elements of 8 bytes.
    bytes[bytes.length - 36] = 0x7f;
    assertThatThrownBy(() -> ObjectCodec.read(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("REJECTED");
  }

  @Test
  void reportsObjectsTooDeepForTheStack() {
    Link link = new Link(null);
    for (int i = 0; i < 1_000_000; i++) {
      link = new Link(link);
    }
    Link first = link;
    assertThatThrownBy(() -> ObjectCodec.write(first))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too deeply");
  }
}
