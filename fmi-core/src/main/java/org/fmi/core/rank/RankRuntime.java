package org.fmi.core.rank;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.fmi.Comm;
import org.fmi.ConvergingBody;
import org.fmi.ErrorClass;
import org.fmi.FaultEvent;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.LoopBody;
import org.fmi.ProcessState;
import org.fmi.Rollback;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.MeterSource;
import org.fmi.control.Metered;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Agreement;
import org.fmi.control.RankMessage.Position;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.checkpoint.FileOffer;
import org.fmi.core.checkpoint.RequestedCheckpoint;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.comm.JobCalls;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.epoch.Lifecycle;
import org.fmi.core.log.Recorder;
import org.fmi.core.log.Recording;
import org.fmi.core.loop.FlowStates;
import org.fmi.core.loop.Loop;
import org.fmi.core.loop.ProgramFailure;
import org.fmi.core.meters.ProgramMeters;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.MessengerListener;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.core.rollback.FlowRollback;
import org.fmi.core.rollback.LocalRollback;
import org.fmi.core.rollback.Restorer;
import org.fmi.core.state.LoopState;
import org.fmi.provider.TaskPlaces;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.OnFailure;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.spi.TransportProvider;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * One rank: assembles the parts of the runtime, and decides how to react to a failure where the
 * program is.
 *
 * <ul>
 *   <li>In a loop with a committed checkpoint: {@link Rollback}, caught by the loop, which rolls
 *       back.
 *   <li>In a replacement that replays the calls of its predecessor outside of loops: it joins the
 *       new epoch on the spot, and the replay continues; it needs no other rank.
 *   <li>In a loop of which only failed ranks roll back: see {@link LocalRollback}.
 *   <li>Anywhere else: the process waits to be killed and started again, with all others.
 * </ul>
 */
public final class RankRuntime implements Fmi, Metered, TaskPlaces {
  private final RankConfig config;
  private final JobLink link;
  private final Messenger messenger;

  /** The program's calls to the messenger. The runtime itself calls the messenger directly. */
  private final Recording program;

  private final ContextIds contexts = new ContextIds();
  private final Lifecycle lifecycle;

  /** Whether the job continues without ranks that die. */
  private final boolean shrinks;

  /** The number of this rank's agreements. */
  private long agreements;

  private final Checkpoints checkpoints;
  private final Restorer restorer;
  private final @Nullable LocalRollback local; // null if all ranks roll back
  private final OwnCore ownCore;
  private final FaultInjector faults;
  private final Recovery recovery;
  private final Boundaries boundaries;
  private final Repetition repetition;
  private final Communicator world;
  private final Communicator system;
  private final ProgramMeters meters = new ProgramMeters();
  private final CaughtRollbacks caught = new CaughtRollbacks();
  private final RankClock clock;
  private volatile Place place = Place.START;

  /** Number of the next loop. */
  private long nextLoop;

  /**
   * Whether the last recovery's checkpoint is still to be restored by the loop that it belongs to.
   */
  private boolean linePending;

  /** The loop that the program is in. */
  private volatile @Nullable Loop current;

  /** Once it has begun, {@link #close} must not wait for the other ranks. */
  private final ProgramFailure failure;

  /** Moves to another place; outside of loops the program's calls are recorded. */
  private void move(Place next) {
    assert place.mayBecome(next) : place + " -> " + next;
    place = next;
    switch (next) {
      case OUTSIDE -> {
        if (shrinks) {
          onOutsideCall(); // calls are not recorded, as no process replays them
        } else {
          program.recorder().record();
        }
      }
      case LOOP, CLOSED -> program.recorder().off();
      case START, REPLAY, STRAYED -> {}
    }
  }

