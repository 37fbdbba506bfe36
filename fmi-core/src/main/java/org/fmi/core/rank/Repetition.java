package org.fmi.core.rank;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.ConvergingBody;
import org.fmi.Rollback;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.core.captured.LoopCode;
import org.fmi.core.captured.Reached;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.log.CallObserver;
import org.fmi.core.log.Recording;
import org.fmi.core.loop.Loop;
import org.fmi.core.loop.WrappedBody;
import org.fmi.core.p2p.Turns;
import org.fmi.core.rollback.Restorer;
import org.fmi.core.state.StateDifferences;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Repeats iterations from the last checkpoint, and compares state, messages, and other data that
 * the loop's code reaches: {@code fmirun --check}. A program with complete state computes and sends
 * the same again; incomplete state is detected without a failure.
 *
 * <pre>
 *   OFF --a checkpoint, and iteration 2^i before the next one--> FIRST --iteration 2^i: roll back--> AGAIN
 *    ^                                                                                             |
 *    +----------------------------------- iteration 2^i again: the same ---------------------------+
 * </pre>
 *
 * <p>The rollback is that of a recovery, without a failure: unreceived messages and communicators
 * created since are dropped, and the state is read from the checkpoint's image. A program that
 * behaves differently may leave other ranks waiting for a message that is never sent. So each rank
 * compares by itself, and reports differences before it waits for other ranks.
 */
final class Repetition implements CallObserver {
  private static final long NEVER = Long.MAX_VALUE;

  private static final String AGAIN =
      " when iterations are repeated from a checkpoint, up to iteration ";

  private static final String OUTSIDE_RULE =
      "; data that an iteration changes and a later one, or the program after the loop, reads must"
          + " be state of the loop; put data that may differ, such as a measured time, into a"
          + " transient field";

  private static final String RULE =
      "; data that an iteration changes and a later one reads must be state of the loop, and from"
          + " the same state an iteration must do the same";

  private final RankConfig config;
  private final Checkpoints checkpoints;
  private final Restorer restorer;
  private final Comm system;
  private final JobLink link;
  private final SentMessages sent = new SentMessages();
  private final Turns turns;

  private enum Phase {
    OFF,
    FIRST,
    AGAIN
  }

  private Phase phase = Phase.OFF;

  /** The iteration before which this rank rolls back, or compares. */
  private long end = NEVER;

  /** The state before that iteration, when it was reached for the first time. */
  private @Nullable MemorySegment firstState;

  /** Data that the loop's code reached beside the state, at the same time. */
  private @Nullable Reached reached;

  /** The program's body of the last loop that has one. */
  private @Nullable Object body;

  /** The code of a loop; null before the first one that is repeated. */
  private @Nullable LoopCode code;

  /** The number of that loop. */
  private long codeOf = -1;

  /** The current iteration. */
  private long iteration;

  /** Number of the loop's iterations that were repeated with equal results. */
  private long repeated;

  private boolean receivesFromAny;
  private boolean warned;
  private int epoch;

  /** Does nothing unless the configuration enables it. */
  Repetition(
      RankConfig config,
      Checkpoints checkpoints,
      Restorer restorer,
      Comm system,
      JobLink link,
      Recording program) {
    this.config = config;
    this.checkpoints = checkpoints;
    this.restorer = restorer;
    this.system = system;
    this.link = link;
    if (config.job().policy().checked()) {
      program.observer(this);
    }
    turns =
        new Turns(
            config.job().policy().checked(),
            what -> link.report(new Notice.Warned(config.rank(), Notice.Warned.ITERATIONS, what)));
    program.turns(turns);
  }

  /** Whether iterations are being repeated. */
  boolean repeats() {
    return phase == Phase.AGAIN;
  }

  /** A loop continues from a checkpoint that was taken or restored. */
  void fromCheckpoint(Loop loop) {
    over();
    sent.clear();
    receivesFromAny = false;
    if (loop.ended && repeated > 0) {
      if (config.rank() == 0) {
        link.report(
            "--check: %d iterations of loop %d were repeated: state and messages were the same"
                .formatted(repeated, loop.number));
      }
      repeated = 0;
    }
    aimAfter(loop, loop.checkpointed);
  }

  /** Aims at the next power of two, if it is not after the next checkpoint. */
  private void aimAfter(Loop loop, long after) {
    end = Math.max(2, 2 * Long.highestOneBit(Math.max(1, after)));
    long distance = end - loop.checkpointed;
    // The other state of a flow is not restored. An iteration first receives the data of other
    // ranks that it reads, into either state in turn: after one iteration the other state would
    // still have old data.
    boolean isWritten = loop.flow == null || distance > 1;
    boolean isNext = isWritten && distance <= checkpoints.tuner().iterations();
    phase = config.job().policy().checked() && isNext && !loop.ended ? Phase.FIRST : Phase.OFF;
  }

