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
 * The two states of a {@code flowLoop}, one computed from the other, which then change places; and
 * how far they are.
 */
public final class FlowStates<S> implements BodyOfProgram {
  /** A part of the body, which reaches nobody else than it says until it is over. */
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

  /** The iterations that the newest of them has had; -1 while that is not known. */
  private long newest = -1;

  /** Whether the other one is that of one iteration before. */
  private boolean both;

  /** Whether {@link #next} has been computed from {@link #now} and is the newest. */
  private boolean stepped;

  /** A state, and what a checkpoint holds of it. */
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

  /** As it is before the iteration that comes next. */
  public S now() {
    return now.state;
  }

  /** What a checkpoint holds of that. */
  public LoopState saved() {
    return now.saved;
  }

  /** Whether an iteration is under way of which only the end is left. */
  boolean amid() {
    return stepped;
  }

  public Progress progress() {
    return new Progress(newest, both);
  }

  @Override
  public Object given() {
    return body;
  }

  /** One iteration, or its end; gives whether the program wants another one. */
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
    // A rank that helps would leave its receives to messages that come later.
    if (program.activeRequests() > 0) {
      throw new IllegalStateException(
          "rank "
              + program.rank()
              + " has "
              + program.activeRequests()
              + " requests that are not complete behind the exchange of iteration "
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

  /** The iteration is over. */
  void completed() {
    swap();
    stepped = false;
  }

  private void swap() {
    Side<S> other = now;
    now = next;
    next = other;
  }

  // ---- after a failure

  /** {@link #now} is what a checkpoint holds. */
  public void restored(long iteration) {
    newest = iteration;
    both = false;
    stepped = false;
  }

  /**
   * Goes on with the state that has had so many iterations, which is there: with the end of the
   * last of them, which others may not have done.
   *
   * @param begins whether that has been done by all, so that the next one begins
   */
  void goOnWith(long front, boolean begins) {
    boolean isNext = stepped ? newest == front : newest > front;
    if (isNext == begins) {
      swap();
    }
    newest = front;
    both = false;
    stepped = !begins;
  }

  /** States of their own, to compute on the way of others. */
  public FlowStates<S> copies() {
    return new FlowStates<>(flow, body, make, state, program, world);
  }

  /** Reads what a checkpoint holds; how far this is is not known before it has come to others. */
  public void read(MemorySegment image, long at, long end) {
    restored(-1);
    now.saved.read(image, at, end);
  }

  /** Computes again what a plan wants of this rank, from a checkpoint's state. */
  public void computeAgain(FlowPlan plan, long iteration) throws Exception {
    BitSet takingPart = plan.takingPart(iteration);
    if (takingPart.get(program.rank())) {
      exchange(iteration, takingPart);
    }
    if (plan.computes(program.rank(), iteration)) {
      step(iteration);
      swap();
    }
  }

  /** Which ranks each one reads from. */
  public FlowPlan.Inputs inputs() {
    return flow::inputs;
  }
}
