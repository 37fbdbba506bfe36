package org.fmi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A non-blocking operation under way (MPI_Request, MPI 4 §3.7). The buffer belongs to the operation
 * until it is complete.
 *
 * <p>Once a failure is known all methods do as those of {@link Comm}; a request from before a
 * rollback is void, and throws {@link RollbackException} ever after. They throw {@link
 * FmiException} when the operation failed, such as by {@link ErrorClass#TRUNCATE}.
 */
public interface Request {

  /**
   * Blocks until the operation is complete (MPI_Wait). Calling it again returns the same status.
   */
  Status waitFor();

  /** Makes progress and says whether the operation is complete (MPI_Test). */
  boolean test();

  /**
   * The status of a complete operation, null while it is not. Makes no progress
   * (MPI_Request_get_status without it).
   */
  @Nullable Status status();

  /**
   * Cancels a receive that matched no message yet (MPI_Cancel).
   *
   * @return whether it was cancelled; if not it completes normally
   */
  boolean cancel();

  /** The runtime's side of the calls on many requests: blocks until something may have changed. */
  void progress();

  /** Blocks until all are complete (MPI_Waitall). Null elements are void requests. */
  static void waitAll(@Nullable Request... requests) {
    for (Request r : requests) {
      if (r != null) {
        r.waitFor();
      }
    }
  }

  /** As {@link #waitAll(Request...)}, but no element may be null. */
  static void waitAll(List<? extends Request> requests) {
    for (Request r : requests) {
      r.waitFor();
    }
  }

  /**
   * Blocks until one is complete (MPI_Waitany).
   *
   * @return its index, or {@link Comm#UNDEFINED} if all are null. The caller sets that element to
   *     null before the next call.
   */
  static int waitAny(@Nullable Request... requests) {
    while (true) {
      boolean any = false;
      for (int i = 0; i < requests.length; i++) {
        Request r = requests[i];
        if (r != null) {
          any = true;
          if (r.test()) {
            return i;
          }
        }
      }
      if (!any) {
        return Comm.UNDEFINED;
      }
      first(requests).progress();
    }
  }

  /**
   * Blocks until at least one is complete (MPI_Waitsome).
   *
   * @return the indices of all complete ones, empty if all are null
   */
  static int[] waitSome(@Nullable Request... requests) {
    while (true) {
      int[] done = testSome(requests);
      if (done.length > 0 || isVoid(requests)) {
        return done;
      }
      first(requests).progress();
    }
  }

  /** Whether all are complete (MPI_Testall). */
  static boolean testAll(@Nullable Request... requests) {
    boolean all = true;
    for (Request r : requests) {
      if (r != null && !r.test()) {
        all = false;
      }
    }
    return all;
  }

  /** The index of a complete one, or {@link Comm#UNDEFINED} if there is none (MPI_Testany). */
  static int testAny(@Nullable Request... requests) {
    for (int i = 0; i < requests.length; i++) {
      Request r = requests[i];
      if (r != null && r.test()) {
        return i;
      }
    }
    return Comm.UNDEFINED;
  }

  /** The indices of all complete ones (MPI_Testsome). */
  static int[] testSome(@Nullable Request... requests) {
    int[] done = new int[requests.length];
    int n = 0;
    for (int i = 0; i < requests.length; i++) {
      Request r = requests[i];
      if (r != null && r.test()) {
        done[n++] = i;
      }
    }
    return java.util.Arrays.copyOf(done, n);
  }

  private static boolean isVoid(@Nullable Request[] requests) {
    for (Request r : requests) {
      if (r != null) {
        return false;
      }
    }
    return true;
  }

  private static Request first(@Nullable Request[] requests) {
    for (Request r : requests) {
      if (r != null) {
        return r;
      }
    }
    throw new IllegalStateException("no request to wait for");
  }
}
