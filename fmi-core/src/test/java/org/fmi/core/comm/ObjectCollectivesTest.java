package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Collectives of objects. */
final class ObjectCollectivesTest {
  private static final int RANKS = 4;

  /** {@code x -> a x + b}: the order in which two are joined matters. */
  record Line(long a, long b, double[] ballast) implements Serializable {
    static Line of(int rank) {
      return new Line(rank + 2, rank, new double[1_000 * rank]);
    }

    Line after(Line first) {
      return new Line(a * first.a, a * first.b + b, new double[0]);
    }

    boolean is(Line other) {
      return a == other.a && b == other.b;
    }
  }

  private static Line joined() {
    return IntStream.range(0, RANKS).mapToObj(Line::of).reduce(Line::after).orElseThrow();
  }

  private static void assertAre(List<@Nullable Line> lines) {
    assertThat(lines).hasSize(RANKS);
    for (int rank = 0; rank < RANKS; rank++) {
      Line line = Objects.requireNonNull(lines.get(rank));
      assertThat(line.is(Line.of(rank))).isTrue();
      assertThat(line.ballast).hasSize(1_000 * rank);
    }
  }

  @Test
  void objectsOfAllRanks() {
    Worlds.run(
        RANKS,
        world -> {
          int rank = world.rank();
          Line own = Line.of(rank);
          for (int root = 0; root < RANKS; root++) {
            boolean isRoot = rank == root;
            Line sent = world.bcastObject(isRoot ? own : null, root);
            assertThat(Objects.requireNonNull(sent).is(Line.of(root))).isTrue();
            List<@Nullable Line> gathered = world.gatherObjects(own, root);
            if (isRoot) {
              assertAre(gathered);
              assertThat(gathered.get(rank)).isSameAs(own);
            } else {
              assertThat(gathered).isEmpty();
            }
            List<Line> toScatter = IntStream.range(0, RANKS).mapToObj(Line::of).toList();
            Line scattered = world.scatterObjects(isRoot ? toScatter : null, root);
            assertThat(Objects.requireNonNull(scattered).is(own)).isTrue();
            Line reduced = world.reduceObject(own, Line::after, root);
            assertThat(reduced != null).isEqualTo(isRoot);
            if (reduced != null) {
              assertThat(reduced.is(joined())).isTrue();
            }
          }
          assertAre(world.allGatherObjects(own));
          Line all = world.allReduceObject(own, Line::after);
          assertThat(Objects.requireNonNull(all).is(joined())).isTrue();
        });
  }

  @Test
  void nullIsAnObjectToo() {
    Worlds.run(
        3,
        world -> {
          assertThat(world.<String>bcastObject(null, 1)).isNull();
          String mine = world.rank() == 1 ? null : "of " + world.rank();
          assertThat(world.allGatherObjects(mine)).containsExactly("of 0", null, "of 2");
          List<@Nullable String> parts = new ArrayList<>(Collections.nCopies(3, null));
          parts.set(2, "two");
          assertThat(world.scatterObjects(parts, 0)).isEqualTo(world.rank() == 2 ? "two" : null);
        });
  }

  private static void assertFails(ErrorClass errorClass, String text, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(errorClass))
        .hasMessageContaining(text);
  }

  /** Nobody waits for a rank whose object cannot be sent, and the next call works. */
  @Test
  void anObjectThatCannotBeSentEndsTheCallAtAllWhoNeedIt() {
    Worlds.run(
        3,
        world -> {
          boolean bad = world.rank() == 1;
          Object mine = bad ? new Thread() : "good";
          String own = "a java.lang.Thread cannot be sent";
          String ofOther = "rank 1 has sent no object";
          String seen = bad ? own : ofOther;
          assertFails(ErrorClass.TYPE, seen, () -> world.bcastObject(mine, 1));
          assertFails(ErrorClass.TYPE, seen, () -> world.allGatherObjects(mine));
          assertFails(ErrorClass.TYPE, seen, () -> world.scatterObjects(List.of(1, mine, 2), 1));
          if (world.rank() == 2) {
            assertThat(world.gatherObjects(mine, 0)).isEmpty();
          } else {
            assertFails(ErrorClass.TYPE, seen, () -> world.gatherObjects(mine, 0));
          }
          String ofReduction =
              bad ? own : world.rank() == 0 ? ofOther : "rank 0 has sent no object";
          assertFails(ErrorClass.TYPE, ofReduction, () -> world.allReduceObject(mine, (a, b) -> a));
          assertThat(world.allReduceObject(world.rank(), Integer::sum)).isEqualTo(3);
        });
  }

  @Test
  void whatAnOperationThrowsEndsTheCallAtAllRanks() {
    Worlds.run(
        2,
        world -> {
          ThrowingCallable call =
              () ->
                  world.allReduceObject(
                      world.rank(),
                      (a, b) -> {
                        throw new ArithmeticException("of the operation");
                      });
          if (world.rank() == 0) {
            assertThatThrownBy(call).isInstanceOf(ArithmeticException.class);
          } else {
            assertFails(ErrorClass.TYPE, "rank 0 has sent no object", call);
          }
          assertFails(ErrorClass.ROOT, "2", () -> world.bcastObject("x", 2));
          if (world.rank() == 0) {
            assertFails(
                ErrorClass.ARG,
                "objects has 1 elements: give one for each of the 2 ranks",
                () -> world.scatterObjects(List.of("x"), 0));
          }
        });
  }
}
