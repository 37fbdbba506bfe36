package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.Rollback;
import org.fmi.control.Counter;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.log.KeptRequests;
import org.fmi.core.log.Recorder;
import org.fmi.core.log.Recording;
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
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Takes checkpoints together with all other ranks.
 *
 * <p>A checkpoint: drain all channels, copy the state, compute the group's code, agree that all
 * have done so. It is <i>complete</i> on a rank after the code, and <i>committed</i> for a rank
 * that knows that it is complete on all. The one before is released only when the next one needs
 * its memory, so that a failure at any moment finds a version that is complete everywhere or can be
 * decoded, and mostly an older one too, should that be damaged.
 */
public final class Checkpoints {
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
  private final FileOffer files;
  private final Contradiction contradiction;
  private final MeetingPlace meetings;
  private final KeptRequests kept;
  private final ActiveRequests requests;

  /** Null if all ranks wait for each checkpoint. */
  private final @Nullable Overlap overlap;

  private long nextVersion;

  /** All messages have come for a checkpoint that is not committed. */
  private boolean inDoubt;

  /** The newest checkpoint known to be committed by all. */
  private @Nullable CheckpointId committed;

  /** When the last checkpoint was done, and at which iteration: to measure iterations. */
  private long lastDoneNanos;

  private long lastDoneIteration = -1;

