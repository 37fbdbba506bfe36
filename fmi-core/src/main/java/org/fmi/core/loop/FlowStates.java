package org.fmi.core.loop;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.core.comm.Communicator;
import org.fmi.core.log.Recording;
import org.fmi.core.p2p.FlowPart;
import org.fmi.core.state.LoopState;
import org.fmi.rules.FlowPlan;
import org.fmi.rules.FlowScope.Progress;
import org.jspecify.annotations.Nullable;

/**
 * The two states of a {@code flowLoop}, which are computed from each other in turn, and their
 * progress.
 */
public final class FlowStates<S> implements WrappedBody {
  /** A part of the body; until it is closed, messages reach only its declared ranks. */
  private interface Part extends AutoCloseable {
    @Override
    void close();
  }

  private final Flow flow;
  private final FlowBody<S> body;
  private final Supplier<S> make;
  private final Function<? super S, Object[]> state;
  private final Recording program;
  private final Communicator world;
  private Side<S> now;
  private Side<S> next;

  /** Number of iterations that the newer state has had; -1 while unknown. */
  private long newest = -1;

  /** Whether the other state is exactly one iteration older. */
  private boolean both;

  /** Whether {@link #next} has been computed from {@link #now}, and is the newer one. */
  private boolean stepped;

  /** A state, and the objects of it that a checkpoint holds. */
  private record Side<S>(S state, LoopState saved) {}

  public FlowStates(
      Flow flow,
      FlowBody<S> body,
      Supplier<S> make,
      Function<? super S, Object[]> state,
      Recording program,
      Communicator world) {
    this.flow = flow;
    this.body = body;
    this.make = make;
    this.state = state;
    this.program = program;
    this.world = world;
    this.now = side();
    this.next = side();
  }

  private Side<S> side() {
    S made = make.get();
    return new Side<>(made, new LoopState(state.apply(made), world.standIns()));
  }

  /** The state before the next iteration. */
  public S now() {
    return now.state;
  }

  /** The part of {@link #now} that a checkpoint holds. */
  public LoopState saved() {
    return now.saved;
  }

  /** Whether only the end of an iteration is left to do. */
  boolean isEnding() {
    return stepped;
  }

  public Progress progress() {
    return new Progress(newest, both);
  }

  @Override
  public Object given() {
    return body;
  }

  /** Runs an iteration, or its end; returns whether the program wants another one. */
  @Override
  public boolean run(long iteration) throws Exception {
    if (!stepped) {
      newest = iteration;
      exchange(iteration, null);
      both = false;
      step(iteration);
      newest = iteration + 1;
      both = true;
      stepped = true;
    }
    try (Part _ = begin(new FlowPart.WithoutMessages(program.rank(), iteration, true))) {
      return body.finish(iteration, next.state);
    }
  }

  private Part begin(FlowPart reach) {
    program.reach(reach);
    return () -> program.reach(null);
  }

  private void exchange(long iteration, @Nullable BitSet takingPart) throws Exception {
    int[] inputs = flow.inputs(program.rank(), iteration);
    for (int input : inputs) {
      if (input < 0 || input >= program.size()) {
        throw new IllegalArgumentException(
            "Flow.inputs of rank "
                + program.rank()
                + " in iteration "
                + iteration
                + " names rank "
                + input
                + ": use 0 to "
                + (program.size() - 1));
      }
    }
    try (Part _ = begin(new FlowPart.Exchange(program.rank(), iteration, inputs, takingPart))) {
      body.exchange(iteration, now.state);
    }
    // A rank that helps would leave its receives to later messages.
    if (program.activeRequests() > 0) {
      throw new IllegalStateException(
          "rank "
              + program.rank()
              + " has "
              + (program.activeRequests() == 1
                  ? "1 pending request"
                  : program.activeRequests() + " pending requests")
              + " after the exchange of iteration "
              + iteration
              + " of a flowLoop: wait for each (waitFor, Request.waitAll) in the part of FlowBody"
              + " that begins it");
    }
  }

  private void step(long iteration) throws Exception {
    try (Part _ = begin(new FlowPart.WithoutMessages(program.rank(), iteration, false))) {
      body.step(iteration, now.state, next.state);
    }
  }

  /** Completes the iteration. */
  void completed() {
    swap();
    stepped = false;
  }

  private void swap() {
    Side<S> other = now;
    now = next;
    next = other;
  }

  // ---- failures

  /** {@link #now} is about to be restored: this rank has no state until then. */
  public void lost() {
    restored(-1);
  }

  /** {@link #now} has been restored from a checkpoint. */
  public void restored(long iteration) {
    newest = iteration;
    both = false;
    stepped = false;
  }

  /**
   * Continues with the state that has had this many iterations, which is one of the two: with the
   * end of the last iteration, which other ranks may not have done.
   *
   * @param begins whether all ranks have done that, so that the next iteration begins
   */
  void continueWith(long front, boolean begins) {
    boolean isNext = stepped ? newest == front : newest > front;
    if (isNext == begins) {
      swap();
    }
    newest = front;
    both = false;
    stepped = !begins;
  }

  /** Separate states, to help other ranks recompute. */
  public FlowStates<S> copies() {
    return new FlowStates<>(flow, body, make, state, program, world);
  }

  /** Reads a checkpoint's state. Its iteration is unknown until {@link #recompute} passes it on. */
  public void read(MemorySegment image, long at, long end) {
    lost();
    now.saved.read(image, at, end);
  }

  /** Recomputes, from a checkpoint's state, this rank's part of a plan. */
  public void recompute(FlowPlan plan, long iteration) throws Exception {
    BitSet takingPart = plan.takingPart(iteration);
    if (takingPart.get(program.rank())) {
      exchange(iteration, takingPart);
    }
    if (plan.computes(program.rank(), iteration)) {
      step(iteration);
      swap();
    }
  }

  /** The ranks that each rank reads from. */
  public FlowPlan.Inputs inputs() {
    return flow::inputs;
  }
}