  /**
   * Joins the job; returns when the program may begin.
   *
   * @param transports in order of preference
   * @param ownCore taken by the calling thread until {@link #close}
   * @param unwinding whether an exception is on its way through the callers of this thread
   * @throws IOException if no transport, detector or memory is available
   */
  public RankRuntime(
      RankConfig config,
      JobLink link,
      List<TransportProvider> transports,
      FailureDetectorProvider detectors,
      CheckpointStoreProvider stores,
      NodeMemory memory,
      RankClock clock,
      OwnCore ownCore,
      BooleanSupplier unwinding)
      throws IOException {
    this.config = config;
    this.ownCore = ownCore;
    this.shrinks = config.job().onFailure() == OnFailure.SHRINK;
    this.failure = new ProgramFailure(link, unwinding);
    this.link = link;
    this.clock = clock;
    this.faults = new FaultInjector(config.faults(), link, clock);
    this.messenger =
        new Messenger(
            config.rank(),
            config.size(),
            WaitStrategy.of(ownCore, config.ranksOnMachine(), config.cores(), clock::nanoTime),
            new Hooks(),
            shrinks);
    messenger.copies(config.job().sendBufferBytes(Runtime.getRuntime().maxMemory()));
    this.program = new Recording(messenger, config.job().recordLimitBytes(), this::onOutsideCall);
    Calls calls = new Calls();
    this.world = Communicator.world(program, contexts, calls);
    this.system = Communicator.system(messenger, contexts, calls);
    RequestedCheckpoint requested = new RequestedCheckpoint(link, messenger);
    this.lifecycle =
        new Lifecycle(config, link, transports, detectors, messenger, requested::order, clock);
    CheckpointStore store = open(stores, memory);
    FileOffer files = new FileOffer(config, store, requested, link, clock);
    this.checkpoints =
        new Checkpoints(
            config,
            system,
            world,
            messenger,
            program,
            contexts,
            store,
            files,
            link,
            clock,
            faults,
            lifecycle.events());
    this.local =
        LocalRollback.of(config, link, messenger, memory, lifecycle, checkpoints, () -> current);
    this.restorer =
        new Restorer(
            config,
            system,
            messenger,
            contexts,
            store,
            stores.source(config),
            link,
            faults,
            checkpoints,
            local);
    this.repetition = new Repetition(config, checkpoints, restorer, system, link, program);
    FlowRollback flow = new FlowRollback(config, system, link, faults);
    this.recovery =
        new Recovery(
            lifecycle,
            checkpoints,
            restorer,
            local,
            flow,
            repetition,
            failure,
            system,
            ownCore,
            faults,
            shrinks);
    this.boundaries =
        new Boundaries(
            lifecycle,
            checkpoints,
            files,
            recovery,
            repetition,
            faults,
            this::continuesInPlace,
            shrinks ? system : null);
    link.listen(lifecycle);
    link.show(() -> place.report(lifecycle, current, messenger, checkpoints, meters));
    faults.at(FaultPoint.INIT, -1);
    recover(false);
  }

  /** Callbacks of the data path, when it learns of a failure or meets one. */
  private final class Hooks implements MessengerListener {
    private static final long REFUSED_NANOS = 100_000_000;

    @Override
    public void revoked(int epoch, String reason) {
      onRevoked(reason);
    }

    @Override
    public void peerLost(int peer, String reason) {
      lifecycle.peerLost(peer, reason);
    }

    /** Has this process replaced, unless all that it must do is to end; never returns. */
    @Override
    public RuntimeException refused(UncheckedIOException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      int told = -1;
      while (true) {
        messenger.check();
        if (lifecycle.released()) {
          throw new Rollback("all ranks have finished");
        }
        if (told != lifecycle.joined()) {
          told = lifecycle.joined();
          cannotContinue(new IOException(e.getMessage() + ": " + cause.getMessage(), e));
        }
        clock.await(REFUSED_NANOS); // not in a transport
      }
    }

    @Override
    public boolean waits() {
      return boundaries.waits(current, nextLoop);
    }
  }

  /** The questions of communicators to the job. */
  private final class Calls implements JobCalls {
    @Override
    public void abort(int status) {
      link.send(new RankMessage.Abort(status));
      checkpoints.park();
    }

