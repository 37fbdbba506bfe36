package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.Rollback;
import org.fmi.control.Counter;
import org.fmi.control.JobLink;
import org.fmi.control.LoopPoint;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.epoch.FaultEvents;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.log.Recorder;
import org.fmi.core.log.Recording;
import org.fmi.core.log.StateRequests;
import org.fmi.core.log.UnexpectedImage;
import org.fmi.core.loop.Loop;
import org.fmi.core.object.StandIns;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.state.ImageWriter;
import org.fmi.core.state.LoopState;
import org.fmi.rules.IntervalTuner;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Takes checkpoints together with all other ranks.
 *
 * <p>A checkpoint drains all channels, copies the state, computes the group's code, and agrees that
 * all ranks have done so. It is <i>complete</i> on a rank after the code, and <i>committed</i> for
 * a rank that knows that it is complete on all ranks. The previous checkpoint is released only when
 * the next one needs its memory. So a failure at any moment finds a version that is complete
 * everywhere or can be rebuilt, and usually an older one too, in case it is damaged.
 *
 * <p>A checkpoint for which any rank has no room is <i>skipped</i> by all: the last one and the
 * logs since then stay. Loops that follow one without a final checkpoint take none, as a new
 * process could not get past it: all ranks would roll back to that loop.
 */
public final class Checkpoints {
  private static final long NO_LOOP = -1;

  /** The user's way out, where state cannot be given to fewer ranks. */
  private static final String WAY_OUT = ", or use --on-no-spare share";

  /** The reason why a state object is refused that does not say how it is divided. */
  public static final String UNDIVIDED =
      ", does not say how it is divided, so that the program could not continue with fewer ranks:"
          + " register ArrayBlock.of(...), Replicated.of(...) or Repartitioned.of(...)"
          + WAY_OUT;

  /** The cost of saving its state that a program is assumed to have, as nothing measures it. */
  private static final double ASSUMED_COST_SECONDS = 1;

  private final RankConfig config;
  private final Comm system;
  private final Communicator world;
  private final Messenger messenger;
  private final Recording program;
  private final ContextIds contexts;
  private final CheckpointStore store;
  private final IntervalTuner tuner;
  private final JobLink link;
  private final RankClock clock;
  private final FaultInjector faults;
  private final FaultEvents events;
  private final FileOffer files;
  private final Divergence divergence;
  private final Synchronization synchronization;
  private final StateRequests stateRequests;
  private final ActiveRequests requests;

  /** Null if all ranks wait for each checkpoint. */
  private final @Nullable Overlap overlap;

  private long nextVersion;

  /** Whether all messages have arrived for a checkpoint that is not committed yet. */
  private boolean inDoubt;

  /** The newest checkpoint known to be committed by all ranks. */
  private @Nullable CheckpointId committed;

  /** Time and iteration of the last checkpoint's end, to measure iterations. */
  private long lastDoneNanos;

  private long lastDoneIteration = -1;

  /** Start of the time to the next checkpoint. */
  private long dueSince;

  /** The time from then until the next checkpoint is announced as due, in a job that takes none. */
  private double announcedNanos;

  /** The number of checkpoints skipped since the last one committed, equal on all ranks. */
  private long skipped;

  /** The first loop without a final checkpoint, which was skipped; {@link #NO_LOOP} for none. */
  private long endless = NO_LOOP;

  private final CheckpointCounts counts = new CheckpointCounts();