  /** Begins an iteration, perhaps after a rollback to an earlier one. */
  void begins(Loop loop, int currentEpoch) {
    epoch = currentEpoch;
    if (loop.iteration == end) {
      switch (phase) {
        case OFF -> {}
        case FIRST -> rollBack(loop);
        case AGAIN -> {
          compare(loop);
          over();
          aimAfter(loop, loop.iteration);
        }
      }
    }
    iteration = loop.iteration;
    turns.begins(loop.number, iteration, epoch);
  }

  private void rollBack(Loop loop) {
    boolean requests = checkpoints.requests().any();
    int any = checkpoints.lowestRank(receivesFromAny || requests, loop, epoch);
    if (any >= 0) {
      if (any == config.rank() && !warned) {
        warned = true;
        String does =
            receivesFromAny
                ? "receives from any source in them"
                : "has requests under way between them";
        link.report(
            "--check: iterations %d to %d of loop %d are not checked, nor are others like them:"
                    .formatted(loop.checkpointed, end - 1, loop.number)
                + " rank %d %s".formatted(any, does));
      }
      aimAfter(loop, end);
      return;
    }
    firstState = loop.state().copy();
    // All ranks are here, and none repeats anything before all have rolled back: in a test ranks
    // share objects and static fields.
    reached = codeOf(loop).look(loop.state()::has);
    restorer.rollBack(loop, epoch);
    String read =
        new StateDifferences(loop.state(), "in the checkpoint", "after it was read back")
            .of(checkpoints.stateOf(loop), loop.state().copy());
    if (!read.isEmpty()) {
      throw fail("cannot restore its state from a checkpoint: " + read);
    }
    link.hideOutput(true);
    phase = Phase.AGAIN;
    sent.beginRepetition();
  }

  private void compare(Loop loop) {
    String missing = sent.missing();
    if (missing != null) {
      throw differs(missing);
    }
    String state =
        new StateDifferences(loop.state(), "the first time", "when repeated")
            .of(Objects.requireNonNull(firstState), loop.state().copy());
    if (!state.isEmpty()) {
      throw differs(state);
    }
    system.barrier();
    String outside = codeOf(loop).changesSince(Objects.requireNonNull(reached), loop.state()::has);
    if (!outside.isEmpty()) {
      throw fail(
          "changes data that is not state of the loop"
              + AGAIN
              + (end - 1)
              + ": "
              + outside
              + OUTSIDE_RULE);
    }
    system.barrier();
    repeated += end - loop.checkpointed;
  }

  private LoopCode codeOf(Loop loop) {
    LoopCode known = code;
    if (known == null || codeOf != loop.number) {
      known = new LoopCode(loop.byCall ? null : body, caller());
      code = known;
      codeOf = loop.number;
    }
    return known;
  }

  /** The program's method that has begun the loop, or its next iteration. */
  private static StackWalker.StackFrame caller() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .dropWhile(
                        frame ->
                            frame
                                .getDeclaringClass()
                                .getPackageName()
                                .equals(Repetition.class.getPackageName()))
                    .findFirst())
        .orElseThrow();
  }

  private void over() {
    if (phase == Phase.AGAIN) {
      link.hideOutput(false);
      firstState = null;
      reached = null;
    }
    phase = Phase.OFF;
  }

  /** Wraps a body, to notice exceptions while it is repeated. */
  ConvergingBody watching(ConvergingBody given) {
    body = WrappedBody.given(given);
    return n -> {
      try {
        return given.run(n);
      } catch (Rollback e) {
        throw e;
      } catch (Exception | Error e) {
        ends(e);
        throw e;
      }
    };
  }

  /**
   * The loop's last iteration is done, or its body has thrown, which did not happen the first time.
   */
  void ends(@Nullable Throwable thrown) {
    turns.ends();
    if (phase == Phase.AGAIN) {
      throw differs(
          thrown == null
              ? "the loop ended after iteration " + iteration
              : "iteration " + iteration + " threw " + thrown);
    }
  }

  @Override
  public void sends(Object base, long offset, long bytes, int dest, int context, long tag) {
    switch (phase) {
      case OFF -> {}
      case FIRST -> sent.record(iteration, base, offset, bytes, dest, context, tag);
      case AGAIN -> {
        String difference = sent.repeat(iteration, base, offset, bytes, dest, context, tag);
        if (difference != null) {
          throw differs(difference);
        }
      }
    }
  }

  @Override
  public void receives(int source) {
    receivesFromAny |= source == Comm.ANY_SOURCE;
  }

  private IllegalStateException differs(String what) {
    return fail("behaves differently" + AGAIN + (end - 1) + ": " + what + RULE);
  }

  /**
   * Ends the job. Never returns.
   *
   * @throws Rollback if the epoch is over
   */
  private IllegalStateException fail(String what) {
    over();
    return checkpoints.programFault("--check: rank " + config.rank() + " " + what, epoch);
  }
}