    @Override
    public Agreed agree(
        int communicator, int call, boolean shrink, long[] members, long flags, int nextId) {
      messenger.check();
      Agreement kind = shrink ? Agreement.SHRINK : Agreement.AGREE;
      link.send(new RankMessage.Agrees(communicator, call, kind, members, flags, nextId));
      faults.at(FaultPoint.AGREE, agreements++);
      JobMessage.Agreed agreed = lifecycle.takeAgreed(communicator, call);
      while (agreed == null) {
        messenger.park();
        agreed = lifecycle.takeAgreed(communicator, call);
      }
      messenger.check(); // attends to the deaths before it
      return new Agreed(agreed.flags(), agreed.seq(), agreed.id());
    }

    @Override
    public void revoke(int communicator, long[] members) {
      messenger.check();
      link.send(new RankMessage.Revokes(communicator, members));
      messenger.revokedCommunicator(communicator);
      messenger.check();
    }
  }

  // ---- reaction to failures

  /**
   * Handles a call that found its epoch revoked. Throws, or joins the new epoch and returns, or
   * never returns.
   */
  private void onRevoked(String reason) {
    if (recovery.underWay() || boundaries.isAdvancing()) {
      throw new Rollback(reason);
    }
    switch (place) {
      case START, LOOP, CLOSED -> {
        if (place == Place.LOOP && !boundaries.busy() && continuesInPlace()) {
          return;
        }
        if (place == Place.LOOP && caught.isOneTooMany(clock.nanoTime())) {
          throw stray(CaughtRollbacks.TOO_MANY);
        }
        throw new Rollback(reason);
      }
      case REPLAY -> recover(false);
      case OUTSIDE, STRAYED -> lifecycle.awaitRestart();
    }
  }

  /** The first communication outside of a loop: a fault point for tests. */
  private void onOutsideCall() {
    faults.at(nextLoop == 0 ? FaultPoint.PROLOGUE : FaultPoint.EPILOGUE, -1);
  }

  /** Enters the current epoch, and returns whether the program continues there where it is. */
  private boolean continuesInPlace() {
    return local != null && local.mayContinue() && recover(true);
  }

  /**
   * Enters the current epoch, with as many attempts as it takes, until the lost checkpoints are
   * back.
   *
   * @param inPlace whether the program continues where it is if only failed ranks roll back
   * @return whether this rank is in the epoch; if not, its call has to end first
   */
  private boolean recover(boolean inPlace) {
    caught.reset();
    while (true) {
      try {
        Position position = place.position(checkpoints.hasCommitted(current));
        JobMessage.Start start = recovery.run(position, inPlace);
        if (start == null) {
          return false;
        }
        if (place == Place.START) {
          begin(start);
        } else if (inPlace) {
          lifecycle.running(recovery.line().checkpoint());
        }
        return true;
      } catch (Rollback again) {
        // The next failure came during this recovery: start again from H1.
      } catch (UnrecoverableException e) {
        restorer.notRecovered(lifecycle.joined(), e);
        // The job ends; or another failure has begun a new epoch, in which this report does not
        // count.
      } catch (NoRoomException e) {
        if (e.isHere()) {
          cannotContinue(e);
        } // else another rank reports it, and this one waits for the next epoch
      } catch (IOException e) {
        cannotContinue(e);
      }
    }
  }

  /**
   * Has the job replace this process, here or on another node, as the system refuses it something.
   * If another failure has begun a new epoch, the report does not count, and this process tries
   * again.
   */
  private void cannotContinue(IOException e) {
    int epoch = lifecycle.joined();
    String reason = String.valueOf(e.getMessage());
    link.send(
        lifecycle.isRefusedByUser()
            ? new RankMessage.Unrecoverable(epoch, false, reason)
            : new RankMessage.CannotContinue(epoch, "cannot continue: " + reason));
  }

  /** Opens the store; if the system refuses that, never returns, as the process is replaced. */
  private CheckpointStore open(CheckpointStoreProvider stores, NodeMemory memory) {
    try {
      return stores.open(config, system, memory);
    } catch (IOException e) {
      link.send(
          new RankMessage.CannotContinue(
              RankMessage.CannotContinue.ANY_EPOCH, "cannot start: " + e.getMessage()));
      while (true) {
        clock.await(Long.MAX_VALUE);
      }
    }
  }