  /** When the time to the next one has begun. */
  private long dueSince;

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
      FaultInjector faults) {
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
    this.files = files;
    this.contradiction = new Contradiction(config, system, link, messenger);
    this.meetings = new MeetingPlace(config, system, messenger, contradiction);
    this.kept = new KeptRequests(messenger);
    this.requests = new ActiveRequests(config, messenger, kept, contradiction);
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
                contradiction,
                meetings,
                this)
            : null;
  }

  /** The iterations between two checkpoints, as of now, and what the last one took. */
  public IntervalTuner tuner() {
    return tuner;
  }

  /** A loop goes on from one that all have taken, or gone back to. */
  public void fromCheckpoint() {
    dueSince = clock.nanoTime();
  }

  /**
   * Whether one is due before the loop's next iteration. Where all ranks wait for it, they must say
   * the same, and so count iterations; where nobody does, each has a clock.
   */
  public boolean isDue(Loop loop) {
    if (loop.checkpointed < 0) {
      return true;
    }
    if (overlap != null && config.job().interval() instanceof CheckpointInterval.ByTime time) {
      return clock.nanoTime() - dueSince >= time.seconds() * 1e9;
    }
    return loop.iteration - loop.checkpointed >= tuner.iterations();
  }

  /** The newest checkpoint known to be committed by all. */
  public @Nullable CheckpointId committed() {
    return committed;
  }

  /** Whether this rank is taking a checkpoint which others may have by now, or not. */
  public boolean inDoubt() {
    return inDoubt || (overlap != null && overlap.inDoubt());
  }

  /** As those say who have not gone back: that of the checkpoint may be from before. */
  public void restoreInterval(long iterations) {
    tuner.restore(iterations);
  }

  /** Adds what it has counted. Any thread: the numbers may be a little old. */
  public void count(Map<Counter, Long> counters) {
    counts.count(counters);
    counters.put(Counter.CHECKPOINT_MEMORY_BYTES, store.memoryBytes());
    counters.put(Counter.CHECKPOINT_FORECAST_BYTES, store.forecastBytes());
    counters.put(Counter.RECORD_BYTES, program.recorder().bytes());
  }

  /** Whether a checkpoint of a loop is known to be committed by all. */
  public boolean hasCommitted(@Nullable Loop loop) {
    return loop != null && committed != null && committed.loop() == loop.number;
  }

  // ---- take

  /** What is written in place of communicators and requests that are part of a loop's state. */
  public StandIns standIns() {
    return world.standIns(kept);
  }

  /** The program's requests that are under way. */
  public ActiveRequests requests() {
    return requests;
  }

  /**
   * Takes a checkpoint of a loop's state; collective over all ranks.
   *
   * @param last whether it is the final one
   */
  public void take(Loop loop, boolean last, int epoch) {
    requests.requireKept(loop, last);
    long iteration = loop.iteration;
    CheckpointEvent event = new CheckpointEvent();
    event.begin();
    long arrived = clock.nanoTime();
    drain(Meeting.at(new CheckpointId(nextVersion, loop.number, iteration, last)), epoch);
    Overlap lines = overlap;
    if (lines != null) {
      lines.settle(loop, last, epoch);
    } else {
      requests.requireReceived(loop, epoch);
    }
    CheckpointId id = new CheckpointId(nextVersion, loop.number, iteration, last);
    // Nobody sends before all have agreed; until then some may know that they have, and others not.
    inDoubt = true;
    if (config.job().policy().log() != null) {
      // Messages that cross lines are known by their numbers, whoever goes back.
      messenger
          .ledger()
          .line(!id.last() && config.job().policy().numbersMessages(loop.flow != null));
    }
    // The wait for slower ranks, until here, is no cost of the checkpoint.
    long begun = clock.nanoTime();
    if (loop.checkpointed < 0) {
      tuner.beginLoop();
    }
    if (lines != null) {
      lines.reach(nextVersion + 1);
    }
    long behind = lines == null ? 0 : lines.bytesBehind();
    Image image = copy(id, loop.state(), Image.Messages.BEFORE, behind, epoch);
    if (lines != null) {
      lines.writeBehind(image, iteration);
    }
    long bytes = image.memory().byteSize();
    long copied = clock.nanoTime();
    faults.at(FaultPoint.ENCODE, iteration);
    try {
      store.protect(id);
    } catch (IOException e) {
      throw impossible(epoch, e);
    }
    long encoded = clock.nanoTime();
    faults.at(FaultPoint.COMMIT, iteration);
    agree(id, loop.iterations, arrived, begun, epoch);
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
  }

  /** Fills the image, but for so many bytes behind the state. */
  Image copy(CheckpointId id, LoopState state, Image.Messages messages, long behind, int epoch) {
    Recorder recorder = program.recorder();
    long record = recorder.bytes();
    boolean before = messages == Image.Messages.BEFORE;
    long unexpected = before ? UnexpectedImage.bytes(messenger.mailbox()) : 0;
    long stateBytes = state.bytes();
    releaseOlder();
    try {
      MemorySegment memory = store.begin(id, Image.bytes(record, unexpected, stateBytes) + behind);
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
      return image;
    } catch (IOException e) {
      throw impossible(epoch, e);
    }
  }

  /**
   * The commit: returns when all ranks have come here, that is, when the checkpoint is complete on
   * all. All ranks must stand at the same place of the program, in a loop that is as long for all:
   * what they hold would else be restored together, as the state of one loop.
   *
   * @param iterations of the loop; negative if only the program knows
   */
  private void agree(CheckpointId id, long iterations, long arrived, long begun, int epoch) {
    long now = clock.nanoTime();
    long iteration = id.iteration();
    long[] cost = cost(now - begun, arrived, iteration);
    Meeting at = Meeting.at(id);
    long[] most = {
      cost[0],
      cost[1],
      at.packedLoop(),
      -at.packedLoop(),
      iteration,
      -iteration,
      iterations < 0 ? Long.MIN_VALUE : iterations,
      iterations < 0 ? Long.MIN_VALUE : -iterations,
      files.wish(id, overlap != null && overlap.leavesOut()),
      cost[2]
    };
    system.allReduce(most, Op.MAX);
    if (most[2] != -most[3] || most[4] != -most[5]) {
      throw contradiction.differ(at, epoch);
    }
    if (most[6] != -most[7]) {
      throw meetings.differentLengths(id.loop(), iterations, epoch);
    }
    // Ranks may have had their last checkpoint in different iterations.
    tuner.measured(most[0], most[1], most[9]);
    lastDoneNanos = clock.nanoTime();
    lastDoneIteration = iteration;
    CheckpointId before = committed;
    assert before == null || before.version() < id.version() : before + ", then " + id;
    committed = id;
    inDoubt = false;
    nextVersion = id.version() + 1;
    files.committed(id, most[8], epoch);
  }

  // ---- those that nobody waits for

  /** Who takes those between iterations; null if all ranks wait for each of them. */
  public @Nullable Overlap overlap() {
    return overlap;
  }

  public long nextVersion() {
    return nextVersion;
  }

  /** What the next one is called as far as this rank knows; the one after it is the next then. */
  CheckpointId begins(Loop loop) {
    CheckpointId id = new CheckpointId(nextVersion, loop.number, loop.iteration, false);
    nextVersion++;
    dueSince = clock.nanoTime();
    return id;
  }

  /** What this rank tells of its part: the largest of all ranks counts. */
  long[] cost(long nanos, long arrived, long iteration) {
    // The first checkpoint of a loop is that of iteration 0.
    long done = lastDoneIteration < 0 ? 0 : iteration - lastDoneIteration;
    return new long[] {nanos, done <= 0 ? 0 : (arrived - lastDoneNanos) / done, done};
  }

  /**
   * It is complete on all ranks.
   *
   * @param most what {@link #cost} gave
   * @param nanos how long this rank has stood still
   * @param went when it went on
   */
  void commits(CheckpointId id, long[] most, long bytes, long nanos, long went, long iteration) {
    tuner.measured(most[0], most[1], most[2]);
    lastDoneNanos = went;
    lastDoneIteration = iteration;
    committed = id;
    counts.add(bytes, store.codedBytes(), nanos);
  }

  /** The iteration that this rank goes on from, of a checkpoint that a recovery has found. */
  public long iterationOf(CheckpointId id) {
    return overlap == null ? id.iteration() : overlap.iteration(id, image(id));
  }

  /** Makes room for the next checkpoint: what is older than the last one is of no use then. */
  private void releaseOlder() {
    for (CheckpointId id : store.held()) {
      if (!id.last() && !id.equals(committed)) {
        store.release(id);
      }
    }
  }

  /** {@link Contradiction#programFault}. */
  public IllegalStateException programFault(String reason, int epoch) {
    return contradiction.programFault(reason, epoch);
  }

  // ---- repeat iterations

  /** The lowest rank that says yes, -1 if none does; collective over all ranks. */
  public int lowestOfThose(boolean mine, Loop loop, int epoch) {
    drain(new Meeting(Meeting.Kind.CHECKPOINT, loop.number, loop.iteration), epoch);
    long[] lowest = {mine ? config.rank() : config.size()};
    system.allReduce(lowest, Op.MIN);
    return lowest[0] == config.size() ? -1 : (int) lowest[0];
  }

  /** Iterations since the last checkpoint are done once more, with this interval. */
  public void repeatsFrom(long interval) {
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
   * Without memory for checkpoints the job cannot be protected: it ends with a message rather than
   * run on without. If it has left the epoch meanwhile, the message is lost on it, and this rank is
   * to follow. Never returns; the type lets callers say so to the compiler.
   *
   * @throws Rollback if the epoch is over
   */
  IllegalStateException impossible(int epoch, IOException e) {
    return endJob(epoch, "rank " + config.rank() + " cannot take a checkpoint: " + e.getMessage());
  }

  /**
   * The job cannot go on, and no fault of its program is why. Never returns.
   *
   * @throws Rollback if the epoch is over
   */
  public IllegalStateException endJob(int epoch, String reason) {
    link.send(new RankMessage.Unrecoverable(epoch, false, reason));
    while (true) {
      messenger.park();
    }
  }

  /** {@link MeetingPlace#drain}. */
  public void drain(@Nullable Meeting at, int epoch) {
    meetings.drain(at, epoch);
  }

  /**
   * Whether a loop goes on after an iteration: if any rank wants that. Collective over all ranks.
   */
  public boolean goesOn(long loop, long iteration, boolean wanted, int epoch) {
    if (overlap != null) {
      // Ranks may be on both sides of a line: as a call of the program, whose messages are kept.
      long[] anyWants = {wanted ? 1 : 0};
      world.allReduce(anyWants, Op.MAX);
      return anyWants[0] > 0;
    }
    return meetings.goesOn(loop, iteration, wanted, epoch);
  }

  // ---- after a failure

  /** The epoch is over: what is under way is given up. */
  public void leave() {
    if (overlap != null) {
      overlap.leave();
    }
  }

  /**
   * All ranks have agreed on what to go back to.
   *
   * @param first the version of the first checkpoint, if there is none
   */
  public void adopt(RecoveryLine line, long first) {
    committed = line.line();
    inDoubt = false;
    nextVersion = committed == null ? first : committed.version() + 1;
    lastDoneIteration = -1;
    if (overlap != null) {
      overlap.reach(nextVersion);
    }
    for (CheckpointId id : store.held()) {
      // Older ones are kept: the next checkpoint takes their memory.
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
