package org.fmi.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.fmi.ArrayBlock;
import org.fmi.Replicated;
import org.fmi.State;
import org.fmi.StateRef;
import org.junit.jupiter.api.Test;

final class LoopStateTest {

  /** An object that marshals itself. */
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
    state.write(new ImageWriter(image), 0);
    return image;
  }

  @Test
  void restoresEveryKindInPlace() {
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

  /** Programs append to a buffer, and send from position to limit. */
  @Test
  void restoresPositionAndLimitOfABuffer() {
    for (ByteBuffer buffer : List.of(ByteBuffer.allocate(11), ByteBuffer.allocateDirect(11))) {
      LoopState state = new LoopState(new Object[] {buffer, StateRef.of(buffer.duplicate())});
      for (byte i = 0; i < 11; i++) {
        buffer.put(i, i);
      }
      buffer.position(3).limit(7);
      MemorySegment image = write(state);
      buffer.clear().put(10, (byte) 0);

      assertBuffer(state, image, buffer);
      buffer.limit(2).position(1);
      assertBuffer(state, image, buffer);
      ByteBuffer other = ByteBuffer.allocate(11);
      StateRef<ByteBuffer> held = StateRef.of(ByteBuffer.allocate(11).position(11));
      assertBuffer(new LoopState(new Object[] {other, held}), image, other);
      assertThat(held.get()).extracting(Buffer::position, Buffer::limit).containsExactly(0, 11);
    }
  }

  private static void assertBuffer(LoopState state, MemorySegment image, ByteBuffer buffer) {
    state.read(image, 0, image.byteSize());
    assertThat(buffer).extracting(Buffer::position, Buffer::limit).containsExactly(3, 7);
    for (int i = 0; i < 11; i++) {
      assertThat(buffer.duplicate().clear().get(i)).isEqualTo((byte) i);
    }
  }

  @Test
  void holdersFollowTheirObject() {
    StateRef<double[]> u = StateRef.of(new double[] {1});
    StateRef<double[]> next = StateRef.of(new double[] {2});
    LoopState state = new LoopState(new Object[] {u, next});
    StateRef.swap(u, next);
    MemorySegment image = write(state);
    StateRef.swap(u, next);
    next.set(new double[3]);
    state.read(image, 0, image.byteSize());
    assertThat(u.get()).containsExactly(2);
    assertThat(next.get()).containsExactly(1);
  }

  /** It may be the only argument, which Java expands: {@code loop(n, body, rows)}. */
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

  /** A replacement's StateRefs may share an array where the checkpoint's did not. */
  @Test
  void holdersOfOneArrayGetTheirOwnBack() {
    double[] best = {3};
    double[] current = {4};
    MemorySegment image =
        write(new LoopState(new Object[] {StateRef.of(best), StateRef.of(current)}));
    double[] initial = {0};
    StateRef<double[]> newBest = StateRef.of(initial);
    StateRef<double[]> newCurrent = StateRef.of(initial);
    new LoopState(new Object[] {newBest, newCurrent}).read(image, 0, image.byteSize());
    assertThat(newBest.get()).containsExactly(3);
    assertThat(newCurrent.get()).containsExactly(4);
    assertThat(initial).as("no longer the state, but still the program's").containsExactly(0);
  }

  @Test
  void restoresSharedObjectsAsShared() {
    double[] shared = {5};
    double[][] rows = {{1}, shared};
    double[] registered = {2};
    Particle particle = new Particle();
    particle.x = 7;
    LoopState state =
        new LoopState(
            new Object[] {
              StateRef.of(shared),
              rows,
              StateRef.of(registered),
              registered,
              StateRef.of(particle),
              particle
            });
    MemorySegment image = write(state);
    StateRef<double[]> newShared = StateRef.of(new double[1]);
    double[][] newRows = {{0}, {0}};
    StateRef<double[]> newHeld = StateRef.of(new double[1]);
    double[] newRegistered = {0};
    Particle newParticle = new Particle();
    StateRef<Particle> newHeldParticle = StateRef.of(new Particle());
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

  /** The initial rows may still be referenced by the program in a replacement. */
  @Test
  void aHolderOfArraysGetsNewOnes() {
    MemorySegment image =
        write(new LoopState(new Object[] {StateRef.of(new int[][][] {{{1, 2}, {3}}, {{4}}})}));
    int[] row = {7, 8};
    int[][] plane = {row, {9}};
    int[][][] initial = {plane, {{0}}};
    StateRef<int[][][]> cube = StateRef.of(initial);
    new LoopState(new Object[] {cube}).read(image, 0, image.byteSize());
    assertThat(cube.get()).isDeepEqualTo(new int[][][] {{{1, 2}, {3}}, {{4}}});
    assertThat(initial).isDeepEqualTo(new int[][][] {{{7, 8}, {9}}, {{0}}});
    assertThat(initial[0]).isSameAs(plane);
    assertThat(plane[0]).isSameAs(row);
  }

  @Test
  void aHolderOfArraysGetsTheSizesOfTheCheckpoint() {
    StateRef<double[][]> grown = StateRef.of(new double[][] {{1}});
    StateRef<double[][]> shrunk = StateRef.of(new double[][] {{1, 2}, {3}});
    StateRef<Object> flat = StateRef.of(new double[] {6});
    LoopState state = new LoopState(new Object[] {grown, shrunk, flat});
    grown.set(new double[][] {{1, 2, 3}, {}, {4}});
    shrunk.set(new double[][] {{5}});
    flat.set(new long[][] {{6}, {7}});
    MemorySegment image = write(state);

    StateRef<double[][]> newGrown = StateRef.of(new double[][] {{1}});
    StateRef<double[][]> newShrunk = StateRef.of(new double[][] {{1, 2}, {3}});
    StateRef<Object> newFlat = StateRef.of(new double[] {6});
    new LoopState(new Object[] {newGrown, newShrunk, newFlat}).read(image, 0, image.byteSize());
    assertThat(newGrown.get()).isDeepEqualTo(new double[][] {{1, 2, 3}, {}, {4}});
    assertThat(newShrunk.get()).isDeepEqualTo(new double[][] {{5}});
    assertThat((long[][]) newFlat.get()).isDeepEqualTo(new long[][] {{6}, {7}});

    grown.set(new double[0][]);
    shrunk.set(new double[7][7]);
    flat.set("anything");
    state.read(image, 0, image.byteSize());
    assertThat(grown.get()).isDeepEqualTo(newGrown.get());
    assertThat(shrunk.get()).isDeepEqualTo(newShrunk.get());
    assertThat((long[][]) flat.get()).isDeepEqualTo(new long[][] {{6}, {7}});
  }

  @Test
  void restoresSharedArraysOfArrays() {
    double[] row = {1};
    double[][] grid = {row, {2}, row};
    double[][] registered = {{3}};
    double[][][] cube = {grid, {{4}}};
    StateRef<double[][]> a = StateRef.of(grid);
    StateRef<double[][]> b = StateRef.of(grid);
    StateRef<double[][]> c = StateRef.of(registered);
    StateRef<double[]> d = StateRef.of(row);
    MemorySegment image = write(new LoopState(new Object[] {a, b, c, registered, cube, d}));

    StateRef<double[][]> newA = StateRef.of(new double[][] {{0}});
    StateRef<double[][]> newB = StateRef.of(new double[][] {{0}, {0}});
    double[][] newRegistered = {{0}};
    StateRef<double[][]> newC = StateRef.of(new double[0][]);
    double[][][] newCube = {{{0}}, {{0}}};
    StateRef<double[]> newD = StateRef.of(new double[1]);
    LoopState replacement =
        new LoopState(new Object[] {newA, newB, newC, newRegistered, newCube, newD});
    replacement.read(image, 0, image.byteSize());
    assertThat(newA.get()).isDeepEqualTo(new double[][] {{1}, {2}, {1}});
    assertThat(newA.get()[2]).isSameAs(newA.get()[0]);
    assertThat(newB.get()).isSameAs(newA.get());
    assertThat(newRegistered).isDeepEqualTo(new double[][] {{3}});
    assertThat(newC.get()).isSameAs(newRegistered);
    assertThat(newCube).isDeepEqualTo(new double[][][] {{{1}, {2}, {1}}, {{4}}});
    assertThat(newCube[0]).isSameAs(newA.get());
    assertThat(newD.get()).isSameAs(newA.get()[0]);
    assertThat(write(replacement).mismatch(image)).as("the same state").isEqualTo(-1);
  }

  @Test
  void distinguishesSwappedStateRefsOfDifferentSizes() {
    StateRef<double[][]> u = StateRef.of(new double[][] {{1}, {2}});
    StateRef<double[][]> next = StateRef.of(new double[][] {{3}});
    LoopState state = new LoopState(new Object[] {u, next});
    MemorySegment image = write(state);
    StateRef.swap(u, next);
    state.read(image, 0, image.byteSize());
    assertThat(u.get()).isDeepEqualTo(new double[][] {{1}, {2}});
    assertThat(next.get()).isDeepEqualTo(new double[][] {{3}});

    double[][] zeros = new double[2][1];
    StateRef<double[][]> newU = StateRef.of(zeros);
    StateRef<double[][]> newNext = StateRef.of(zeros);
    new LoopState(new Object[] {newU, newNext}).read(image, 0, image.byteSize());
    assertThat(newU.get()).isDeepEqualTo(new double[][] {{1}, {2}});
    assertThat(newNext.get()).isDeepEqualTo(new double[][] {{3}});
    assertThat(zeros).isDeepEqualTo(new double[2][1]);
  }

  /** An object that cannot be created is restored in place. */
  @Test
  void aHolderOfObjectsGetsThemBack() {
    double[] array = {1};
    Particle particle = new Particle();
    particle.x = 2;
    StateRef<double[][]> inner = StateRef.of(new double[][] {{3}});
    Object[] objects = {array, particle, inner};
    StateRef<Object[]> holder = StateRef.of(objects);
    LoopState state = new LoopState(new Object[] {holder});
    MemorySegment image = write(state);
    array[0] = 0;
    particle.x = 0;
    inner.set(new double[3][3]);
    state.read(image, 0, image.byteSize());
    assertThat((double[]) holder.get()[0]).containsExactly(1);
    assertThat(holder.get()[1]).isSameAs(particle);
    assertThat(particle.x).isEqualTo(2);
    assertThat(holder.get()[2]).isSameAs(inner);
    assertThat(inner.get()).isDeepEqualTo(new double[][] {{3}});
    assertThat(array).as("no longer the state").containsExactly(0);
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
  void refusesIndistinguishableObjects() {
    Object[][] distinct = {
      {StateRef.of(ByteBuffer.allocate(1)), StateRef.of(ByteBuffer.allocate(1))},
      {StateRef.of(new Particle()), StateRef.of(new Particle())},
      {new double[1], new double[1]},
    };
    ByteBuffer buffer = ByteBuffer.allocate(1);
    Particle particle = new Particle();
    double[] array = {0};
    Object[][] same = {
      {StateRef.of(buffer), StateRef.of(buffer)},
      {StateRef.of(particle), StateRef.of(particle)},
      {array, array},
    };
    for (int i = 0; i < distinct.length; i++) {
      MemorySegment image = write(new LoopState(distinct[i]));
      LoopState state = new LoopState(same[i]);
      assertThatThrownBy(() -> state.read(image, 0, image.byteSize()))
          .as("case %d", i)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is not shared between the same places");
    }
    MemorySegment image = write(new LoopState(new Object[] {array, array}));
    assertThatThrownBy(
            () ->
                new LoopState(new Object[] {new double[1], new double[1]})
                    .read(image, 0, image.byteSize()))
        .hasMessageContaining("state object 1");
  }

  @Test
  void refusesUnsupportedObjects() {
    assertThatThrownBy(() -> new LoopState(new Object[] {new int[1], null}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("state object 1 is null");
    assertThatThrownBy(() -> new LoopState(new Object[] {new double[][] {{1}, null}}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("state object 0[1] is null");
    assertThatThrownBy(() -> new LoopState(new Object[] {new int[1], new Thread()}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("state object 1 is a java.lang.Thread")
        .hasMessageContaining("BytesMarshallable");
    assertThatThrownBy(() -> new LoopState(new Object[] {StateRef.of(StateRef.of(new int[1]))}))
        .hasMessageContaining("state object 0 is a StateRef of a StateRef");
    assertThatThrownBy(
            () -> new LoopState(new Object[] {ByteBuffer.allocate(1).asReadOnlyBuffer()}))
        .hasMessageContaining("read-only");
  }

  // ---- serializable objects

  /** An object of a program. */
  record Task(String name, List<Integer> parts) implements Serializable {}

  @Test
  void aHolderOfASerializableObjectGetsAnEqualOne() {
    Task task = new Task("sort", new ArrayList<>(List.of(1, 2)));
    Random random = new Random(7);
    random.nextGaussian();
    StateRef<Task> heldTask = StateRef.of(task);
    StateRef<Random> heldRandom = StateRef.of(random);
    StateRef<String[]> names = StateRef.of(new String[] {"a", null});
    StateRef<Object> any = StateRef.of(new TreeMap<>(Map.of("x", 1.5, "y", 2.5)));
    StateRef<Object> same = StateRef.of(task);
    LoopState state = new LoopState(new Object[] {heldTask, heldRandom, names, any, same});
    MemorySegment image = write(state);
    double next = random.nextGaussian();
    long after = random.nextLong();
    task.parts().clear();
    heldTask.set(new Task("other", List.of()));
    names.set(new String[5]);
    any.set(new double[1]);
    same.set("text");

    state.read(image, 0, image.byteSize());
    assertThat(heldTask.get()).isEqualTo(new Task("sort", List.of(1, 2))).isNotSameAs(task);
    assertThat(heldRandom.get().nextGaussian()).isEqualTo(next);
    assertThat(heldRandom.get().nextLong()).isEqualTo(after);
    assertThat(names.get()).containsExactly("a", null);
    assertThat(any.get()).isEqualTo(Map.of("x", 1.5, "y", 2.5));
    assertThat(same.get()).as("one object again").isSameAs(heldTask.get());
  }

  @Test
  void aSerializableObjectBelongsInAHolder() {
    for (Object object : List.of("text", new Random(), new ArrayList<>(), new Integer[] {1})) {
      assertThatThrownBy(() -> new LoopState(new Object[] {new int[1], object}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("state object 1")
          .hasMessageContaining("put it into a StateRef");
      write(new LoopState(new Object[] {new int[1], StateRef.of(object)}));
    }
  }

  @Test
  void namesWhatCannotBeSerialized() {
    LoopState state =
        new LoopState(
            new Object[] {new int[1], StateRef.of(new ArrayList<>(List.of(new Particle())))});
    assertThatThrownBy(state::bytes)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the loop's state object 1, a java.util.ArrayList, cannot be saved: it refers to a "
                + Particle.class.getName()
                + ", which is not java.io.Serializable");
  }

  @Test
  void namesWhatCannotBeDeserialized() {
    MemorySegment image = write(new LoopState(new Object[] {StateRef.of("text")}));
    assertThatThrownBy(
            () -> new LoopState(new Object[] {new int[1]}).read(image, 0, image.byteSize()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("state object 0 is int[]")
        .hasMessageContaining("a StateRef of a serialized object");
    image.set(ValueLayout.JAVA_BYTE, 16, (byte) 0);
    assertThatThrownBy(
            () ->
                new LoopState(new Object[] {StateRef.of("text")}).read(image, 0, image.byteSize()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("state object 0, a java.lang.String, cannot be restored");
  }

  @Test
  void knowsItsObjects() {
    double[] u = {1};
    double[][] rows = {{1}, {2}};
    assertThat(new LoopState(new Object[] {u, rows}).isOf(new Object[] {u, rows})).isTrue();
    assertThat(new LoopState(new Object[] {u}).isOf(new Object[] {u.clone()})).isFalse();
    assertThat(new LoopState(new Object[] {u}).isOf(new Object[] {u, rows})).isFalse();
    assertThat(new LoopState(rows).isOf(rows)).isTrue();
    assertThat(new LoopState(rows).isOf(rows.clone())).isFalse();
  }

  @Test
  void reportsThatAnotherStateWasRegistered() {
    MemorySegment image = write(new LoopState(new Object[] {new double[3]}));
    assertThatThrownBy(
            () -> new LoopState(new Object[] {new double[4]}).read(image, 0, image.byteSize()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("state object 0");
    assertThatThrownBy(
            () -> new LoopState(new Object[] {new int[6]}).read(image, 0, image.byteSize()))
        .hasMessageContaining("DOUBLES");
    MemorySegment buffer = write(new LoopState(new Object[] {ByteBuffer.allocate(5)}));
    assertThatThrownBy(
            () ->
                new LoopState(new Object[] {ByteBuffer.allocate(6)})
                    .read(buffer, 0, buffer.byteSize()))
        .hasMessageContaining("BUFFER of size 5");
    assertThatThrownBy(() -> new LoopState(new Object[] {}).read(image, 0, image.byteSize()))
        .hasMessageContaining("more objects");
  }

  // ---- layouts

  private static ArrayBlock block(Object state, long from) {
    return ArrayBlock.of(
        state, new long[] {30}, new long[] {from}, new long[] {3}, new long[] {5}, new long[] {1});
  }

  @Test
  void restoresBlocksAndReplicatedObjectsWithGhostPoints() {
    double[] u = {0, 1, 2, 3, 4};
    StateRef<int[]> held = StateRef.of(new int[] {5, 6, 7, 8, 9});
    long[] sums = {10};
    Object[] roots = {
      block(u, 6), block(held, 6), Replicated.of(sums), Replicated.of(StateRef.of("text"))
    };
    LoopState state = new LoopState(roots);
    assertThat(state.isOf(roots)).isTrue();
    assertThat(state.objects()).isEqualTo(4);
    MemorySegment image = write(state);
    Arrays.fill(u, -1);
    held.set(new int[5]);
    sums[0] = 0;
    state.read(image, 0, image.byteSize());
    assertThat(u).containsExactly(0, 1, 2, 3, 4);
    assertThat(held.get()).containsExactly(5, 6, 7, 8, 9);
    assertThat(sums).containsExactly(10);
  }

  @Test
  void refusesAMovedBlockByNumber() {
    MemorySegment image =
        write(new LoopState(new Object[] {Replicated.of(new int[1]), block(new int[5], 6)}));
    LoopState other = new LoopState(new Object[] {Replicated.of(new int[1]), block(new int[5], 9)});
    assertThatThrownBy(() -> other.read(image, 0, image.byteSize()))
        .hasMessageContaining("object 1 is org.fmi.ArrayBlock")
        .hasMessageContaining("another place among");
    LoopState plain = new LoopState(new Object[] {Replicated.of(new int[1]), new int[5]});
    assertThatThrownBy(() -> plain.read(image, 0, image.byteSize()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("object 1");
    LoopState boxed = new LoopState(new Object[] {block(new int[5], 6)});
    MemorySegment unboxed = write(new LoopState(new Object[] {new int[5]}));
    assertThatThrownBy(() -> boxed.read(unboxed, 0, unboxed.byteSize()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("object 0");
  }

  @Test
  void refusesABlockThatDoesNotFitItsArray() {
    assertThatThrownBy(() -> new LoopState(new Object[] {new int[1], block(new int[6], 0)}))
        .hasMessage(
            "the loop's state object 1 is an ArrayBlock of a local array of 5 elements, but the"
                + " array has 6");
    assertThatThrownBy(() -> new LoopState(new Object[] {block(new int[5][5], 0)}))
        .hasMessageContaining(
            "is an ArrayBlock of a int[][]: its state must be a one-dimensional primitive array");
    assertThatThrownBy(() -> new LoopState(new Object[] {StateRef.of(block(new int[5], 0))}))
        .hasMessageContaining("wrap the outer object instead");
    assertThatThrownBy(() -> new LoopState(new Object[] {new Object[] {Replicated.of(new int[5])}}))
        .hasMessageContaining("wrap the outer object instead");
    // The array of a StateRef has changed since.
    StateRef<int[]> held = StateRef.of(new int[5]);
    LoopState state = new LoopState(new Object[] {block(held, 0)});
    held.set(new int[4]);
    assertThatThrownBy(state::bytes).hasMessageContaining("5 elements, but the array has 4");
  }

  // ---- names

  @Test
  void namedStateComesBackAndMayBeMixedWithOther() {
    double[] u = {1, 2};
    StateRef<String> text = StateRef.of("before");
    long[] sums = {3};
    int[] plain = {4};
    Object[] roots = {
      State.of("u", u),
      State.of("a text, \u00fc", text),
      plain,
      State.of("sums", Replicated.of(sums))
    };
    LoopState state = new LoopState(roots);
    assertThat(state.objects()).isEqualTo(4);
    assertThat(state.name(1)).isEqualTo("a text, \u00fc");
    assertThat(state.name(2)).isNull();
    assertThat(state.object(0)).isSameAs(u);
    assertThat(state.layout(3)).isNotNull();
    MemorySegment image = write(state);
    u[1] = 0;
    text.set("after");
    sums[0] = 0;
    plain[0] = 0;
    state.read(image, 0, image.byteSize());
    assertThat(u).containsExactly(1, 2);
    assertThat(text.get()).isEqualTo("before");
    assertThat(sums).containsExactly(3);
    assertThat(plain).containsExactly(4);
  }

  /** A program may begin to give names, or cease to, between two jobs. */
  @Test
  void namesThatOnlyOneSideHasDoNotMatter() {
    int[] u = {1};
    int[] v = {2};
    StateRef<int[]> again = StateRef.of(u);
    Object[] named = {State.of("u", u), State.of("v", Replicated.of(v)), State.of("again", again)};
    Object[] unnamed = {u, Replicated.of(v), again};
    for (Object[] before : List.of(named, unnamed)) {
      for (Object[] now : List.of(named, unnamed)) {
        u[0] = 1;
        v[0] = 2;
        MemorySegment image = write(new LoopState(before));
        u[0] = 0;
        v[0] = 0;
        new LoopState(now).read(image, 0, image.byteSize());
        assertThat(u).containsExactly(1);
        assertThat(v).containsExactly(2);
        assertThat(again.get()).isSameAs(u);
      }
    }
  }

  @Test
  void otherNamesAreRefusedWithBoth() {
    int[] u = {1};
    int[] v = {2};
    MemorySegment image = write(new LoopState(new Object[] {State.of("u", u), State.of("v", v)}));
    List<Object[]> others =
        List.of(
            new Object[] {State.of("v", v), State.of("u", u)},
            new Object[] {State.of("v", u), State.of("w", v)},
            new Object[] {State.of("v", u), v});
    for (Object[] other : others) {
      LoopState state = new LoopState(other);
      assertThatThrownBy(() -> state.read(image, 0, image.byteSize()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the loop's state object 0 is named \"v\", but the checkpoint holds \"u\" there:"
                  + " register the same state, with the same names in the same order, in every"
                  + " run");
    }
    LoopState fewer = new LoopState(new Object[] {State.of("u", u)});
    assertThatThrownBy(() -> fewer.read(image, 0, image.byteSize()))
        .hasMessageContaining("the checkpoint holds more objects");
  }

  @Test
  void messagesNameStateThatHasAName() {
    assertThatThrownBy(() -> new LoopState(new Object[] {State.of("t", new Object())}))
        .hasMessageStartingWith(
            "the loop's state \"t\" is a java.lang.Object: use primitive arrays");
    assertThatThrownBy(() -> new LoopState(new Object[] {State.of("rows", new int[2][])}))
        .hasMessage("the loop's state \"rows\"[0] is null");
    assertThatThrownBy(() -> new LoopState(new Object[] {State.of("b", block(new int[6], 0))}))
        .hasMessageStartingWith("the loop's state \"b\" is an ArrayBlock of a local array of 5");
    LoopState state = new LoopState(new Object[] {State.of("sums", Replicated.of(new int[1]))});
    assertThat(state.describeObject(0))
        .isEqualTo("the loop's state \"sums\", a org.fmi.Replicated");
    MemorySegment image = write(new LoopState(new Object[] {State.of("u", new int[4])}));
    LoopState longer = new LoopState(new Object[] {State.of("u", new int[5])});
    assertThatThrownBy(() -> longer.read(image, 0, image.byteSize()))
        .hasMessageStartingWith(
            "the loop's state \"u\" is int[], but the checkpoint holds INTS of");
  }

  @Test
  void aNameIsGivenOnceAndStandsAroundItsState() {
    Object[] twice = {State.of("u", new int[1]), new int[1], State.of("u", new long[1])};
    assertThatThrownBy(() -> new LoopState(twice))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("two state objects of the loop have the name \"u\": give each its own");
    State inner = State.of("inner", new int[1]);
    List<Object> wrong =
        List.of(
            Replicated.of(inner),
            State.of("outer", Replicated.of(inner)),
            Replicated.of(Replicated.of(new int[1])),
            StateRef.of(inner),
            new Object[] {inner});
    for (Object each : wrong) {
      assertThatThrownBy(() -> new LoopState(new Object[] {each}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("inside another object: wrap the outer object instead");
    }
  }

  /** So a loop by calls may name its state in each call. */
  @Test
  void namesMayBeGivenAnew() {
    int[] u = {1};
    int[] v = {2};
    LoopState state =
        new LoopState(new State[] {State.of("u", u), State.of("v", Replicated.of(v))});
    assertThat(state.objects()).isEqualTo(2);
    assertThat(state.isOf(new Object[] {State.of("u", u), State.of("v", Replicated.of(v))}))
        .isTrue();
    assertThat(state.isOf(new Object[] {State.of("w", u), State.of("v", Replicated.of(v))}))
        .isFalse();
    assertThat(state.isOf(new Object[] {u, State.of("v", Replicated.of(v))})).isFalse();
    assertThat(state.isOf(new Object[] {State.of("u", v), State.of("v", Replicated.of(v))}))
        .isFalse();
    assertThat(state.isOf(new Object[] {State.of("u", u), State.of("v", Replicated.of(u))}))
        .isFalse();
    assertThat(state.isOf(new Object[] {State.of("u", u), State.of("v", v)})).isFalse();
  }
}
