package org.fmi.core.captured;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.fmi.LoopBody;
import org.fmi.StateRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Differences after a body has run once more, and their names. */
final class ReachedTest {
  /** Differences beside the state after one more run. */
  private static String changes(LoopBody body, Object... state) {
    List<Object> all = List.of(state);
    LoopCode code = new LoopCode(body, caller());
    Reached first = code.look(in(all));
    try {
      body.run(0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return code.changesSince(first, in(all));
  }

  @SuppressWarnings("ReferenceEquality") // identity matters, not contents
  private static Predicate<Object> in(List<Object> state) {
    return object -> state.stream().anyMatch(s -> s == object);
  }

  /** The test's method. */
  private static StackWalker.StackFrame caller() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .dropWhile(f -> Set.of("caller", "changes").contains(f.getMethodName()))
                    .findFirst())
        .orElseThrow();
  }

  // ---- captured variables

  @Test
  void namesACapturedArrayAsInTheSource() {
    long[] sum = {5};
    double[] other = {1};
    assertThat(changes(n -> sum[0] += (long) other[0]))
        .isEqualTo("sum, a long[], element 0: 5 the first time, 6 when repeated");
  }

  @Test
  void stateMayDifferAndRewrittenDataDoesNot() {
    long[] sum = {5};
    double[] scratch = new double[4];
    changes(n -> scratch[3] = 7);
    assertThat(
            changes(
                n -> {
                  sum[0]++;
                  scratch[3] = 7;
                },
                sum))
        .isEmpty();
  }

  @Test
  void treatsAllNaNsAlike() {
    double[] undefined = {1, Double.longBitsToDouble(0x7ff8_0000_0000_0000L)};
    double other = Double.longBitsToDouble(0xfff8_0000_0000_0000L);
    assertThat(changes(n -> undefined[1] = other)).isEmpty();
  }

  @Test
  void numbersVariablesOfLambdasThatCaptureTheSameTypes() {
    long[] one = {1};
    long[] two = {2};
    LoopBody first = n -> one[0]++; // names are ambiguous
    LoopBody second = n -> two[0]++;
    assertThat(changes(first)).startsWith("variable 1, a long[], element 0: 1 ");
    assertThat(changes(second)).startsWith("variable 1, a long[], element 0: 2 ");
  }

  @Test
  void namesVariablesOfLambdasThatAreMadeForTheCall() {
    long[] one = {1};
    long[] two = {2};
    assertThat(changes(n -> one[0]++)).startsWith("one, a long[], element 0: 1 ");
    assertThat(changes(n -> two[0]++)).startsWith("two, a long[], element 0: 2 ");
  }

  @Test
  void anInnerClassHasTheNamesItself() {
    int[] calls = {0};
    assertThat(
            changes(
                new LoopBody() {
                  int own;

                  @Override
                  public void run(long iteration) {
                    own++;
                    calls[0]++;
                  }
                }))
        .isEqualTo(
            "own: 0 the first time, 1 when repeated; calls, an int[], element 0: 0 the first time,"
                + " 1 when repeated");
  }

  // ---- objects of the program

  /** An object with a field of each kind. */
  @SuppressWarnings("UnusedVariable") // by the code under test
  private static class Solver {
    int steps;
    final double[][] rows = {{1, 2}, {3, 4}};
    transient long nanos;
    Solver next = this;

    void step(long n) {
      steps++;
      rows[1][0]++;
      nanos += 17;
    }

    LoopBody body() {
      return n -> {
        steps += rows.length;
        next = this;
      };
    }
  }

  @Test
  void followsFieldsExceptTransientOnes() {
    Solver solver = new Solver();
    assertThat(changes(n -> solver.step(n)))
        .isEqualTo(
            "solver.steps: 0 the first time, 1 when repeated;"
                + " solver.rows[1], a double[], element 0: 3.0 the first time, 4.0 when repeated");
    assertThat(changes(solver.body())).isEqualTo("this.steps: 1 the first time, 3 when repeated");
  }

  @Test
  void numbersTheObjectOfAMethodReference() {
    assertThat(changes(new Solver()::step)).startsWith("variable 1.steps: 0 the first time");
  }

  @Test
  void fieldsThatAreStateMayDiffer() {
    Solver solver = new Solver();
    assertThat(changes(n -> solver.rows[1][0]++, (Object) solver.rows)).isEmpty();
    assertThat(changes(n -> solver.rows[1][0]++, (Object) solver.rows[1])).isEmpty();
  }

