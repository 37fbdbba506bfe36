package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReducerTest {
  private static boolean makesSense(Op.Predefined op, Datatype type) {
    return switch (op) {
      case LAND, LOR, LXOR -> type != Datatype.FLOAT && type != Datatype.DOUBLE;
      case BAND, BOR, BXOR ->
          type != Datatype.FLOAT && type != Datatype.DOUBLE && type != Datatype.BOOLEAN;
      case MAX, MIN, SUM, PROD, MAXLOC, MINLOC -> type != Datatype.BOOLEAN;
    };
  }

  @ParameterizedTest
  @EnumSource
  void appliesEachOperationToEachType(Op.Predefined op) {
    for (Datatype.Predefined type : Datatype.Predefined.values()) {
      if (!makesSense(op, type)) {
        assertThatThrownBy(() -> Reducer.of(op, type))
            .isInstanceOfSatisfying(
                FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.OP))
            .hasMessageContaining(op.name())
            .hasMessageContaining(type.name());
        continue;
      }
      Reducer reducer = Reducer.of(op, type);
      for (int n : new int[] {0, 2, 34}) {
        Object left = Vectors.small(type, n, 3, 0, op);
        Object right = Vectors.small(type, n, 3, 1, op);
        Object expected = Vectors.small(type, n, 3, 0, op);
        Vectors.model(op, expected, right);
        long bytes = (long) n * type.bytes();
        Location second = new Location(right, 0);
        reducer.combine(new Location(left, 0), second, bytes);
        Vectors.assertSame(right, expected, op + " of " + type);
        Vectors.assertSame(left, Vectors.small(type, n, 3, 0, op), "left operand");
      }
    }
  }

  @Test
  void locationsPreferTheLowerIndexAndPropagateNaN() {
    double nan = Double.NaN;
    assertThat(combine(Op.MAXLOC, 3, 7, 3, 5)).containsExactly(3, 5);
    assertThat(combine(Op.MAXLOC, 3, 5, 3, 7)).containsExactly(3, 5);
    assertThat(combine(Op.MINLOC, 3, 5, 2, 7)).containsExactly(2, 7);
    assertThat(combine(Op.MAXLOC, nan, 5, 3, 7)).containsExactly(nan, 5);
    assertThat(combine(Op.MAXLOC, 3, 5, nan, 7)).containsExactly(nan, 7);
    assertThat(combine(Op.MINLOC, nan, 9, nan, 7)).containsExactly(nan, 7);
    assertThat(combine(Op.MINLOC, 3, 5, nan, 7)).containsExactly(nan, 7);
  }

  @Test
  void locationsOfFloatsDoTheSame() {
    float nan = Float.NaN;
    assertThat(combineFloats(Op.MAXLOC, 3, 7, 3, 5)).containsExactly(3, 5);
    assertThat(combineFloats(Op.MINLOC, 3, 5, 2, 7)).containsExactly(2, 7);
    assertThat(combineFloats(Op.MAXLOC, 3, 5, nan, 7)).containsExactly(nan, 7);
    assertThat(combineFloats(Op.MINLOC, nan, 9, nan, 7)).containsExactly(nan, 7);
    assertThat(combineFloats(Op.MAXLOC, 0.0f, 7, -0.0f, 7)).containsExactly(0.0f, 7);
    assertThat(combineFloats(Op.MINLOC, -0.0f, 7, 0.0f, 7)).containsExactly(0.0f, 7);
  }

  private static double[] combine(Op op, double... pairs) {
    double[] right = {pairs[2], pairs[3]};
    Reducer.of(op, Datatype.DOUBLE)
        .combine(new Location(new double[] {pairs[0], pairs[1]}, 0), new Location(right, 0), 16);
    return right;
  }

  private static float[] combineFloats(Op op, float... pairs) {
    float[] right = {pairs[2], pairs[3]};
    Reducer.of(op, Datatype.FLOAT)
        .combine(new Location(new float[] {pairs[0], pairs[1]}, 0), new Location(right, 0), 8);
    return right;
  }

  @Test
  void anOperationOfTheProgramsOwnWorksFromIndexZero() {
    List<String> calls = new ArrayList<>();
    Op op =
        Op.of(
            (in, inOut, count, type) -> {
              calls.add(((int[]) in)[0] + " " + ((int[]) inOut)[0] + " " + count + " " + type);
              for (int i = 0; i < count; i++) {
                ((int[]) inOut)[i] += 10 * ((int[]) in)[i];
              }
            },
            false);
    int[] left = {0, 0, 1, 2};
    int[] right = {0, 3, 4, 0};
    Reducer.of(op, Datatype.INT).combine(new Location(left, 8), new Location(right, 4), 8);
    assertThat(right).containsExactly(0, 13, 24, 0);
    assertThat(left).containsExactly(0, 0, 1, 2);
    assertThat(calls).containsExactly("1 3 2 INT");
  }

  @Test
  void typedOperationsCombineElementsInOrder() {
    int[] left = {0, 5, 6};
    int[] right = {0, 2, 3};
    Op minus = Op.ofInt((a, b) -> a - b, false);
    assertThat(minus.commutative()).isFalse();
    Reducer.of(minus, Datatype.INT).combine(new Location(left, 4), new Location(right, 4), 8);
    assertThat(right).containsExactly(0, 3, 3);
    assertThat(left).containsExactly(0, 5, 6);
    long[] longs = {1L << 40};
    Reducer.of(Op.ofLong((a, b) -> a + 2 * b, true), Datatype.LONG)
        .combine(new Location(new long[] {7}, 0), new Location(longs, 0), 8);
    assertThat(longs).containsExactly(7 + (1L << 41));
    double[] doubles = {2};
    Reducer.of(Op.ofDouble(Math::pow, true), Datatype.DOUBLE)
        .combine(new Location(new double[] {0.5}, 0), new Location(doubles, 0), 8);
    assertThat(doubles).containsExactly(0.25);
  }

  @Test
  void typedOperationsRefuseOtherTypes() {
    Map<Datatype.Predefined, Op> typed =
        Map.of(
            Datatype.Predefined.DOUBLE, Op.ofDouble(Double::sum, true),
            Datatype.Predefined.LONG, Op.ofLong(Long::sum, true),
            Datatype.Predefined.INT, Op.ofInt(Integer::sum, true));
    typed.forEach(
        (own, op) -> {
          for (Datatype.Predefined type : Datatype.Predefined.values()) {
            if (type == own) {
              assertThat(Reducer.of(op, type).type()).isEqualTo(type);
              continue;
            }
            assertThatThrownBy(() -> Reducer.of(op, type))
                .isInstanceOfSatisfying(
                    FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.OP))
                .hasMessageContaining("combines " + own + " elements, not " + type);
          }
        });
  }
}
