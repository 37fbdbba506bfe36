package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.log.Choice;
import org.fmi.core.log.InTransitImage;
import org.fmi.core.log.InTransitMessages;
import org.fmi.core.log.LogListener;
import org.fmi.core.log.MessageLedger;
import org.fmi.core.log.MessageLog;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Messenger;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.CheckpointStore.Protection;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Takes checkpoints that no rank waits for ({@code --checkpoint overlapped}): each rank comes to
 * its own part of the line between two of its iterations, copies its state, and goes on; the rest
 * is done in its calls, where they wait, and between iterations.
 *
 * <pre>
 *   NONE --due, or others are ahead: copy--> STARTING --all have--> COLLECTING --late messages are here--> CLOSING
 *    ^                                                                                                        |
 *    +--on all ranks-- COMMITTING &lt;--own part complete-- PROTECTING &lt;--so it is on all ranks------------------+
 *    +--given up, on all ranks: one of them cannot hold what it must------------------------------------------+
 * </pre>
 *
 * <p>Which messages belong to the line is said by {@link InTransitMessages}. A failure before the
 * commit makes all go back to the line before.
 */
public final class Overlap implements LogListener {
  /** How far it has come with a line. */
  private enum Phase {
    NONE,
    STARTING,
    COLLECTING,
    CLOSING,
    PROTECTING,
    COMMITTING
  }

  /** What a rank leaves free behind its state for messages and decisions, at least. */
  private static final long LEAST_ROOM = 4096;

  private final RankConfig config;
  private final Comm system;
  private final Messenger messenger;
  private final InTransitMessages lines;
  private final CheckpointStore store;
  private final JobLink link;
  private final RankClock clock;
  private final FaultInjector faults;
  private final Contradiction contradiction;
  private final MeetingPlace meetings;
  private final Checkpoints checkpoints;
  private final BackgroundReduce reduce;

  private final Stays stays;

  /** The log that lets only failed ranks roll back; null if all do. */
  private @Nullable LineLog local;

  /** Shared with that, if only failed ranks roll back. */
  private @Nullable MessageLedger ledger;

  private Phase phase = Phase.NONE;

  /** The work goes on below; what waits in it must not begin it again. */
  private boolean advancing;

  // ---- the line under way
  private @Nullable CheckpointId id;
  private long ownIteration;
  private long iterations;
  private long furthest;
  private long stateEnd;

  /** Messages that were still not to be sent again when the line was begun. */
  private List<InTransitMessages.Received> unneeded = List.of();

  /**
   * This rank has begun it after its last iteration: who went back to it would do another one, if
   * ranks have agreed on the end. The final checkpoint comes instead.
   */
  private boolean superseded;

  private long sentToThis;
  private @Nullable Protection protection;
  private long bytes;
  private long begun;
  private long copied;
  private long collected;
  private long encoded;

  /** When this rank was between two iterations last. */
  private long passed;

  /** How much of the room behind the state was used last. */
  private long used;

  Overlap(
      RankConfig config,
      Comm system,
      Messenger messenger,
      CheckpointStore store,
      JobLink link,
      RankClock clock,
      FaultInjector faults,
      Contradiction contradiction,
      MeetingPlace meetings,
      Checkpoints checkpoints) {
    this.meetings = meetings;
    this.config = config;
    this.system = system;
    this.messenger = messenger;
    this.lines = new InTransitMessages(config.size());
    this.store = store;
    this.link = link;
    this.clock = clock;
    this.faults = faults;
    this.contradiction = contradiction;
    this.checkpoints = checkpoints;
    this.reduce = new BackgroundReduce(system);
    this.stays = new Stays(clock.nanoTime());
    if (config.job().policy().log() == null) {
      MessageLog decisions = new MessageLog(config.rank(), config.size(), 0, this);
      lines.enable(decisions, this);
      ledger = new MessageLedger(messenger, decisions, lines);
    }
  }

