package org.fmi.core.comm;

import java.util.Arrays;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.Messenger;

/**
 * Allocates the ids of communicators, from which {@link Contexts} makes their contexts, and knows
 * which communicators exist.
 *
 * <p>The members of a new communicator agree on the highest of their next free ids, so an id is
 * never used twice at a rank, while different ranks may use it for different communicators. The
 * only state is the next free id: it is saved and restored with a checkpoint, so that all ranks
 * allocate the same ids again.
 */
public final class ContextIds {
  private static final int FIRST_FREE = Contexts.SYSTEM + 1;

  private static final int CLOSED = -1;

  private int next = FIRST_FREE;

  private boolean closed;

  /** The ids restored so far, in order. */
  private int[] restored = new int[0];

  /** The next free id, which a checkpoint contains. */
  public int state() {
    return next;
  }

  /** Rolls back to a saved {@link #state}: communicators with later ids no longer exist. */
  public void restore(int state) {
    if (state < FIRST_FREE) {
      throw new IllegalArgumentException("no state of context ids: " + state);
    }
    next = state;
    restored = Arrays.copyOf(restored, restored.length + 1);
    restored[restored.length - 1] = state;
  }

  /** Takes the id that the members of a new communicator agreed on: the highest of their states. */
  void take(int id) {
    if (id == Integer.MAX_VALUE / 2) {
      throw new FmiException(
          ErrorClass.OTHER,
          "no context id is left: ids of closed communicators are not used again");
    }
    next = id + 1;
  }

  /** A communicator was not made here, while other members may have made it with the next id. */
  void skip() {
    take(next);
  }

  /** {@code Fmi} is closed: no communicator can be used any more. */
  public void close() {
    closed = true;
  }

  /** The number of calls of {@link #restore}. */
  int restores() {
    return restored.length;
  }

  /** {@link #restores} while communicators can be used; else a number that differs from it. */
  int usable() {
    return closed ? CLOSED : restored.length;
  }

  /**
   * Refuses a call that communicates.
   *
   * @throws IllegalStateException after {@link #close}
   */
  void requireOpen() {
    if (closed) {
      throw Messenger.afterClose();
    }
  }

  /** Whether a communicator that existed after {@code restores} restores still does. */
  boolean survives(int id, int restores) {
    for (int i = restores; i < restored.length; i++) {
      if (id >= restored[i]) {
        return false;
      }
    }
    return true;
  }
}
