package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.provider.Progressing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The calls on many requests. */
class RequestTest {
  /** How often progress was made, for all requests. */
  private int polls;

  @BeforeEach
  void begin() {
    polls = 0;
  }

  /** Complete after {@code after} polls. */
  private final class Fake implements Request, Progressing {
    private final int after;
    private final @Nullable String error;

    Fake(int after, @Nullable String error) {
      this.after = after;
      this.error = error;
    }

    @Override
    public Status waitFor() {
      polls = Math.max(polls, after);
      if (error != null) {
        throw new FmiException(ErrorClass.TRUNCATE, error);
      }
      return Status.EMPTY;
    }

    @Override
    public boolean test() {
      if (polls < after) {
        polls++;
      }
      return status() != null;
    }

    @Override
    public @Nullable Status status() {
      return polls < after ? null : waitFor();
    }

    @Override
    public boolean cancel() {
      return false;
    }

    @Override
    public void progress() {
      polls++;
    }
  }

  private Request after(int n) {
    return new Fake(n, null);
  }

  private Request failing(int n) {
    return new Fake(n, "error " + n);
  }

  /** Pending; each poll fails. */
  private static final class Stuck implements Request, Progressing {
    @Override
    public Status waitFor() {
      throw new FmiException(ErrorClass.OTHER, "no progress");
    }

    @Override
    public boolean test() {
      waitFor();
      return false;
    }

    @Override
    public @Nullable Status status() {
      return null;
    }

    @Override
    public boolean cancel() {
      return false;
    }

    @Override
    public void progress() {
      waitFor();
    }
  }

  @Test
  void progressThatFailsIsNoCompletion() {
    Request[] requests = {failing(0), new Stuck(), after(0)};
    List<ThrowingCallable> calls =
        List.of(
            () -> Request.testAll(requests),
            () -> Request.testSome(requests),
            () -> Request.testAny(requests[1], requests[2]),
            () -> Request.waitAny(requests[1]));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).hasMessageContaining("no progress");
    }
    assertThat(Request.testAny(requests)).isZero();
  }

  @Test
  void oneIsWaitedFor() {
    assertThat(Request.waitAny(after(5), null, after(3), after(9))).isEqualTo(2);
    assertThat(polls).as("one poll serves all").isEqualTo(3);
    assertThat(Request.waitAny(after(5), failing(4))).isEqualTo(1);
    assertThat(Request.waitAny()).isEqualTo(Comm.UNDEFINED);
    assertThat(Request.waitAny(null, null)).isEqualTo(Comm.UNDEFINED);
  }

  @Test
  void someAreWaitedFor() {
    Request[] requests = {after(5), null, failing(3), after(9), after(3)};
    assertThat(Request.waitSome(requests)).containsExactly(2, 4);
    assertThat(polls).as("one poll serves all").isEqualTo(3);
    assertThatThrownBy(requests[2]::waitFor).hasMessageContaining("error 3");
    assertThat(Request.waitSome()).isEmpty();
    assertThat(Request.waitSome(null, null)).isEmpty();
  }

  @Test
  void allAreWaitedForThoughSomeFail() {
    assertThatThrownBy(() -> Request.waitAll(after(1), failing(2), null, failing(3), after(4)))
        .isInstanceOf(FmiException.class)
        .hasMessageContaining("error 2")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1))
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("error 3"));
    assertThat(polls).isEqualTo(4);
    Request.waitAll();
    Request.waitAll(null, after(5));
    assertThat(polls).isEqualTo(5);
  }

  @Test
  void allAreTested() {
    Request[] requests = {after(0), null, after(3), failing(3), after(3), after(2)};
    for (int i = 1; i < 3; i++) {
      assertThat(Request.testAll(requests)).isFalse();
      assertThat(polls).as("one poll serves all").isEqualTo(i);
    }
    assertThat(Request.testAll(requests)).isTrue();
    assertThat(polls).isEqualTo(3);
    assertThat(Request.testAll()).isTrue();
    assertThat(Request.testAll(null, null)).isTrue();
  }

  @Test
  void anyIsTested() {
    Request[] requests = {null, after(9), after(8), failing(2), after(2)};
    assertThat(Request.testAny(requests)).isEqualTo(Comm.UNDEFINED);
    assertThat(polls).as("one poll serves all").isEqualTo(1);
    assertThat(Request.testAny(requests)).isEqualTo(3);
    assertThat(polls).isEqualTo(2);
    assertThat(Request.testAny()).isEqualTo(Comm.UNDEFINED);
    assertThat(Request.testAny(null, null)).isEqualTo(Comm.UNDEFINED);
  }

  @Test
  void someAreTested() {
    Request[] requests = {null, after(0), after(3), failing(1), after(1), after(2)};
    assertThat(Request.testSome(requests)).as("the first too").containsExactly(1, 3, 4);
    assertThat(polls).as("one poll serves all").isEqualTo(1);
    assertThat(Request.testSome(requests)).containsExactly(1, 3, 4, 5);
    assertThat(Request.testSome()).isEmpty();
    assertThat(Request.testSome(null, null)).isEmpty();
  }
}
