package org.fmi;

import java.util.Arrays;
import java.util.List;
import org.fmi.provider.Progressing;
import org.jspecify.annotations.Nullable;

/**
 * A non-blocking operation (MPI_Request, MPI 4 §3.7). The buffer belongs to the operation until it
 * is complete.
 *
 * <p>Once a failure is known, all methods behave as those of {@link Comm}. They throw {@link
 * FmiException} when the operation failed, such as by {@link ErrorClass#TRUNCATE}. A request from
 * before a rollback is void: a program that uses it after the rollback gets {@link
 * ErrorClass#REQUEST}. Drop requests when an iteration begins, unless they are state of the loop:
 * after a rollback a {@link StateRef} holds requests with the same progress, if the buffers that
 * they receive into are state too.
 */
public interface Request {

  /**
   * Blocks until the operation is complete (MPI_Wait). Calling it again returns the same status.
   *
   * @return the status of the message received; {@link Status#EMPTY} for a send
   */
  Status waitFor();

  /**
   * Makes progress, and says whether the operation is complete (MPI_Test).
   *
   * @return whether it is complete
   */
  boolean test();

  /**
   * The status of a complete operation, null while it is not. Makes no progress
   * (MPI_Request_get_status without it).
   *
   * @return null while it is not complete
   */
  @Nullable Status status();

  /**
   * Cancels a receive that matched no message yet (MPI_Cancel).
   *
   * @return whether it was cancelled; if not it completes normally
   */
  boolean cancel();

  /**
   * Blocks until all are complete (MPI_Waitall). Null elements are void requests.
   *
   * @param requests may have null elements
   * @throws FmiException the first one's error if some have failed, with those of the others as
   *     suppressed ones; all are complete by then
   */
  static void waitAll(@Nullable Request... requests) {
    waitAll(Arrays.asList(requests));
  }

  /**
   * {@link #waitAll(Request...)} of the elements of a list.
   *
   * @param requests may have null elements
   */
  static void waitAll(List<? extends @Nullable Request> requests) {
    FmiException first = null;
    for (Request r : requests) {
      try {
        if (r != null) {
          r.waitFor();
        }
      } catch (FmiException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /**
   * Blocks until one is complete (MPI_Waitany). Here and in the calls below one that has failed
   * counts as complete: its own {@link #waitFor} says why.
   *
   * @param requests may have null elements
   * @return its index, or {@link Comm#UNDEFINED} if all are null. The caller sets that element to
   *     null before the next call.
   */
  static int waitAny(@Nullable Request... requests) {
    while (true) {
      Request pending = null;
      for (int i = 0; i < requests.length; i++) {
        Request r = requests[i];
        if (r != null) {
          if (isComplete(r, false)) {
            return i;
          }
          pending = r;
        }
      }
      if (pending == null) {
        return Comm.UNDEFINED;
      }
      if (pending instanceof Progressing p) {
        p.progress();
      } else {
        pending.test();
      }
    }
  }

  /**
   * Blocks until at least one is complete (MPI_Waitsome).
   *
   * @param requests may have null elements
   * @return the indices of all complete ones, empty if all are null. The caller sets those elements
   *     to null before the next call.
   */
  static int[] waitSome(@Nullable Request... requests) {
    int first = waitAny(requests);
    return first == Comm.UNDEFINED ? new int[0] : complete(first, false, requests);
  }

  /**
   * Makes progress and says whether all are complete (MPI_Testall).
   *
   * @param requests may have null elements
   * @return whether all are complete
   */
  static boolean testAll(@Nullable Request... requests) {
    boolean all = true;
    for (Request r : requests) {
      all &= r == null || isComplete(r, all);
    }
    return all;
  }

  /**
   * The index of a complete one, or {@link Comm#UNDEFINED} if there is none (MPI_Testany). Makes
   * progress.
   *
   * @param requests may have null elements
   * @return an index, or {@link Comm#UNDEFINED}
   */
  static int testAny(@Nullable Request... requests) {
    boolean progress = true;
    for (int i = 0; i < requests.length; i++) {
      Request r = requests[i];
      if (r != null) {
        if (isComplete(r, progress)) {
          return i;
        }
        progress = false;
      }
    }
    return Comm.UNDEFINED;
  }

  /**
   * Makes progress and gives the indices of all complete ones (MPI_Testsome).
   *
   * @param requests may have null elements
   * @return indices, ascending
   */
  static int[] testSome(@Nullable Request... requests) {
    return complete(0, true, requests);
  }

  /** The indices of the complete ones from {@code from} on. */
  private static int[] complete(int from, boolean progress, @Nullable Request[] requests) {
    int[] done = new int[requests.length - from];
    int n = 0;
    boolean more = progress;
    for (int i = from; i < requests.length; i++) {
      Request r = requests[i];
      if (r != null) {
        if (isComplete(r, more)) {
          done[n++] = i;
        } else {
          more = false;
        }
      }
    }
    return Arrays.copyOf(done, n);
  }

  /**
   * Whether a request is complete or has failed.
   *
   * @param progress whether it makes progress if it is not. Who looks at many passes true up to the
   *     first that is not, as one poll serves all.
   */
  private static boolean isComplete(Request r, boolean progress) {
    try {
      return progress ? r.test() : r.status() != null;
    } catch (FmiException e) {
      if (progress && !isComplete(r, false)) {
        throw e; // of the progress, which serves others too
      }
      return true;
    }
  }
}
