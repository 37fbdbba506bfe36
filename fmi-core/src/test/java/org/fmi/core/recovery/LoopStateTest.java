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

  /** A replacement's holders may refer to one array where those of the checkpoint did not. */
  @Test
  void holdersOfOneArrayGetTheirOwnBack() {
    double[] best = {3};
    double[] current = {4};
    MemorySegment image = write(new LoopState(new Object[] {Holder.of(best), Holder.of(current)}));
    double[] initial = {0};
    Holder<double[]> newBest = Holder.of(initial);
    Holder<double[]> newCurrent = Holder.of(initial);
    new LoopState(new Object[] {newBest, newCurrent}).read(image, 0, image.byteSize());
    assertThat(newBest.get()).containsExactly(3);
    assertThat(newCurrent.get()).containsExactly(4);
    assertThat(initial).as("no longer the state, but still the program's").containsExactly(0);
  }

  @Test
  void placesOfOneObjectReferToOneObjectAgain() {
    double[] shared = {5};
    double[][] rows = {{1}, shared};
    double[] registered = {2};
    Particle particle = new Particle();
    particle.x = 7;
    LoopState state =
        new LoopState(
            new Object[] {
              Holder.of(shared),
              rows,
              Holder.of(registered),
              registered,
              Holder.of(particle),
              particle
            });
    MemorySegment image = write(state);
    Holder<double[]> newShared = Holder.of(new double[1]);
    double[][] newRows = {{0}, {0}};
    Holder<double[]> newHeld = Holder.of(new double[1]);
    double[] newRegistered = {0};
    Particle newParticle = new Particle();
    Holder<Particle> newHeldParticle = Holder.of(new Particle());
    LoopState replacement =
        new LoopState(
            new Object[] {
              newShared, newRows, newHeld, newRegistered, newHeldParticle, newParticle
            });
    replacement.read(image, 0, image.byteSize());
    assertThat(newRows).isDeepEqualTo(new double[][] {{1}, {5}});
    assertThat(newShared.get()).isSameAs(newRows[1]);
    assertThat(newRegistered).containsExactly(2);
    assertThat(newHeld.get()).isSameAs(newRegistered);
    assertThat(newParticle.x).isEqualTo(7);
    assertThat(newHeldParticle.get()).isSameAs(newParticle);

    MemorySegment again = write(replacement);
    assertThat(again.mismatch(image)).as("the same state has the same image").isEqualTo(-1);
  }

  @Test
  void rowsOfOneArrayGetTheirOwnBack() {
    double[] registered = {9};
    MemorySegment image =
        write(new LoopState(new Object[] {new double[][] {{1}, {2}, {3}}, registered}));
    double[] zero = {0};
    double[][] rows = {zero, zero, registered};
    new LoopState(new Object[] {rows, registered}).read(image, 0, image.byteSize());
    assertThat(rows).isDeepEqualTo(new double[][] {{1}, {2}, {3}});
    assertThat(registered).containsExactly(9);
  }

  @Test
  void refusesToTellApartWhatItCannot() {
    Object[][] distinct = {
      {Holder.of(ByteBuffer.allocate(1)), Holder.of(ByteBuffer.allocate(1))},
      {Holder.of(new Particle()), Holder.of(new Particle())},
      {new double[1], new double[1]},
      {Holder.of(new double[][] {{1}}), Holder.of(new double[][] {{2}})},
    };
    ByteBuffer buffer = ByteBuffer.allocate(1);
    Particle particle = new Particle();
    double[] array = {0};
    double[][] grid = {{0}};
    Object[][] same = {
      {Holder.of(buffer), Holder.of(buffer)},
      {Holder.of(particle), Holder.of(particle)},
      {array, array},
      {Holder.of(grid), Holder.of(grid)},
    };
    for (int i = 0; i < distinct.length; i++) {
      MemorySegment image = write(new LoopState(distinct[i]));
      LoopState state = new LoopState(same[i]);
      assertThatThrownBy(() -> state.read(image, 0, image.byteSize()))
          .as("case %d", i)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is the same as another one");
    }
    MemorySegment image = write(new LoopState(new Object[] {array, array}));
    assertThatThrownBy(
            () ->
                new LoopState(new Object[] {new double[1], new double[1]})
                    .read(image, 0, image.byteSize()))
        .hasMessageContaining("state object 1");
  }

  @Test
  void refusesWhatItCannotHold() {
    assertThatThrownBy(() -> new LoopState(new Object[] {new int[1], null}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("state object 1 is null");
    assertThatThrownBy(() -> new LoopState(new Object[] {new double[][] {{1}, null}}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("state object 1 is null");
    assertThatThrownBy(() -> new LoopState(new Object[] {"text"}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String")
        .hasMessageContaining("BytesMarshallable");
    assertThatThrownBy(
            () -> new LoopState(new Object[] {ByteBuffer.allocate(1).asReadOnlyBuffer()}))
        .hasMessageContaining("read-only");
  }

  @Test
  void knowsTheObjectsItIsOf() {
    double[] u = {1};
    double[][] rows = {{1}, {2}};
    assertThat(new LoopState(new Object[] {u, rows}).isOf(new Object[] {u, rows})).isTrue();
    assertThat(new LoopState(new Object[] {u}).isOf(new Object[] {u.clone()})).isFalse();
    assertThat(new LoopState(new Object[] {u}).isOf(new Object[] {u, rows})).isFalse();
    assertThat(new LoopState(rows).isOf(rows)).isTrue();
    assertThat(new LoopState(rows).isOf(rows.clone())).isFalse();
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