  public Checkpoints(
      RankConfig config,
      Comm system,
      Communicator world,
      Messenger messenger,
      Recording program,
      ContextIds contexts,
      CheckpointStore store,
      FileOffer files,
      JobLink link,
      RankClock clock,
      FaultInjector faults,
      FaultEvents events) {
    this.config = config;
    this.system = system;
    this.world = world;
    this.messenger = messenger;
    this.program = program;
    this.contexts = contexts;
    this.store = store;
    this.tuner = new IntervalTuner(config.job().interval());
    this.link = link;
    this.clock = clock;
    this.faults = faults;
    this.events = events;
    this.files = files;
    this.divergence = new Divergence(config, system, link, messenger);
    this.synchronization = new Synchronization(config, system, messenger, divergence);
    this.stateRequests = new StateRequests(messenger);
    this.requests = new ActiveRequests(config, messenger, stateRequests, divergence);
    this.overlap =
        config.job().policy().overlapped()
            ? new Overlap(
                config,
                system,
                messenger,
                store,
                link,
                clock,
                faults,
                divergence,
                synchronization,
                this)
            : null;
  }

  /** The number of iterations between two checkpoints, and the duration of the last one. */
  public IntervalTuner tuner() {
    return tuner;
  }

  /** A loop continues from a checkpoint that all ranks have taken or rolled back to. */
  public void fromCheckpoint() {
    dueSince = clock.nanoTime();
  }

  /**
   * Whether a checkpoint is due before the loop's next iteration. If all ranks wait for it they
   * must agree, and so they count iterations; an asynchronous one may follow each rank's own clock.
   */
  public boolean isDue(Loop loop) {
    if (isFutile(loop)) {
      return false;
    }
    if (loop.checkpointed < 0 && loop.skipped < 0) {
      return true;
    }
    boolean all = loop.checkpointed < 0; // wait for a loop's first checkpoint
    if (!all
        && overlap != null
        && config.job().interval() instanceof CheckpointInterval.ByTime time) {
      return clock.nanoTime() - dueSince >= time.seconds() * 1e9;
    }
    return loop.iteration - Math.max(loop.checkpointed, loop.skipped) >= tuner.iterations();
  }

  /**
   * Notifies the program when a checkpoint would be due, in a job that takes none: by iterations,
   * or by this rank's own clock.
   */
  public void announceDue(Loop loop) {
    long now = clock.nanoTime();
    CheckpointInterval interval = config.job().interval();
    boolean due =
        loop.checkpointed < 0
            || (interval instanceof CheckpointInterval.Every every
                ? loop.iteration - loop.checkpointed >= every.iterations()
                : now - dueSince >= announcedNanos);
    if (due) {
      loop.checkpointed = loop.iteration;
      dueSince = now;
      announcedNanos =
          switch (interval) {
            case CheckpointInterval.Every _ -> 0; // iterations count
            case CheckpointInterval.ByTime t -> t.seconds() * 1e9;
            case CheckpointInterval.Mtbf m ->
                IntervalTuner.optimum(m.model(), ASSUMED_COST_SECONDS, m.seconds()) * 1e9;
          };
      events.checkpointDue(loop.iteration);
    }
  }

  /**
   * Whether a checkpoint of a loop could not be used, as an earlier loop's final one is missing.
   */
  private boolean isFutile(Loop loop) {
    return endless != NO_LOOP && loop.number > endless;
  }

  /** Whether the last checkpoint was skipped. */
  boolean lacksRoom() {
    return skipped > 0;
  }

  /** The newest checkpoint known to be committed by all ranks. */
  public @Nullable CheckpointId committed() {
    return committed;
  }

  /** Whether this rank is taking a checkpoint that other ranks may or may not have committed. */
  public boolean inDoubt() {
    return inDoubt || (overlap != null && overlap.inDoubt());
  }

  /** Sets the interval of the ranks that have not rolled back; the checkpoint's may be older. */
  public void restoreInterval(long iterations) {
    tuner.restore(iterations);
  }

  /** Adds the counters to a map. Any thread may call it; the values may be slightly stale. */
  public void count(Map<Counter, Long> counters) {
    counts.count(counters);
    counters.put(Counter.CHECKPOINT_MEMORY_BYTES, store.memoryBytes());
    counters.put(Counter.CHECKPOINT_FORECAST_BYTES, store.forecastBytes());
    counters.put(Counter.RECORD_BYTES, program.recorder().bytes());
  }