  /** Only failed ranks roll back, and this is the log for that. */
  public void share(LineLog listener, MessageLedger shared) {
    local = listener;
    ledger = shared;
    lines.enable(shared.log(), listener);
  }

  /** The messages that cross its recovery lines. */
  public InTransitMessages inTransit() {
    return lines;
  }

  // ---- what the program decides by the order of messages

  @Override
  public void chooses(Choice choice) {
    if (lines.isRecording()) {
      lines.spoil(choice.text());
    }
  }

  @Override
  public void caughtUp() {}

  @Override
  public long chose(int rank, long version, LogListener.Told told) {
    throw new IllegalStateException("decisions are kept with the checkpoint");
  }

  @Override
  public long version() {
    throw new IllegalStateException("no decision is told, or passed on, by its checkpoint");
  }

  @Override
  public long versionBehind() {
    return id().version();
  }

  @Override
  public boolean isKept(long number) {
    return true; // nothing was reported
  }

  @Override
  public void awaitKept(long number) {}

  @Override
  public void differs(int dest, int context, long tag, long lengthBefore, long length) {
    throw differs(dest, Contradiction.messages(dest, context, tag, lengthBefore, length));
  }

  @Override
  public void differsAmong(int messages, int dest, int context, long tag) {
    throw differs(dest, Contradiction.among(messages, dest, context, tag));
  }

  private IllegalStateException differs(int dest, String what) {
    return contradiction.programFault(
        "rank "
            + config.rank()
            + " went back to a checkpoint and does something else than before: "
            + what
            + ", and rank "
            + dest
            + "'s state has what was sent before: with the same state an iteration must do the same"
            + " (with --checkpoint blocking it need not)",
        messenger.epoch());
  }

  // ---- lines

  /** All ranks are in a new epoch, or stand behind a checkpoint that all have waited for. */
  void reach(long nextVersion) {
    phase = Phase.NONE;
    protection = null;
    lines.reach(nextVersion);
  }

  /** Whether other ranks may have committed a line by now, and this one has not. */
  boolean inDoubt() {
    return phase == Phase.COMMITTING;
  }

  /** The epoch is over: the line under way is given up. */
  void leave() {
    phase = Phase.NONE;
    protection = null;
  }

  /**
   * This rank is between two iterations: begins a line that is due, or that another rank has begun,
   * if the one before is committed, and this rank does nothing again; and does a part of the work,
   * for a program that does not wait in its calls.
   */
  public void pass(Loop loop, BooleanSupplier isDue, int epoch) {
    if (phase != Phase.NONE) {
      long now = clock.nanoTime();
      long until = now + stays.next(now, now - passed);
      messenger.poll();
      boolean moved = advance(epoch);
      while (phase != Phase.NONE && clock.nanoTime() < until) {
        if (!moved) {
          messenger.park();
        }
        moved = advance(epoch);
      }
    }
    if (phase == Phase.NONE && mayBegin()) {
      boolean due = isDue.getAsBoolean(); // the commit above may have been what was asked for
      if (due || lines.othersAreAhead() || (local != null && local.isPressed(loop, epoch))) {
        begin(loop, epoch);
        stays.begin(copied);
      }
    }
    passed = clock.nanoTime();
  }

  /** What is numbered counts from a line on: nothing that has come may be made again behind it. */
  private boolean mayBegin() {
    return local == null || !local.isRepeating();
  }

