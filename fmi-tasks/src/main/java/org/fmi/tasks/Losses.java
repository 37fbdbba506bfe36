package org.fmi.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * The communicators of a graph's ranks, and what happens when one of them is lost: the rank that
 * notices it revokes the communicator, so that no rank waits any longer; all agree that they have
 * not done what they were at; and they do it again on a communicator of the living. Where lost
 * ranks are replaced, a {@link org.fmi.Rollback} passes through instead.
 */
final class Losses implements AutoCloseable {
  /** Work that ranks do together. */
  @FunctionalInterface
  interface Work<R> {
    /**
     * @param comm of all ranks that do it
     * @param sends takes what this rank sends; complete when the work is done
     */
    @Nullable R on(Comm comm, List<Request> sends);
  }

  private static final long DONE = 1;

  private final Comm self;
  private Comm living;

  /** Makes communicators, so that notes and the program's messages do not mix; all ranks do. */
  Losses(Fmi fmi) {
    living = fmi.world().shrink();
    self = Objects.requireNonNull(survive((comm, _) -> comm.split(comm.rank(), 0)));
  }

  /** A communicator of this rank alone. */
  Comm self() {
    return self;
  }

  /** Whether this rank is the lowest living one, as known when all have agreed last. */
  boolean isFirst() {
    return living.rank() == 0;
  }

  /** Works together until all living ranks have done the same work on the same communicator. */
  <R> @Nullable R survive(Work<R> work) {
    while (true) {
      List<Request> sends = new ArrayList<>();
      try {
        @Nullable R result = work.on(living, sends);
        if (living.agree(DONE) == DONE) {
          return result;
        }
      } catch (FmiException e) {
        if (!isLoss(e)) {
          throw e;
        }
        living.revoke();
        settle(sends);
        long agreed = living.agree(0);
        assert agreed == 0 : agreed;
      }
      living = living.shrink();
    }
  }

  /** Ends sends that a loss has left open: none waits once the communicator is revoked. */
  private static void settle(List<Request> sends) {
    for (Request send : sends) {
      try {
        send.waitFor();
      } catch (FmiException e) {
        if (!isLoss(e)) {
          throw e;
        }
      }
    }
  }

  private static boolean isLoss(FmiException e) {
    return e.errorClass() == ErrorClass.PROC_FAILED || e.errorClass() == ErrorClass.REVOKED;
  }

  @Override
  public void close() {
    self.close();
    living.close();
  }
}
