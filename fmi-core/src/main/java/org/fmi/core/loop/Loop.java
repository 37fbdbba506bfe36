package org.fmi.core.loop;

import org.fmi.ConvergingBody;
import org.fmi.LoopBody;
import org.fmi.control.Notice;
import org.fmi.core.log.MessageLog;
import org.fmi.core.state.LoopState;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/** Knows where a rank stands in a loop of the program. */
public final class Loop {
  /** Counts the program's loops, from 0. */
  public final long number;

  private final LoopState state;

  /** The two states of a {@code flowLoop}; null in other loops. */
  public final @Nullable FlowStates<?> flow;

  /** How many iterations it has; -1 if only the program knows. */
  public final long iterations;

  /** Whether the program begins each iteration by a call. */
  public final boolean byCall;

  /** Whether it may end before it has had all: then how many it has is not known. */
  private final boolean mayEndEarlier;

  /** The iteration under way. */
  public long iteration;

  /** The iteration of the checkpoint taken or restored last; -1 for none yet. */
  public long checkpointed = -1;

  /** A final checkpoint of it exists. */
  public boolean ended;

  /** How many iterations this rank has completed, as far as is known; -1 if nothing is. */
  private long furthest = -1;

  /** How many of them it has done again. */
  private long repeated;

  /** Where this process began, while it is not known how far the one before had come; else -1. */
  private long replacedAt = -1;

  /** A body that always wants another iteration. */
  public static ConvergingBody goingOn(LoopBody body) {
    return new GoingOn(body);
  }

  private record GoingOn(LoopBody given) implements BodyOfProgram {
    @Override
    public boolean run(long iteration) throws Exception {
      given.run(iteration);
      return true;
    }
  }

  /**
   * @param iterations -1 if the program begins each by a call
   * @param mayEndEarlier whether ranks agree after each iteration on whether there is another
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

  /** How many iterations it will have; -1 if that is not known. */
  public long length() {
    return mayEndEarlier ? -1 : iterations;
  }

  /** What a checkpoint holds of the state as it is now. */
  public LoopState state() {
    return flow == null ? state : flow.saved();
  }

  /** Whether only the end of an iteration is left, which no checkpoint can be taken before. */
  public boolean amid() {
    return flow != null && flow.amid();
  }

  /** An iteration is complete. */
  public void completed() {
    if (flow != null) {
      flow.completed();
    }
    counted();
  }

  /** An iteration is complete on the way to where the others are. */
  public void counted() {
    iteration++;
    if (iteration <= furthest) {
      repeated++;
    } else {
      furthest = iteration;
    }
  }

  /** Goes back to a checkpoint, or on from it, which this rank took before this iteration. */
  public void restored(long from) {
    goneTo(from);
    checkpointed = from;
    if (furthest < 0) {
      replacedAt = iteration;
    } else if (replacedAt >= 0) {
      repeated += furthest - replacedAt;
      replacedAt = furthest;
    }
  }

  /** The state is that before an iteration. */
  public void goneTo(long before) {
    iteration = before;
    if (flow != null) {
      flow.restored(before);
    }
  }

  /**
   * Goes on with a state that has been kept, or was computed again, instead of the checkpoint's.
   *
   * @param front the iterations that it has had
   */
  public void goOnWith(CheckpointId line, long front, FlowStates<?> states) {
    boolean begins = front == line.iteration();
    checkpointed = line.iteration();
    iteration = begins ? front : front - 1;
    states.goOnWith(front, begins);
  }

  /** How many iterations this rank has completed, as far as is known; -1 if nothing is. */
  public long furthest() {
    return furthest;
  }

  /** A process that has replaced another takes that to have been as far as others were. */
  public void othersWere(long furthestOfAll) {
    if (replacedAt >= 0) {
      furthest = Math.max(furthest, furthestOfAll);
      replacedAt = -1;
    }
  }

  /** What the process before had sent up to the iteration under way has come elsewhere. */
  public void wasHeardOf() {
    if (replacedAt >= 0) {
      repeated += iteration - replacedAt;
      furthest = iteration + 1;
      replacedAt = -1;
    }
  }

  /**
   * Iterations that the loop has had, and those of them that this rank has done again.
   *
   * @param log of what was sent in it; null if there is none
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
   * What the loop throws when its body has thrown.
   *
   * @throws Error that the body has thrown
   */
  public RuntimeException failed(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException("iteration " + iteration + " failed: " + thrown, thrown);
    };
  }
}