  /** This rank comes to a line: copies what it holds, and goes on. */
  private void begin(Loop loop, int epoch) {
    assert phase == Phase.NONE : "a line is begun while another one is under way";
    checkpoints.requests().requireKept(loop, false);
    begun = clock.nanoTime();
    CheckpointId next = checkpoints.begins(loop);
    superseded = false;
    unneeded = lines.unneeded();
    Objects.requireNonNull(ledger).begin(next.version() + 1);
    Image image = checkpoints.copy(next, loop.state(), Image.Messages.BEHIND, room(), epoch);
    copied = clock.nanoTime();
    stateEnd = image.stateEnd();
    id = next;
    ownIteration = loop.iteration;
    iterations = loop.iterations;
    loop.checkpointed = loop.iteration;
    long[] sent = lines.sentBefore();
    long packed = Meeting.at(next).packedLoop();
    long[] mine = Arrays.copyOf(sent, sent.length + 6);
    long[] most = {
      loop.iteration,
      -loop.iteration,
      packed,
      -packed,
      iterations < 0 ? Long.MIN_VALUE : iterations,
      iterations < 0 ? Long.MIN_VALUE : -iterations
    };
    System.arraycopy(most, 0, mine, sent.length, most.length);
    reduce.begin(mine, sent.length);
    phase = Phase.STARTING;
  }

  /** Room that is left behind the state. */
  private long room() {
    return Math.max(LEAST_ROOM, 2 * used);
  }

  /**
   * Ends the line that any rank has begun, at a place where all ranks are and no message is under
   * way; collective over all ranks.
   */
  void settle(Loop loop, boolean last, int epoch) {
    long[] furthest = {checkpoints.nextVersion()};
    system.allReduce(furthest, Op.MAX);
    if (furthest[0] > checkpoints.nextVersion()) {
      awaitCommit(); // of the line before, which the others know of
      begin(loop, epoch);
      superseded = last;
    }
    awaitCommit();
  }

  private void awaitCommit() {
    while (phase != Phase.NONE) {
      messenger.park();
    }
  }

  /**
   * Does a part of the work, if that need not wait.
   *
   * @return whether something was done
   */
  public boolean advance(int epoch) {
    if (phase == Phase.NONE || advancing || messenger.epoch() != epoch) {
      return false;
    }
    advancing = true;
    try {
      return step(epoch);
    } catch (IOException e) {
      throw checkpoints.impossible(epoch, e);
    } finally {
      advancing = false;
    }
  }

  /** Whether that is under way. */
  public boolean isAdvancing() {
    return advancing;
  }

  private boolean step(int epoch) throws IOException {
    boolean moved = false;
    switch (phase) {
      case NONE -> {}
      case STARTING -> {
        moved = tell(FaultPoint.BEGUN);
        if (reduce.isComplete()) {
          started(reduce.values(), epoch);
          moved = true;
        }
      }
      case COLLECTING -> {
        if (lines.isComplete(sentToThis)) {
          lines.complete();
          reduce.begin(new long[] {lines.spoiled() == null && !superseded ? 0 : 1}, 1);
          phase = Phase.CLOSING;
          moved = true;
        }
      }
      case CLOSING -> {
        moved = tell(FaultPoint.COLLECTED);
        if (reduce.isComplete()) {
          close(reduce.values()[0] > 0);
          moved = true;
        }
      }
      case PROTECTING -> {
        Protection under = Objects.requireNonNull(protection);
        moved = under.advance();
        if (under.isComplete()) {
          complete();
          moved = true;
        }
      }
      case COMMITTING -> {
        moved = tell(FaultPoint.AGREE);
        if (reduce.isComplete()) {
          commit(reduce.values(), epoch);
          moved = true;
        }
      }
    }
    return moved;
  }

  /** Goes on with what all ranks tell each other; the place is where this one has told it. */
  private boolean tell(FaultPoint told) {
    boolean moved = reduce.advance();
    if (reduce.isHandedUp()) {
      faults.at(told, ownIteration);
    }
    return moved;
  }

  private CheckpointId id() {
    return Objects.requireNonNull(id);
  }

  /** All ranks have begun the line. */
  private void started(long[] all, int epoch) {
    lines.stop();
    int n = config.size();
    if (all[n + 2] != -all[n + 3]) {
      throw contradiction.differ(Meeting.at(id()), epoch);
    }
    if (all[n + 4] != -all[n + 5]) {
      throw meetings.differentLengths(id().loop(), iterations, epoch);
    }
    sentToThis = all[config.rank()];
    furthest = all[n];
    CheckpointId own = id();
    // Of the same name on all ranks: the lowest iteration at which one has begun it.
    id = new CheckpointId(own.version(), own.loop(), -all[n + 1], false);
    phase = Phase.COLLECTING;
    faults.at(FaultPoint.COLLECT, ownIteration);
  }