  /** Begins the program of a new process, after its first recovery. */
  private void begin(JobMessage.Start start) throws IOException {
    CheckpointId id = recovery.line().checkpoint();
    linePending = id != null;
    if (!start.rollback()) {
      lifecycle.running(id);
      move(Place.OUTSIDE);
      return;
    }
    if (id == null) {
      throw stray("has no checkpoint left to join the other ranks' loop with");
    }
    Recorder record =
        Recorder.readFrom(checkpoints.image(id).record(), config.job().recordLimitBytes());
    program.recorder(record);
    // Runs in the call that diverges: the program's code must not see it.
    record.startReplay(
        mismatch -> stray("cannot replay its calls before the loop: " + mismatch.getMessage()));
    move(Place.REPLAY);
  }

  /** Gives up: all processes must start again. Never returns; callers throw the result. */
  private IllegalStateException stray(String reason) {
    move(Place.STRAYED);
    lifecycle.askForRestart(reason);
    return new IllegalStateException("waiting for a restart has returned");
  }

  // ---- loops

  @Override
  public void loop(long iterations, LoopBody body, Object... state) {
    run(iterations, Loop.endless(body), false, new LoopState(state, checkpoints.standIns()), null);
  }

  @Override
  public long loopWhile(long iterations, ConvergingBody body, Object... state) {
    return run(iterations, body, true, new LoopState(state, checkpoints.standIns()), null);
  }

  @Override
  public <S> S flowLoop(
      long iterations,
      Flow flow,
      FlowBody<S> body,
      Supplier<S> make,
      Function<? super S, Object[]> state) {
    FlowStates<S> states = new FlowStates<>(flow, body, make, state, program, world);
    run(iterations, states, false, states.saved(), states);
    return states.now();
  }

  @Override
  public <S> S flowLoopWhile(
      long iterations,
      Flow flow,
      FlowBody<S> body,
      Supplier<S> make,
      Function<? super S, Object[]> state) {
    FlowStates<S> states = new FlowStates<>(flow, body, make, state, program, world);
    run(iterations, states, true, states.saved(), states);
    return states.now();
  }

  /**
   * Returns the number of iterations done; ranks may agree after each iteration whether to
   * continue.
   */
  private long run(
      long iterations,
      ConvergingBody given,
      boolean agreed,
      LoopState state,
      @Nullable FlowStates<?> flow) {
    requireOpen();
    if (iterations < 0) {
      throw new IllegalArgumentException("a loop cannot have " + iterations + " iterations");
    }
    ConvergingBody body = repetition.watching(given);
    Loop loop = enterLoop(state, iterations, agreed, flow);
    while (!loop.ended) {
      try {
        boolean continues = true;
        while (continues && loop.iteration < iterations) {
          boundaries.begin(loop);
          boolean wanted = body.run(loop.iteration);
          continues = !agreed || boundaries.continues(loop.number, loop.iteration, wanted);
          loop.completed();
        }
        boundaries.end(loop);
      } catch (Exception | Error e) {
        if (!rolledBack(loop, e)) {
          throw loop.failed(e);
        }
      }
    }
    leaveLoop(loop);
    return loop.iteration;
  }

  /**
   * Rolls back if the epoch is over, whatever was thrown: a {@link Rollback}, an exception that
   * wraps one, as pools throw, or a consequence of another rank's failure. An exception of the
   * program's own will be thrown again when the iteration is repeated.
   *
   * @return false if the program has failed
   */
  private boolean rolledBack(Loop loop, Throwable thrown) {
    if (failure.begun() || !lifecycle.revoked()) {
      failure.report(loop, thrown);
      return false;
    }
    rollback(loop);
    return true;
  }

  /**
   * An exception leaves the program's communication: notifies the job, unless it was notified
   * already. Never returns if a failure is being recovered, which may have caused the exception:
   * all processes start again.
   *
   * @param thrown null if it is not known yet
   */
  public void fail(@Nullable Throwable thrown) {
    if (!failure.begun() && place != Place.CLOSED && lifecycle.revoked()) {
      lifecycle.awaitRestart();
    }
    failure.report(place == Place.LOOP ? current : null, thrown);
  }

