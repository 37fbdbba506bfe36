package org.fmi.run.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UnwindingTest {
  private final List<Boolean> found = new ArrayList<>();

  /** As the program's view of the job. */
  private final class Closed implements AutoCloseable {
    @Override
    public void close() {
      found.add(Unwinding.isUnderWay());
    }
  }

  private static void mayThrow(boolean thrown) {
    if (thrown) {
      throw new ArithmeticException();
    }
  }

  private void inTry(boolean thrown) {
    try (Closed _ = new Closed()) {
      mayThrow(thrown);
    }
  }

  @Test
  void inTry() {
    inTry(false);
    assertThatThrownBy(() -> inTry(true)).isInstanceOf(ArithmeticException.class);
    assertThat(found).containsExactly(false, true);
  }

  private int inTryThatReturns(boolean thrown, int value) {
    try (Closed _ = new Closed()) {
      switch (value) {
        case 1 -> mayThrow(thrown);
        case 70_000 -> throw new IllegalStateException();
        default -> {
          return 1;
        }
      }
      return 2;
    } catch (IllegalStateException e) {
      return 3;
    }
  }

  @Test
  void inTryWithManyWays() {
    assertThat(inTryThatReturns(false, 1)).isEqualTo(2);
    assertThat(inTryThatReturns(false, 2)).isEqualTo(1);
    assertThat(inTryThatReturns(false, 70_000)).isEqualTo(3);
    assertThatThrownBy(() -> inTryThatReturns(true, 1)).isInstanceOf(ArithmeticException.class);
    assertThat(found).containsExactly(false, false, true, true);
  }

  private void inFinally(boolean thrown) {
    Closed closed = new Closed();
    try {
      mayThrow(thrown);
    } finally {
      if (found.size() < 100) {
        closed.close();
      }
    }
  }

  @Test
  void inFinally() {
    inFinally(false);
    assertThatThrownBy(() -> inFinally(true)).isInstanceOf(ArithmeticException.class);
    assertThat(found).containsExactly(false, true);
  }

  /** The exception ends here: the program goes on. */
  @Test
  void inAHandlerThatDealsWithIt() {
    try {
      mayThrow(true);
    } catch (ArithmeticException e) {
      new Closed().close();
    }
    assertThat(found).containsExactly(false);
  }

  @Test
  void inAHandlerThatThrowsAnother() {
    assertThatThrownBy(() -> closesAndThrowsAnother()).isInstanceOf(IllegalStateException.class);
    assertThat(found).containsExactly(true);
  }

  private void closesAndThrowsAnother() {
    try {
      mayThrow(true);
    } catch (ArithmeticException e) {
      new Closed().close();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void behindATry() {
    try {
      mayThrow(true);
    } catch (ArithmeticException e) {
      assertThat(e).isNotNull();
    }
    new Closed().close();
    assertThat(found).containsExactly(false);
  }

  /** Its own close is called on the way, and calls ours on its own. */
  private record Wrapper(Closed closed) implements AutoCloseable {
    @Override
    public void close() {
      closed.close();
    }
  }

  private void wrapped(boolean thrown) {
    Runnable body = () -> mayThrow(thrown);
    try (Wrapper _ = new Wrapper(new Closed())) {
      body.run();
    }
  }

  @Test
  void ofAnObjectThatHoldsIt() {
    wrapped(false);
    assertThatThrownBy(() -> wrapped(true)).isInstanceOf(ArithmeticException.class);
    assertThat(found).containsExactly(false, true);
  }

  /** A resource within the body is closed by an exception that does not get far. */
  @Test
  void inATryWithinATry() {
    try (Closed _ = new Closed()) {
      try (Closed _ = new Closed()) {
        mayThrow(true);
      } catch (ArithmeticException e) {
        assertThat(found).containsExactly(true);
      }
    }
    assertThat(found).containsExactly(true, false);
  }
}
