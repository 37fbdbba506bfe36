package org.fmi.core.coll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiFunction;
import org.fmi.Datatype;
import org.fmi.Op;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operands are combined in any memory: in arrays, and in segments on and off the heap. */
class ScratchTest {
  /** Places for n elements of a type, each with its own offset, in an array or a segment. */
  private static final List<BiFunction<Datatype.Predefined, Integer, Location>> PLACES =
      List.of(
          (type, n) -> new Location(Vectors.array(type, n), 0),
          (type, n) -> new Location(Vectors.array(type, n + 6), 6L * type.bytes()),
          (type, n) -> segment(Arena.ofAuto().allocate(3L + n * type.bytes()), 3),
          (type, n) -> segment(MemorySegment.ofArray(new byte[n * type.bytes() + 5]), 5));

  private static Location segment(MemorySegment memory, long at) {
    return new Location(memory, at);
  }

  private static Location filled(Location place, Object content, long bytes) {
    new Location(content, 0).copyTo(place, bytes);
    return place;
  }

  private static Object content(Datatype.Predefined type, Location place, int n) {
    Object array = Vectors.array(type, n);
    place.copyTo(new Location(array, 0), (long) n * type.bytes());
    return array;
  }

  /** Nothing, less than a block, whole blocks, and whole blocks plus a part. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2, 1024, 8192, 10_002})
  void combinesWhereverOperandsAre(int n) {
    assertCombines(Datatype.Predefined.DOUBLE, Op.Predefined.SUM, n);
    assertCombines(Datatype.Predefined.LONG, Op.Predefined.MAXLOC, n);
  }

  @ParameterizedTest
  @EnumSource
  void combinesEachType(Datatype.Predefined type) {
    Op.Predefined op = type == Datatype.Predefined.BOOLEAN ? Op.Predefined.LXOR : Op.Predefined.SUM;
    assertCombines(type, op, 34);
  }

  private static void assertCombines(Datatype.Predefined type, Op.Predefined op, int n) {
    Reducer reducer = Reducer.of(op, type);
    Scratch scratch = new Scratch();
    long bytes = (long) n * type.bytes();
    Object mine = Vectors.small(type, n, 3, 0, op);
    Object theirs = Vectors.small(type, n, 3, 1, op);
    Object expected = Vectors.small(type, n, 3, 0, op);
    Vectors.model(op, expected, theirs);
    for (int l = 0; l < PLACES.size(); l++) {
      for (int r = 0; r < PLACES.size(); r++) {
        for (int to = 0; to < PLACES.size(); to++) {
          String what = type + ", places " + l + ", " + r + " and " + to;
          Location left = filled(PLACES.get(l).apply(type, n), mine, bytes);
          Location right = filled(PLACES.get(r).apply(type, n), theirs, bytes);
          Location result = PLACES.get(to).apply(type, n);
          scratch.combine(reducer, left, right, result, bytes);
          Vectors.assertSame(content(type, result, n), expected, what);
          Vectors.assertSame(content(type, left, n), mine, what + ": left");
          Vectors.assertSame(content(type, right, n), theirs, what + ": right");
          scratch.combine(reducer, left, right, right, bytes);
          Vectors.assertSame(content(type, right, n), expected, what + ": in place");
        }
      }
    }
  }
}
