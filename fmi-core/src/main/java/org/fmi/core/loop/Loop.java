package org.fmi.core.loop;

import org.fmi.ConvergingBody;
import org.fmi.LoopBody;
import org.fmi.control.Notice;
import org.fmi.core.log.MessageLog;
import org.fmi.core.state.LoopState;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/** A loop of the program, and a rank's position in it. */
public final class Loop {
  /** Position among the program's loops, from 0. */
  public final long number;

  private final LoopState state;

  /** The two states of a {@code flowLoop}; null in other loops. */
  public final @Nullable FlowStates<?> flow;

  /** Number of iterations; -1 if only the program knows it. */
  public final long iterations;

  /** Whether the program begins each iteration by a call. */
  public final boolean byCall;

  /** Whether the loop may end before its last iteration, so that its length is unknown. */
  private final boolean mayEndEarlier;

  /** The current iteration. */
  public long iteration;

  /** The iteration of the checkpoint taken or restored last; -1 for none yet. */
  public long checkpointed = -1;

  /**
   * The iteration of the last checkpoint that all ranks waited for and skipped, as it found no
   * room; -1 for none since the last one restored.
   */
  public long skipped = -1;

  /** Whether its final checkpoint was taken or skipped. */
  public boolean ended;

  /** Known number of iterations that this rank has completed; -1 if unknown. */
  private long furthest = -1;

  /** Number of iterations that were repeated. */
  private long repeated;

  /**
   * The iteration at which this process began, while its predecessor's progress is unknown; else
   * -1.
   */
  private long replacedAt = -1;

  /** A body that always wants another iteration. */
  public static ConvergingBody endless(LoopBody body) {
    return new EndlessBody(body);
  }

  private record EndlessBody(LoopBody given) implements WrappedBody {
    @Override
    public boolean run(long iteration) throws Exception {
      given.run(iteration);
      return true;
    }
  }

  /**
   * @param iterations -1 if the program begins each by a call
   * @param mayEndEarlier whether ranks agree after each iteration on whether to continue
   */
  public Loop(
      long number,
      LoopState state,
      long iterations,
      boolean mayEndEarlier,
      @Nullable FlowStates<?> flow) {
    this.number = number;
    this.state = state;
    this.flow = flow;
    this.iterations = iterations;
    this.byCall = iterations < 0;
    this.mayEndEarlier = mayEndEarlier;
  }

  /** Number of iterations that it will have; -1 if unknown. */
  public long length() {
    return mayEndEarlier ? -1 : iterations;
  }

  /** The part of the current state that a checkpoint holds. */
  public LoopState state() {
    return flow == null ? state : flow.saved();
  }

  /** Whether only the end of an iteration is left, before which no checkpoint can be taken. */
  public boolean isEnding() {
    return flow != null && flow.isEnding();
  }

  /** Completes an iteration. */
  public void completed() {
    if (flow != null) {
      flow.completed();
    }
    counted();
  }

  /** Counts an iteration completed while catching up with the other ranks. */
  public void counted() {
    iteration++;
    if (iteration <= furthest) {
      repeated++;
    } else {
      furthest = iteration;
    }
  }

  /**
   * Continues from a checkpoint, after a rollback or a start, which this rank took before this
   * iteration. Its state is to be restored: {@link #moveTo} follows.
   */
  public void rollBackTo(long from) {
    iteration = from;
    if (flow != null) {
      flow.lost();
    }
    checkpointed = from;
    skipped = -1;
    if (furthest < 0) {
      replacedAt = iteration;
    } else if (replacedAt >= 0) {
      repeated += furthest - replacedAt;
      replacedAt = furthest;
    }
  }

  /** The state is the one before this iteration now. */
  public void moveTo(long before) {
    iteration = before;
    if (flow != null) {
      flow.restored(before);
    }
  }

  /**
   * Continues with a state that was kept or recomputed, instead of the checkpoint's.
   *
   * @param front number of iterations that it has had
   */
  public void continueWith(CheckpointId line, long front, FlowStates<?> states) {
    boolean begins = front == line.iteration();
    checkpointed = line.iteration();
    skipped = -1;
    iteration = begins ? front : front - 1;
    states.continueWith(front, begins);
  }

  /** Known number of iterations that this rank has completed; -1 if unknown. */
  public long furthest() {
    return furthest;
  }

  /** A replacement process assumes that its predecessor was as far as the other ranks. */
  public void predecessorWasAt(long furthestOfAll) {
    if (replacedAt >= 0) {
      furthest = Math.max(furthest, furthestOfAll);
      replacedAt = -1;
    }
  }

  /** The predecessor has sent messages up to the current iteration, as peers have received them. */
  public void predecessorWasHere() {
    if (replacedAt >= 0) {
      repeated += iteration - replacedAt;
      furthest = iteration + 1;
      replacedAt = -1;
    }
  }

  /**
   * Reports the loop's iterations, and how many of them this rank has repeated.
   *
   * @param log its message log; null if there is none
   */
  public Notice.LoopDone done(int epoch, int rank, @Nullable MessageLog log) {
    return new Notice.LoopDone(
        epoch,
        rank,
        number,
        iteration,
        repeated,
        log == null ? 0 : log.messagesInAll(),
        log == null ? 0 : log.bytesInAll());
  }

  /**
   * The exception that the loop throws after its body has thrown.
   *
   * @throws Error if the body has thrown one
   */
  public RuntimeException failed(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException("iteration " + iteration + " failed: " + thrown, thrown);
    };
  }
}