  /** Whether a checkpoint of a loop is known to be committed by all ranks. */
  public boolean hasCommitted(@Nullable Loop loop) {
    return loop != null && committed != null && committed.loop() == loop.number;
  }

  // ---- taking a checkpoint

  /** Substitutes for communicators and requests that are part of a loop's state. */
  public StandIns standIns() {
    return world.standIns(stateRequests);
  }

  /** The program's pending requests. */
  public ActiveRequests requests() {
    return requests;
  }

  /**
   * Takes a checkpoint of a loop's state, or skips it on all ranks if one of them has no room;
   * collective over all ranks.
   *
   * @param last whether it is the final one
   * @return whether it was taken
   */
  public boolean take(Loop loop, boolean last, int epoch) {
    requests.requireInState(loop, last);
    long iteration = loop.iteration;
    events.checkpointDue(iteration);
    CheckpointEvent event = new CheckpointEvent();
    event.begin();
    long arrived = clock.nanoTime();
    drain(SyncPoint.at(new CheckpointId(nextVersion, loop.number, iteration, last)), epoch);
    Overlap lines = overlap;
    if (lines != null) {
      lines.settle(loop, last, epoch);
    } else {
      requests.requireReceived(loop, epoch);
    }
    CheckpointId id = new CheckpointId(nextVersion, loop.number, iteration, last);
    // No rank sends before all have agreed; until then some ranks may know of the commit and others
    // not.
    inDoubt = true;
    // The wait for slower ranks, up to here, is no cost of the checkpoint.
    long begun = clock.nanoTime();
    if (loop.checkpointed < 0 && loop.skipped < 0) {
      tuner.beginLoop();
    }
    if (lines != null) {
      lines.reach(nextVersion + 1);
    }
    long bytes = 0;
    long copied = begun;
    NoRoomException noRoom = null;
    if (isFutile(loop)) {
      noRoom =
          new NoRoomException(
              "the final checkpoint of loop "
                  + endless
                  + " was skipped, and without it a checkpoint of a later loop is of no use",
              null);
    } else {
      try {
        long tail = lines == null ? 0 : lines.tailBytes();
        Image image = copy(id, loop.state(), Image.Messages.BEFORE, tail, epoch);
        if (lines != null) {
          lines.writeTail(image, iteration);
        }
        bytes = image.memory().byteSize();
        copied = clock.nanoTime();
        faults.at(FaultPoint.ENCODE, iteration);
      } catch (NoRoomException e) {
        noRoom = e;
      }
      try {
        store.protect(id); // also without room, as the group waits
        faults.at(FaultPoint.COMMIT, iteration);
      } catch (NoRoomException e) {
        noRoom = e;
      } catch (IOException e) {
        throw cannotContinue(epoch, e);
      }
    }
    long encoded = clock.nanoTime();
    if (!agree(id, loop, arrived, begun, noRoom, epoch)) {
      loop.skipped = iteration;
      return false;
    }
    long done = clock.nanoTime();
    counts.add(bytes, store.codedBytes(), done - begun);
    event.commit(epoch, id, bytes);
    if (config.rank() == 0) {
      link.send(
          new RankMessage.CheckpointDone(
              new Notice.CheckpointCommitted(
                  epoch,
                  id.version(),
                  loop.number,
                  iteration,
                  bytes,
                  store.codedBytes(),
                  copied - begun,
                  encoded - copied,
                  done - encoded),
              iteration,
              last));
    }
    faults.at(FaultPoint.COMMITTED, iteration);
    return true;
  }