  @Test
  void countsDifferencesBeyondThree() {
    int[][] many = new int[5][1];
    assertThat(
            changes(
                n -> {
                  for (int[] each : many) {
                    each[0]++;
                  }
                }))
        .contains("many[0], an int[]", "many[2]", "(and 2 more)")
        .doesNotContain("many[3]");
  }

  @Test
  void followsAListOfAnyLength() {
    class Node {
      @Nullable Node next;
      int value;
    }
    Node head = new Node();
    Node last = head;
    for (int i = 0; i < 20_000; i++) {
      last.next = new Node();
      last = last.next;
    }
    Node[] end = {last};
    assertThat(
            changes(
                n -> {
                  head.value++;
                  end[0].value++;
                },
                (Object) end))
        .startsWith("head.value: 0 the first time, 1 when repeated; head.next.next.next")
        .endsWith(".next.value: 0 the first time, 1 when repeated");
  }

  // ---- objects of the JDK and of FMI

  @Test
  void comparesCollectionsByContents() {
    List<Integer> list = new ArrayList<>();
    Set<String> set = new HashSet<>();
    Map<String, long[]> map = new HashMap<>(Map.of("a", new long[1]));
    assertThat(changes(n -> list.add(1)))
        .isEqualTo("list, a collection: 0 elements the first time, 1 elements when repeated");
    assertThat(changes(n -> set.add("x" + set.size()))).contains("set, a collection: length 0 the");
    assertThat(changes(n -> map.computeIfPresent("a", (k, v) -> new long[] {v[0] + 1})))
        .contains("map[a], a long[], element 0: 0 the");
    assertThat(changes(n -> map.put("b", new long[1]))).contains("map, a map: 1 elements the");
    assertThat(changes(n -> map.put("b", new long[1]))).as("a cache").isEmpty();
  }

  @Test
  void followsChangingNumbersAndStateRefs() {
    AtomicLong atomic = new AtomicLong();
    StateRef<long[]> holder = StateRef.of(new long[1]);
    assertThat(changes(n -> atomic.incrementAndGet())).contains("atomic: 0 the first time, 1 when");
    assertThat(changes(n -> holder.set(new long[] {holder.get()[0] + 1})))
        .contains("holder.get(), a long[], element 0: 0 the first time, 1 when");
    assertThat(changes(n -> holder.set(holder.get().clone()))).isEmpty();
  }

  @Test
  void comparesReadableMemory() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(8);
    assertThat(changes(n -> buffer.put(3, (byte) (buffer.get(3) + 1)))).contains("buffer, a ");
    Arena arena = Arena.ofConfined();
    MemorySegment segment = arena.allocate(16);
    LoopBody adds =
        n -> segment.set(ValueLayout.JAVA_LONG, 8, segment.get(ValueLayout.JAVA_LONG, 8) + 1);
    assertThat(changes(adds)).contains("segment, a ", "has different elements when repeated");
    LoopCode code = new LoopCode(adds, caller());
    Reached open = code.look(in(List.of()));
    arena.close();
    assertThat(code.changesSince(open, in(List.of()))).isEmpty();
  }

  // ---- static fields

  @SuppressWarnings("UnusedVariable") // by the code under test
  private static final class Counts {
    static final long[] CALLS = new long[1];
    static transient long nanos;
    static int last;

    private Counts() {}

    static void count() {
      CALLS[0]++;
      nanos += 3;
      last++;
    }
  }

  private static final class NeverUsed {
    static final List<String> LOADED = new ArrayList<>();

    static {
      System.setProperty("org.fmi.core.captured.NeverUsed", "initialized");
    }

    private NeverUsed() {}
  }

  @Test
  void followsStaticFieldsOfClassesThatTheBodyUses() {
    LoopBody body =
        n -> {
          Counts.count();
          if (n < 0) {
            NeverUsed.LOADED.add("never");
          }
        };
    Counts.CALLS[0] = 0;
    Counts.last = 0;
    changes(body);
    assertThat(changes(body))
        .contains("Counts.CALLS, a long[], element 0: 1 the first time, 2 when repeated")
        .contains("Counts.last: 1 the first time, 2 when repeated")
        .doesNotContain("nanos");
    assertThat(System.getProperty("org.fmi.core.captured.NeverUsed")).isNull();
  }

  @Test
  void examinesStaticFieldsOfALoopWithoutABody() {
    Counts.count();
    LoopCode code = new LoopCode(null, caller());
    Reached first = code.look(in(List.of()));
    Counts.count();
    assertThat(code.changesSince(first, in(List.of())))
        .contains("Counts.CALLS, a long[], element 0: ");
  }
}
