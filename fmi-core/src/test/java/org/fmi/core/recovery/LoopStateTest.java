package org.fmi.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.fmi.Holder;
import org.junit.jupiter.api.Test;

final class LoopStateTest {

  /** An object that writes and reads itself. */
  static final class Particle implements BytesMarshallable {
    double x;
    String name = "";

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeDouble(x);
      bytes.writeUtf8(name);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      x = bytes.readDouble();
      name = String.valueOf(bytes.readUtf8());
    }
  }

  private static MemorySegment write(LoopState state) {
    MemorySegment image = Arena.ofAuto().allocate(Math.max(8, state.bytes()), 8).fill((byte) 0x5a);
    state.write(image, 0);
    return image;
  }

  @Test
  void everyKindComesBackInPlace() {
    double[] doubles = {1, 2, 3};
    boolean[] booleans = {true, false, true};
    char[] chars = {'a', 'b'};
    long[][] nested = {{1}, {2, 3}, {}};
    ByteBuffer heap = ByteBuffer.allocate(5).put(2, (byte) 9);
    ByteBuffer direct = ByteBuffer.allocateDirect(3).put(1, (byte) 8);
    MemorySegment segment = Arena.ofAuto().allocate(16);
    segment.set(ValueLayout.JAVA_LONG, 8, 77);
    Particle particle = new Particle();
    particle.x = 0.1;
    particle.name = "p";
    Object[] roots = {doubles, booleans, chars, nested, heap, direct, segment, particle};
    LoopState state = new LoopState(roots);
    MemorySegment image = write(state);

    doubles[1] = -1;
    booleans[0] = false;
    chars[1] = 'x';
    nested[1][1] = 0;
    heap.put(2, (byte) 0);
    direct.put(1, (byte) 0);
    segment.fill((byte) 1);
    particle.x = 5;
    particle.name = "changed";
    state.read(image, 0, image.byteSize());

    assertThat(doubles).containsExactly(1, 2, 3);
    assertThat(booleans).containsExactly(true, false, true);
    assertThat(chars).containsExactly('a', 'b');
    assertThat(nested[1]).containsExactly(2, 3);
    assertThat(heap.get(2)).isEqualTo((byte) 9);
    assertThat(direct.get(1)).isEqualTo((byte) 8);
    assertThat(segment.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(77);
    assertThat(particle.x).isEqualTo(0.1);
    assertThat(particle.name).isEqualTo("p");
  }

  @Test
  void holdersFollowTheirObject() {
    Holder<double[]> u = Holder.of(new double[] {1});
    Holder<double[]> next = Holder.of(new double[] {2});
    LoopState state = new LoopState(new Object[] {u, next});
    Holder.swap(u, next);
    MemorySegment image = write(state);
    Holder.swap(u, next);
    next.set(new double[3]);
    state.read(image, 0, image.byteSize());
    assertThat(u.get()).containsExactly(2);
    assertThat(next.get()).containsExactly(1);
  }

  /** It may be all that Java passes: {@code loop(n, body, rows)}. */
  @Test
  void anArrayOfArraysFollowsItsRows() {
    double[][] rows = {{1}, {2}};
    LoopState state = new LoopState(rows);
    double[] first = rows[0];
    rows[0] = rows[1];
    rows[1] = new double[] {3};
    MemorySegment image = write(state);
    rows[0] = first;
    rows[1] = new double[1];
    state.read(image, 0, image.byteSize());
    assertThat(rows).isDeepEqualTo(new double[][] {{2}, {3}});
  }

  @Test
  void refusesWhatItCannotHold() {
    assertThatThrownBy(() -> new LoopState(new Object[] {"text"}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String")
        .hasMessageContaining("BytesMarshallable");
    assertThatThrownBy(
            () -> new LoopState(new Object[] {ByteBuffer.allocate(1).asReadOnlyBuffer()}))
        .hasMessageContaining("read-only");
  }

  @Test
  void saysWhenAnotherStateWasRegistered() {
    MemorySegment image = write(new LoopState(new Object[] {new double[3]}));
    assertThatThrownBy(
            () -> new LoopState(new Object[] {new double[4]}).read(image, 0, image.byteSize()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("state object 0");
    assertThatThrownBy(
            () -> new LoopState(new Object[] {new int[6]}).read(image, 0, image.byteSize()))
        .hasMessageContaining("DOUBLES");
    assertThatThrownBy(() -> new LoopState(new Object[] {}).read(image, 0, image.byteSize()))
        .hasMessageContaining("more objects");
  }
}