  /**
   * Copies the state and the messages into a new image, and leaves {@code tail} bytes after them.
   */
  Image copy(CheckpointId id, LoopState state, Image.Messages messages, long tail, int epoch)
      throws NoRoomException {
    Recorder recorder = program.recorder();
    long record = recorder.bytes();
    boolean before = messages == Image.Messages.BEFORE;
    long unexpected = before ? UnexpectedImage.bytes(messenger.mailbox()) : 0;
    long stateBytes = state.bytes();
    releaseOlder();
    try {
      MemorySegment memory = store.begin(id, Image.bytes(record, unexpected, stateBytes) + tail);
      faults.at(FaultPoint.CHECKPOINT, id.iteration());
      Image image = new Image(memory);
      ImageWriter writer = new ImageWriter(memory, store);
      image.writeHeader(
          writer,
          tuner.iterations(),
          contexts.state(),
          messenger.attached(),
          record,
          unexpected,
          stateBytes,
          config.size());
      Image.writeRecord(writer, recorder);
      if (before) {
        UnexpectedImage.write(messenger.mailbox(), image.unexpected());
      }
      state.write(writer, image.stateAt());
      requireDivisible(image, state, epoch);
      return image;
    } catch (NoRoomException e) {
      throw e;
    } catch (IOException e) {
      throw cannotContinue(epoch, e);
    }
  }