  @Override
  public long nextIteration(Object... state) {
    requireOpen();
    Loop loop = current;
    if (loop == null) {
      loop = enterLoop(new LoopState(state, checkpoints.standIns()), -1, false, null);
      if (loop.ended) {
        // The program runs the last iteration of a finished loop again, and leaves the loop.
        return loop.iteration;
      }
    } else if (!loop.byCall) {
      throw nestedLoop();
    } else if (!loop.state().isOf(state)) {
      IllegalStateException otherState =
          new IllegalStateException(
              "the state objects differ from those that this loop began with: call endLoop before"
                  + " another loop; objects that are replaced belong in a StateRef");
      failure.report(loop, otherState);
      throw otherState;
    } else if (!loop.ended) {
      loop.completed();
    } else {
      if (place == Place.LOOP && lifecycle.revoked()) {
        rollback(loop);
      }
      return loop.iteration;
    }
    while (true) {
      try {
        boundaries.begin(loop);
        return loop.iteration;
      } catch (RuntimeException | Error e) {
        if (!rolledBack(loop, e)) {
          throw e;
        }
      }
    }
  }

  @Override
  public void endLoop() {
    Loop loop = current;
    if (loop == null) {
      return;
    }
    requireOpen();
    if (!loop.byCall) {
      throw new IllegalStateException(
          "endLoop ends loops of the form loop(state...); this one ends by itself");
    }
    if (!loop.ended) {
      failure.watch(loop, () -> boundaries.end(loop));
    }
    leaveLoop(loop);
  }

  /** Refuses a call after all communication has ended, and of a listener. */
  private void requireOpen() {
    messenger.requireNoListener();
    if (place == Place.CLOSED) {
      throw new IllegalStateException(
          "a loop was begun after Fmi.close, which ended all communication");
    }
  }

  private static IllegalStateException nestedLoop() {
    return new IllegalStateException(
        "loops cannot be nested: this is called from the body of a loop; move the inner loop's work"
            + " into the body");
  }

  /** Begins a loop, or resumes the loop that a checkpoint belongs to. */
  private Loop enterLoop(
      LoopState state, long iterations, boolean mayEndEarlier, @Nullable FlowStates<?> flow) {
    if (current != null) {
      throw nestedLoop();
    }
    checkpoints.requests().requireNone();
    Loop loop = new Loop(nextLoop++, state, iterations, mayEndEarlier, flow);
    CheckpointId last = recovery.line().finalOf(loop.number);
    if (place == Place.REPLAY) {
      if (last != null && !last.equals(recovery.line().checkpoint())) {
        restoreEnded(loop, last, Restorer.Situation.REPLAYING);
      } else {
        catchUp(loop);
      }
      return loop;
    }
    current = loop;
    if (linePending && last != null) {
      restoreEnded(loop, last, Restorer.Situation.RESTARTED);
      return loop;
    }
    move(Place.LOOP);
    CheckpointId id = recovery.line().checkpoint();
    try {
      if (linePending && id != null && id.loop() == loop.number) {
        linePending = false;
        recovery.restore(loop, id, Restorer.Situation.RESTARTED);
      } else if (!shrinks && takeOver(loop, lifecycle.epoch())) {
        boundaries.end(loop);
      }
    } catch (Rollback e) {
      rollback(loop);
    }
    return loop;
  }

  /**
   * Gives a new loop the state that it had in a job with another number of ranks.
   *
   * @return whether the loop had ended there
   */
  private boolean takeOver(Loop loop, int epoch) {
    String undivided = config.job().mayShrink() ? loop.state().undivided() : null;
    if (undivided != null) {
      throw checkpoints.endJob(epoch, undivided + Checkpoints.UNDIVIDED);
    }
    return restorer.takeOver(loop, epoch);
  }

