package org.fmi.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.fmi.spi.CheckpointStore;
import org.junit.jupiter.api.Test;

class ImageWriterTest {
  private static final int PART = 16 << 10;

  private final BitSet told = new BitSet();

  /** A store that records reports of unchanged parts. */
  private CheckpointStore store(boolean holdsCoded) {
    return (CheckpointStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {CheckpointStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("unchanged")) {
                told.set(
                    Math.toIntExact((long) arguments[0]), Math.toIntExact((long) arguments[1]));
                return null;
              }
              assertThat(method.getName()).isEqualTo("holdsCoded");
              return holdsCoded;
            });
  }

  private static MemorySegment memory(byte[] content) {
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, content.length), 8);
    return memory.copyFrom(MemorySegment.ofArray(content));
  }

  /** Unchanged whole parts are reported exactly; everything is written. */
  @Test
  void reportsUnchangedPartsAndWritesTheRest() {
    Random random = new Random(4);
    for (int round = 0; round < 200; round++) {
      byte[] before = new byte[16 + 8 * random.nextInt(10_000)];
      random.nextBytes(before);
      byte[] now = before.clone();
      for (int i = random.nextInt(4); i > 0; i--) {
        now[random.nextInt(now.length)]++;
      }
      MemorySegment image = memory(before);
      told.clear();
      ImageWriter writer = new ImageWriter(image, store(true));
      long first = MemorySegment.ofArray(now).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
      byte[] rest = Arrays.copyOfRange(now, 8, now.length - 3);
      writer.put(0, first);
      writer.put(rest, 8, rest.length);
      writer.skip(now.length - 3, 3);
      byte[] written = image.toArray(ValueLayout.JAVA_BYTE);
      assertThat(Arrays.copyOf(written, now.length - 3))
          .isEqualTo(Arrays.copyOf(now, now.length - 3));
      BitSet same = new BitSet();
      for (int from = 0; from < now.length - 3; ) {
        int part = (from / PART + 1) * PART;
        int to = from == 0 ? 8 : Math.min(now.length - 3, part);
        same.set(from, to, Arrays.equals(before, from, to, now, from, to));
        from = to;
      }
      assertThat(told.get(0, now.length - 3))
          .as("%d bytes, round %d", now.length, round)
          .isEqualTo(same);
    }
  }

  @Test
  void writesEverythingWhenNothingIsKnown() {
    MemorySegment image = memory(new byte[100]);
    ImageWriter writer = new ImageWriter(image, store(false));
    writer.put(0, 0);
    writer.put(new double[11], 8, 88);
    writer.skip(96, 4);
    assertThat(told.isEmpty()).isTrue();
  }

  /** If each part has changed a little, comparing is suspended for a while. */
  @Test
  void stopsComparingWhenItDoesNotHelp() {
    int parts = 1000;
    byte[] before = new byte[parts * PART];
    byte[] now = before.clone();
    for (int part = 0; part < parts; part++) {
      if (part < parts / 2) {
        now[part * PART + PART - 1] = 1;
      }
    }
    MemorySegment image = memory(before);
    new ImageWriter(image, store(true)).put(now, 0, now.length);
    assertThat(image.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(now);
    assertThat(told.get(0, parts / 2 * PART).isEmpty()).isTrue();
    // All but the parts that a pause may have covered.
    int unchanged = parts / 2 * PART;
    assertThat(told.cardinality()).isBetween(unchanged - (8 << 20), unchanged);
    assertThat(told.get(before.length - PART, before.length).cardinality()).isEqualTo(PART);
  }
}