  /** All messages of the line are here, on all ranks. */
  private void close(boolean spoiled) throws IOException {
    if (spoiled) {
      String why = lines.spoiled();
      if (why != null) {
        link.report(
            "the checkpoint of iteration %d is given up, the one before stays: rank %d %s"
                .formatted(id().iteration(), config.rank(), why));
      }
      lines.giveUp();
      phase = Phase.NONE;
      return;
    }
    collected = clock.nanoTime();
    used = bytesBehind(unneeded);
    bytes = stateEnd + used;
    writeBehind(store.resize(id(), bytes), unneeded, ownIteration);
    lines.close();
    faults.at(FaultPoint.ENCODE, ownIteration);
    protection = store.protecting(id());
    phase = Phase.PROTECTING;
  }

  /** The image and its code are complete here. */
  private void complete() {
    protection = null;
    encoded = clock.nanoTime();
    faults.at(FaultPoint.COMMIT, ownIteration);
    reduce.begin(checkpoints.cost(copied - begun, begun, ownIteration), 0);
    phase = Phase.COMMITTING;
  }

  private void commit(long[] most, int epoch) {
    long done = clock.nanoTime();
    phase = Phase.NONE;
    checkpoints.commits(id(), most, bytes, copied - begun, copied, ownIteration);
    if (local != null) {
      local.committed();
    }
    if (config.rank() == 0) {
      link.send(
          new RankMessage.CheckpointDone(
              new Notice.CheckpointCommitted(
                  epoch,
                  id().version(),
                  id().loop(),
                  id().iteration(),
                  bytes,
                  store.codedBytes(),
                  copied - begun,
                  encoded - collected,
                  done - encoded),
              furthest,
              false));
    }
    faults.at(FaultPoint.COMMITTED, ownIteration);
  }

  // ---- what lies behind the state in an image

  /** What a checkpoint needs behind its state that all ranks wait for. */
  long bytesBehind() {
    return bytesBehind(lines.unneeded());
  }

  private long bytesBehind(List<InTransitMessages.Received> notSent) {
    return Long.BYTES + InTransitImage.bytes(lines, notSent, lines.decided());
  }

  /** Writes that. */
  void writeBehind(Image image, long iteration) {
    writeBehind(image.memory(), image.stateEnd(), lines.unneeded(), iteration);
  }

  private void writeBehind(
      MemorySegment memory, List<InTransitMessages.Received> notSent, long iteration) {
    writeBehind(memory, stateEnd, notSent, iteration);
  }

  private void writeBehind(
      MemorySegment memory, long at, List<InTransitMessages.Received> notSent, long iteration) {
    memory.set(FrameLayout.LONG, at, iteration);
    new InTransitImage(memory.asSlice(at + Long.BYTES)).write(lines, notSent, lines.decided());
  }

  /** What an image holds of messages and decisions; nothing if its job had no such lines. */
  public static InTransitImage behind(Image image) {
    return hasBehind(image)
        ? new InTransitImage(image.memory().asSlice(image.stateEnd() + Long.BYTES))
        : InTransitImage.EMPTY;
  }

  private static boolean hasBehind(Image image) {
    return image.memory().byteSize() > image.stateEnd();
  }

  /** The iteration that this rank goes on from. */
  long iteration(CheckpointId of, Image image) {
    return hasBehind(image)
        ? image.memory().get(FrameLayout.LONG, image.stateEnd())
        : of.iteration();
  }

  /** Whether messages are still left out that have come already. */
  boolean leavesOut() {
    return !lines.unneeded().isEmpty();
  }
}
