package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.fmi.core.p2p.CollectiveCall.NONE;

import org.fmi.Datatype.Predefined;
import org.fmi.Op;
import org.fmi.core.p2p.CollectiveCall.Name;
import org.junit.jupiter.api.Test;

final class CollectiveCallTest {
  @Test
  void isReadByAPerson() {
    assertText(CollectiveCall.of(Name.BARRIER, null, NONE, NONE), "barrier()");
    assertText(CollectiveCall.of(Name.BCAST, Predefined.DOUBLE, 0, 64), "bcast(double[8], root 0)");
    assertText(
        CollectiveCall.of(Name.GATHERV, Predefined.INT, 65535, NONE), "gatherv(int[], root 65535)");
    assertText(CollectiveCall.of(Name.SCATTER, Predefined.INT, 3, 0), "scatter(root 3)");
    assertText(
        CollectiveCall.of(Name.REDUCE, Predefined.DOUBLE, Op.MINLOC, 2, 1L << 33),
        "reduce(double[] of 16 MiB or more, MINLOC, root 2)");
    assertText(
        CollectiveCall.of(Name.BCAST, Predefined.BYTE, 1, (1 << 24) - 2),
        "bcast(byte[16777214], root 1)");
    assertText(
        CollectiveCall.in(Turns.END - 1, CollectiveCall.of(Name.BCAST, Predefined.INT, 1, 4)),
        "bcast(int[1], root 1)");
    assertText(
        CollectiveCall.of(Name.SCAN, Predefined.BYTE, user(), NONE, 3),
        "scan(byte[3], an Op of the program)");
    assertText(0, "no collective()");
  }

  @Test
  void differsInEachPart() {
    long call = CollectiveCall.of(Name.REDUCE, Predefined.INT, Op.SUM, 1, 8);
    assertSame(call, call, true);
    assertSame(call, CollectiveCall.of(Name.SCAN, Predefined.INT, Op.SUM, 1, 8), false);
    assertSame(call, CollectiveCall.of(Name.REDUCE, Predefined.FLOAT, Op.SUM, 1, 8), false);
    assertSame(call, CollectiveCall.of(Name.REDUCE, Predefined.INT, Op.MAX, 1, 8), false);
    assertSame(call, CollectiveCall.of(Name.REDUCE, Predefined.INT, Op.SUM, 2, 8), false);
    assertSame(call, CollectiveCall.of(Name.REDUCE, Predefined.INT, Op.SUM, 1, 12), false);
    assertSame(call, CollectiveCall.of(Name.REDUCE, Predefined.INT, Op.SUM, 1, 0), false);
  }

  @Test
  void lengthsDifferHoweverLongTheyAre() {
    for (long bytes = 1; bytes < 1L << 50; bytes *= 2) {
      for (long more : new long[] {1, 8, 1 << 20}) {
        assertSame(
            CollectiveCall.of(Name.BCAST, Predefined.BYTE, 0, bytes),
            CollectiveCall.of(Name.BCAST, Predefined.BYTE, 0, bytes + more),
            false);
      }
    }
  }

  /** A turn changes no other part of a call. */
  @Test
  void aTurnIsComparedByItself() {
    long call = CollectiveCall.of(Name.BCAST, Predefined.LONG, 0, 8);
    long bytes = CollectiveCall.of(Name.BCAST, Predefined.BYTE, 0, 8);
    int first = Turns.of(0, 0);
    for (int turn = first; turn < Turns.END; turn++) {
      long in = CollectiveCall.in(turn, call);
      assertSame(in, call, true);
      assertSame(in, CollectiveCall.in(turn, bytes), true);
      assertSame(in, CollectiveCall.of(Name.BCAST, Predefined.LONG, 0, 16), false);
      assertThat(CollectiveCall.turn(in)).isEqualTo(turn);
      assertThat(CollectiveCall.isSameTurn(in, call)).isTrue();
      assertThat(CollectiveCall.isSameTurn(in, CollectiveCall.in(first, call)))
          .isEqualTo(Turns.match(turn, first));
    }
  }

  @Test
  void dataThatAreMovedMayBeBytes() {
    long bytes = CollectiveCall.of(Name.BCAST, Predefined.BYTE, 0, 8);
    assertSame(bytes, CollectiveCall.of(Name.BCAST, Predefined.LONG, 0, 8), true);
    assertSame(bytes, CollectiveCall.of(Name.BCAST, Predefined.LONG, 0, 16), false);
    long sums = CollectiveCall.of(Name.ALL_REDUCE, Predefined.BYTE, Op.SUM, NONE, 8);
    assertSame(sums, CollectiveCall.of(Name.ALL_REDUCE, Predefined.LONG, Op.SUM, NONE, 8), false);
  }

  /** A rank without data may pass any buffer. */
  @Test
  void noDataMayBeOfAnyType() {
    long none = CollectiveCall.of(Name.GATHERV, null, 0, NONE);
    assertSame(none, CollectiveCall.of(Name.GATHERV, Predefined.DOUBLE, 0, NONE), true);
    assertSame(
        CollectiveCall.of(Name.BCAST, Predefined.INT, 0, 0),
        CollectiveCall.of(Name.BCAST, Predefined.DOUBLE, 0, 0),
        true);
  }

  private static void assertSame(long one, long other, boolean same) {
    assertThat(CollectiveCall.isSame(one, other)).isEqualTo(same);
    assertThat(CollectiveCall.isSame(other, one)).isEqualTo(same);
  }

  private static void assertText(long call, String text) {
    assertThat(CollectiveCall.text(call)).isEqualTo(text);
  }

  private static Op user() {
    return Op.of((in, inOut, count, type) -> {}, true);
  }
}