  /** Refuses what could not be given to fewer ranks, if that may become necessary. */
  private void requireDivisible(Image image, LoopState state, int epoch) throws IOException {
    if (!config.job().mayShrink()) {
      return;
    }
    MemorySegment messages = image.unexpected();
    if (messages.byteSize() > 0 && messages.get(FrameLayout.LONG, 0) > 0) {
      throw endJob(
          epoch,
          "rank "
              + config.rank()
              + " has messages at a checkpoint that it has not received, which only a job of as"
              + " many ranks can receive: receive each message in the iteration in which it is sent"
              + WAY_OUT);
    }
    List<ImageSections.Entry> entries =
        ImageSections.of(
            (at, to) -> to.copyFrom(image.memory().asSlice(at, to.byteSize())),
            image.stateAt(),
            image.stateEnd());
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).shares()) {
        throw endJob(
            epoch,
            state.describeObject(i)
                + ", shares its content with another object, so that it cannot be divided among"
                + " fewer ranks: register each object once"
                + WAY_OUT);
      }
    }
  }

  /**
   * Commits a checkpoint that is complete on all ranks, or skips it on all of them. All ranks must
   * stand at the same place of the program, in a loop of equal length: otherwise unrelated states
   * would be restored together as one.
   *
   * @param noRoom why this rank, or another one of its group, could not take it; null if complete
   * @return whether it is committed
   */
  private boolean agree(
      CheckpointId id,
      Loop loop,
      long arrived,
      long begun,
      @Nullable NoRoomException noRoom,
      int epoch) {
    long iterations = loop.iterations;
    long now = clock.nanoTime();
    long iteration = id.iteration();
    long[] cost = cost(now - begun, arrived, iteration);
    SyncPoint at = SyncPoint.at(id);
    long[] most = {
      cost[0],
      cost[1],
      at.packedLoop(),
      -at.packedLoop(),
      iteration,
      -iteration,
      iterations < 0 ? Long.MIN_VALUE : iterations,
      iterations < 0 ? Long.MIN_VALUE : -iterations,
      files.vote(id, overlap != null && overlap.leavesOutMessages()),
      cost[2],
      lacking(noRoom)
    };
    system.allReduce(most, Op.MAX);
    if (most[2] != -most[3] || most[4] != -most[5]) {
      throw divergence.differ(at, epoch);
    }
    if (most[6] != -most[7]) {
      throw synchronization.differentLengths(id.loop(), iterations, epoch);
    }
    // Ranks may have taken their last checkpoint in different iterations.
    tuner.measured(most[0], most[1], most[9]);
    lastDoneNanos = clock.nanoTime();
    lastDoneIteration = iteration;
    boolean taken = most[10] == 0;
    if (config.job().policy().log() != null && (taken || id.last())) {
      // Messages that cross recovery lines are identified by number, whichever ranks roll back.
      messenger
          .ledger()
          .atRecoveryLine(!id.last() && config.job().policy().numbersMessages(loop.flow != null));
      system.barrier(); // the next message is after the line on both sides
    }
    inDoubt = false;
    // Version 0 is the first one that is taken: without it, all start again (RecoveryLine).
    nextVersion = taken || committed != null ? id.version() + 1 : id.version();
    if (!taken) {
      skip(id, iteration, most[10], noRoom, epoch);
      return false;
    }
    CheckpointId before = committed;
    assert before == null || before.version() < id.version() : before + ", then " + id;
    committed = id;
    skipped = 0;
    events.checkpointDone(id.version());
    files.committed(id, most[8], epoch);
    return true;
  }

  /** Contribution of this rank to the question whether any has no room; the largest counts. */
  long lacking(@Nullable NoRoomException noRoom) {
    return noRoom != null && noRoom.isHere() ? config.size() - config.rank() : 0;
  }

  /**
   * Skips a checkpoint for which some rank has no room, on all ranks.
   *
   * @param iteration of this rank
   * @param lacking the largest {@link #lacking}: the lowest such rank reports it
   */
  void skip(
      CheckpointId id, long iteration, long lacking, @Nullable NoRoomException noRoom, int epoch) {
    store.release(id);
    skipped++;
    tuner.skipped();
    files.requested().skipped();
    if (id.last() && endless == NO_LOOP) {
      endless = id.loop();
    }
    if (lacking == lacking(noRoom) && noRoom != null) {
      CheckpointId stays = committed;
      link.send(
          new RankMessage.CheckpointSkipped(
              new LoopPoint(id.loop(), iteration, id.last()),
              new Notice.CheckpointSkipped(
                  epoch,
                  config.rank(),
                  config.node(),
                  config.host(),
                  id.loop(),
                  id.iteration(),
                  skipped,
                  stays == null ? -1 : stays.loop(),
                  stays == null ? -1 : stays.iteration(),
                  String.valueOf(noRoom.getMessage()))));
    }
  }

  // ---- asynchronous checkpoints

  /**
   * Takes asynchronous checkpoints between iterations; null if all ranks wait for each checkpoint.
   */
  public @Nullable Overlap overlap() {
    return overlap;
  }

  public long nextVersion() {
    return nextVersion;
  }

  /** Allocates the id of the next checkpoint, as far as this rank knows it. */
  CheckpointId allocate(Loop loop) {
    CheckpointId id = new CheckpointId(nextVersion, loop.number, loop.iteration, false);
    nextVersion++;
    dueSince = clock.nanoTime();
    events.checkpointDue(loop.iteration);
    return id;
  }

  /** Measurements of this rank for a commit; the maximum over all ranks counts. */
  long[] cost(long nanos, long arrived, long iteration) {
    // The first checkpoint of a loop is that of iteration 0.
    long done = lastDoneIteration < 0 ? 0 : iteration - lastDoneIteration;
    return new long[] {nanos, done <= 0 ? 0 : (arrived - lastDoneNanos) / done, done};
  }

  /**
   * Commits an asynchronous checkpoint, which is complete on all ranks.
   *
   * @param most the maximum of {@link #cost}
   * @param nanos time for which this rank has paused
   * @param continued time at which it continued
   */
  void committedAsync(
      CheckpointId id, long[] most, long bytes, long nanos, long continued, long iteration) {
    tuner.measured(most[0], most[1], most[2]);
    lastDoneNanos = continued;
    lastDoneIteration = iteration;
    committed = id;
    skipped = 0;
    events.checkpointDone(id.version());
    counts.add(bytes, store.codedBytes(), nanos);
  }

  /** The iteration that this rank continues from, in a checkpoint that a recovery has found. */
  public long iterationOf(CheckpointId id) {
    return overlap == null ? id.iteration() : overlap.iteration(id, image(id));
  }

  /** Releases checkpoints older than the last one, to make room for the next. */
  private void releaseOlder() {
    for (CheckpointId id : store.held()) {
      if (!id.last() && !id.equals(committed)) {
        store.release(id);
      }
    }
  }

  /** {@link Divergence#programFault}. */
  public IllegalStateException programFault(String reason, int epoch) {
    return divergence.programFault(reason, epoch);
  }

  // ---- repeating iterations

  /** The lowest rank that says yes, -1 if none does; collective over all ranks. */
  public int lowestRank(boolean mine, Loop loop, int epoch) {
    drain(new SyncPoint(SyncPoint.Kind.CHECKPOINT, loop.number, loop.iteration), epoch);
    long[] lowest = {mine ? config.rank() : config.size()};
    system.allReduce(lowest, Op.MIN);
    return lowest[0] == config.size() ? -1 : (int) lowest[0];
  }

  /** Iterations since the last checkpoint are about to be repeated, with this interval. */
  public void repeatsWith(long interval) {
    lastDoneIteration = -1;
    tuner.restore(interval);
  }

  /** The loop's state in the last checkpoint. */
  public MemorySegment stateOf(Loop loop) {
    CheckpointId id = Objects.requireNonNull(committed);
    assert id.loop() == loop.number : id + " is of another loop than " + loop.number;
    Image image = image(id);
    return image.memory().asSlice(image.stateAt(), image.stateEnd() - image.stateAt());
  }

  /**
   * Has this process replaced, as the system refuses it something. If the job has left the epoch
   * meanwhile, the message is ignored, and this rank follows. Never returns; the return type tells
   * the compiler so.
   *
   * @throws Rollback if the epoch is over
   */
  IllegalStateException cannotContinue(int epoch, IOException e) {
    return leave(
        new RankMessage.CannotContinue(epoch, "cannot take a checkpoint: " + e.getMessage()));
  }

  /**
   * Ends the job for a reason other than a fault of its program. Never returns.
   *
   * @throws Rollback if the epoch is over
   */
  public IllegalStateException endJob(int epoch, String reason) {
    return leave(new RankMessage.Unrecoverable(epoch, false, reason));
  }

  /** Sends the last message of this process, and never returns. */
  private IllegalStateException leave(RankMessage last) {
    link.send(last);
    while (true) {
      messenger.park();
    }
  }

  /** {@link Synchronization#drain}. */
  public void drain(@Nullable SyncPoint at, int epoch) {
    synchronization.drain(at, epoch);
  }

  /** Whether a loop continues after an iteration, as any rank wants; collective over all ranks. */
  public boolean continues(long loop, long iteration, boolean wanted, int epoch) {
    if (overlap != null) {
      // Ranks may be on both sides of a recovery line, so this is a call of the program, whose
      // messages are logged.
      long[] wanting = {wanted ? 1 : 0};
      world.allReduce(wanting, Op.MAX);
      return wanting[0] > 0;
    }
    return synchronization.continues(loop, iteration, wanted, epoch);
  }

  // ---- failures

  /** Abandons the current checkpoint, as the epoch is over. */
  public void leave() {
    if (overlap != null) {
      overlap.leave();
    }
  }

  /**
   * Takes over the recovery line that all ranks have agreed on.
   *
   * @param first the version of the first checkpoint, if there is none
   */
  public void adopt(RecoveryLine line, long first) {
    committed = line.checkpoint();
    inDoubt = false;
    nextVersion = committed == null ? first : committed.version() + 1;
    lastDoneIteration = -1;
    if (overlap != null) {
      overlap.reach(nextVersion);
    }
    for (CheckpointId id : store.held()) {
      // Older ones stay: the next checkpoint takes their memory.
      if (committed == null || id.version() > committed.version()) {
        store.release(id);
      }
    }
  }

  /** The image of a checkpoint that a recovery has found. */
  public Image image(CheckpointId id) {
    Image image = new Image(store.image(id));
    image.check(config.size());
    return image;
  }

  /** Waits to be killed. Never returns. */
  public void park() {
    while (true) {
      clock.await(Long.MAX_VALUE);
    }
  }

  public void close() {
    store.close();
  }
}