  /** Restores the final state of a loop that had ended. */
  private void restoreEnded(Loop loop, CheckpointId last, Restorer.Situation how) {
    recovery.restore(loop, last, how);
    current = loop;
    if (last.equals(recovery.line().checkpoint())) {
      linePending = false;
    }
  }

  /** A replacement has reached the loop that the other ranks are in. */
  private void catchUp(Loop loop) {
    program.recorder().endReplay();
    linePending = false;
    current = loop;
    move(Place.LOOP);
    if (lifecycle.revoked()) {
      rollback(loop);
    } else {
      resume(loop);
    }
  }

  /** Rolls back to the recovery line, together with all other ranks. */
  private void rollback(Loop loop) {
    link.send(
        new RankMessage.Left(
            new Notice.Left(lifecycle.epoch(), config.rank(), loop.number, loop.iteration)));
    recover(false);
    resume(loop);
  }

  private void resume(Loop loop) {
    if (!recovery.resume(loop, () -> recover(false))) {
      // The checkpoint left is from an earlier loop; this process cannot roll back to before its
      // own loop.
      CheckpointId newest = recovery.line().checkpoint();
      throw stray("is in loop %d, but the newest checkpoint is %s".formatted(loop.number, newest));
    }
  }

  private void leaveLoop(Loop loop) {
    current = null;
    if (place == Place.LOOP) {
      link.report(loop.done(lifecycle.epoch(), config.rank(), local == null ? null : local.log()));
      move(Place.OUTSIDE);
    }
  }

  // ---- other API calls

  @Override
  public Comm world() {
    return world;
  }

  @Override
  public MeterSource meters(Supplier<? extends MeterSource> make) {
    return meters.source(make);
  }

  @Override
  public void requestCheckpoint() {
    requireOpen();
    Loop loop = current;
    if (loop != null && !loop.ended && place == Place.LOOP) {
      boundaries.want(loop);
    }
  }

  @Override
  public void afterRestore(Runnable computes) {
    requireOpen();
    restorer.afterRestore(computes);
  }

  @Override
  public int epoch() {
    return lifecycle.epoch();
  }

  @Override
  public Listening listen(Consumer<? super FaultEvent> listener) {
    requireOpen();
    return lifecycle
        .events()
        .listen(Objects.requireNonNull(listener, "listener"), messenger::refuse);
  }

  @Override
  public ProcessState state(int rank) {
    if (rank < 0 || rank >= config.size()) {
      throw new FmiException(
          ErrorClass.RANK,
          "there is no rank " + rank + " in this job of " + config.size() + " ranks");
    }
    return lifecycle.events().state(rank);
  }

  /** Whether {@link #close} was called: the program's communication has ended. */
  public boolean isClosed() {
    return place == Place.CLOSED;
  }

  @Override
  public void beforeTask(int task) {
    faults.at(FaultPoint.TASK, task);
  }

  @Override
  public void close() {
    messenger.requireNoListener();
    if (place == Place.CLOSED) {
      return;
    }
    if (failure.underWay()) {
      // Other ranks must take this process for alive until it has reported its failure: no
      // connection is closed.
      fail(null);
      move(Place.CLOSED);
      endCalls();
      return;
    }
    if (current != null && !current.byCall) {
      throw new IllegalStateException(
          "Fmi.close was called in a loop, which would continue without communication: call it"
              + " after the loop");
    }
    if (place == Place.REPLAY) {
      throw stray("ended its program while other ranks are in a loop");
    }
    faults.at(FaultPoint.CLOSE, -1);
    messenger.leave();
    current = null;
    move(Place.CLOSED);
    try {
      if (!shrinks) { // else messages may be missing, and no rank is to wait for them
        checkpoints.drain(null, lifecycle.epoch());
        Leftovers.report(system, messenger.mailbox(), link);
      }
    } catch (Rollback e) {
      lifecycle.awaitRestart();
    }
    lifecycle.finish();
    lifecycle.awaitRelease();
    lifecycle.close();
    endCalls();
    checkpoints.close();
    ownCore.leave();
  }

  /** Refuses the program's calls from now on. */
  private void endCalls() {
    messenger.close();
    contexts.close();
    lifecycle.events().close();
  }
}
