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
import org.fmi.spi.NoRoomException;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Takes asynchronous checkpoints ({@code --checkpoint overlapped}): each rank reaches its own part
 * of the recovery line between two of its iterations, copies its state, and continues. The rest is
 * done in calls that wait, and between iterations.
 *
 * <pre>
 *   NONE --due, or others are ahead: copy--> STARTING --all ranks have--> COLLECTING --late messages are here--> CLOSING
 *    ^                                                                                                              |
 *    +--on all ranks-- COMMITTING &lt;--own part complete-- PROTECTING &lt;--messages are here on all ranks---------------+
 *    +--abandoned on all ranks: one of them cannot save what it must, or has no room--------------------------------+
 * </pre>
 *
 * <p>{@link InTransitMessages} determines which messages belong to the recovery line. After a
 * failure before the commit all ranks roll back to the previous recovery line.
 */
public final class Overlap implements LogListener {
  /** Progress with a recovery line. */
  private enum Phase {
    NONE,
    STARTING,
    COLLECTING,
    CLOSING,
    PROTECTING,
    COMMITTING
  }

  /** Minimum room that a rank reserves after its state for messages and determinants. */
  private static final long MIN_ROOM = 4096;

  private final RankConfig config;
  private final Comm system;
  private final Messenger messenger;
  private final InTransitMessages lines;
  private final CheckpointStore store;
  private final JobLink link;
  private final RankClock clock;
  private final FaultInjector faults;
  private final Divergence divergence;
  private final Synchronization synchronization;
  private final Checkpoints checkpoints;
  private final BackgroundReduce reduce;

  private final WaitBudget waits;

  /** The log for local rollback; null if all ranks roll back. */
  private @Nullable RecoveryLineLog local;

  /** Shared with {@link #local} for local rollback. */
  private @Nullable MessageLedger ledger;

  private Phase phase = Phase.NONE;

  /** Set while {@link #advance} runs, which must not be entered again by a wait within it. */
  private boolean advancing;

  // ---- the current recovery line
  private @Nullable CheckpointId id;
  private long ownIteration;
  private long iterations;
  private long furthest;
  private long stateEnd;

  /** Messages that were still not to be sent again when the recovery line was begun. */
  private List<InTransitMessages.Received> notToSend = List.of();

  /**
   * Whether this rank has begun it after its last iteration. A rank that rolled back to it would
   * compute another iteration although ranks may have agreed on the end. The final checkpoint
   * replaces it.
   */
  private boolean superseded;

  /** Why this rank, or another one of its group, has no room for it; null if it has. */
  private @Nullable NoRoomException noRoom;

  private long sentHere;
  private @Nullable Protection protection;
  private long bytes;
  private long begun;
  private long copied;
  private long collected;
  private long encoded;

  /** Time at which this rank was last between two iterations. */
  private long passed;

  /** Number of bytes last used of the room after the state. */
  private long used;

  Overlap(
      RankConfig config,
      Comm system,
      Messenger messenger,
      CheckpointStore store,
      JobLink link,
      RankClock clock,
      FaultInjector faults,
      Divergence divergence,
      Synchronization synchronization,
      Checkpoints checkpoints) {
    this.synchronization = synchronization;
    this.config = config;
    this.system = system;
    this.messenger = messenger;
    this.lines = new InTransitMessages(config.size());
    this.store = store;
    this.link = link;
    this.clock = clock;
    this.faults = faults;
    this.divergence = divergence;
    this.checkpoints = checkpoints;
    this.reduce = new BackgroundReduce(system);
    this.waits = new WaitBudget(clock.nanoTime());
    if (config.job().policy().log() == null) {
      MessageLog log = new MessageLog(config.rank(), config.size(), 0, this);
      lines.enable(log, this);
      ledger = new MessageLedger(messenger, log, lines);
    }
  }

  /** Uses this log, for local rollback. */
  public void share(RecoveryLineLog listener, MessageLedger shared) {
    local = listener;
    ledger = shared;
    lines.enable(shared.log(), listener);
  }

  /** The messages that cross its recovery lines. */
  public InTransitMessages inTransit() {
    return lines;
  }

  // ---- callbacks of the log

  @Override
  public void chooses(Choice choice) {
    if (lines.isRecording()) {
      lines.spoil(choice.text());
    }
  }

  @Override
  public void caughtUp() {}

  @Override
  public long report(int rank, long version, LogListener.NewDeterminants contributed) {
    throw new IllegalStateException("determinants are saved with the checkpoint");
  }

  @Override
  public long version() {
    throw new IllegalStateException("no determinants are reported or piggybacked");
  }

  @Override
  public long versionBegun() {
    return id().version();
  }

  @Override
  public boolean isStable(long number) {
    return true; // nothing was reported
  }

  @Override
  public void awaitStable(long number) {}

  @Override
  public void differs(int dest, int context, long tag, long lengthBefore, long length) {
    throw differs(dest, Divergence.messages(dest, context, tag, lengthBefore, length));
  }

  @Override
  public void blockDiffers(int messages, int dest, int context, long tag) {
    throw differs(dest, Divergence.among(messages, dest, context, tag));
  }

  private IllegalStateException differs(int dest, String what) {
    return divergence.programFault(
        "rank "
            + config.rank()
            + " rolled back to a checkpoint and no longer repeats its first run: "
            + what
            + ", but rank "
            + dest
            + "'s state already includes the first message: from the same state an iteration must"
            + " send the same messages; use --checkpoint blocking if it cannot",
        messenger.epoch());
  }

  // ---- recovery lines

  /** All ranks are in a new epoch, or have taken a blocking checkpoint. */
  void reach(long nextVersion) {
    phase = Phase.NONE;
    protection = null;
    lines.reach(nextVersion);
  }

  /** Whether other ranks may have committed a recovery line that this rank has not. */
  boolean inDoubt() {
    return phase == Phase.COMMITTING;
  }

  /** Abandons the current recovery line, as the epoch is over. */
  void leave() {
    phase = Phase.NONE;
    protection = null;
  }

  /**
   * Works on recovery lines between two iterations. Begins one that is due or that another rank has
   * begun, if the previous one is committed and this rank does not replay. Also does a part of the
   * pending work, for a program that does not wait in its calls.
   */
  public void betweenIterations(Loop loop, BooleanSupplier isDue, int epoch) {
    if (phase != Phase.NONE) {
      long now = clock.nanoTime();
      long until = now + waits.next(now, now - passed);
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
      boolean due = isDue.getAsBoolean(); // the commit above may have met the request
      if (due || lines.othersAhead() || isPressed(loop, epoch)) {
        begin(loop, epoch);
        waits.begin(copied);
      }
    }
    passed = clock.nanoTime();
  }

  /** Whether the log asks for a checkpoint, where the last one found room. */
  private boolean isPressed(Loop loop, int epoch) {
    return local != null && !checkpoints.lacksRoom() && local.isPressed(loop, epoch);
  }

  /** Whether no message is still to be replayed: numbers count from the recovery line on. */
  private boolean mayBegin() {
    return local == null || !local.isRepeating();
  }

  /** Reaches a recovery line: copies this rank's part, and continues. */
  private void begin(Loop loop, int epoch) {
    assert phase == Phase.NONE : "a line is begun while another one is under way";
    checkpoints.requests().requireInState(loop, false);
    begun = clock.nanoTime();
    CheckpointId next = checkpoints.allocate(loop);
    superseded = false;
    notToSend = lines.notToSend();
    Objects.requireNonNull(ledger).begin(next.version() + 1);
    noRoom = null;
    try {
      Image image = checkpoints.copy(next, loop.state(), Image.Messages.AFTER, room(), epoch);
      stateEnd = image.stateEnd();
    } catch (NoRoomException e) {
      noRoom = e;
    }
    copied = clock.nanoTime();
    id = next;
    ownIteration = loop.iteration;
    iterations = loop.iterations;
    loop.checkpointed = loop.iteration;
    long[] sent = lines.sentBefore();
    long packed = SyncPoint.at(next).packedLoop();
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

  /** Number of bytes to reserve after the state. */
  private long room() {
    return Math.max(MIN_ROOM, 2 * used);
  }

  /**
   * Completes the recovery line that any rank has begun, at a place where all ranks are and no
   * message is under way; collective over all ranks.
   */
  void settle(Loop loop, boolean last, int epoch) {
    long[] furthest = {checkpoints.nextVersion()};
    system.allReduce(furthest, Op.MAX);
    if (furthest[0] > checkpoints.nextVersion()) {
      awaitCommit(); // of the previous recovery line, which other ranks have committed
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
   * Does a part of the pending work, without waiting.
   *
   * @return whether there was something to do
   */
  public boolean advance(int epoch) {
    if (phase == Phase.NONE || advancing || messenger.epoch() != epoch) {
      return false;
    }
    advancing = true;
    try {
      return step(epoch);
    } catch (IOException e) {
      throw checkpoints.cannotContinue(epoch, e);
    } finally {
      advancing = false;
    }
  }

  /** Whether {@link #advance} is running. */
  public boolean isAdvancing() {
    return advancing;
  }

  private boolean step(int epoch) throws IOException {
    boolean moved = false;
    switch (phase) {
      case NONE -> {}
      case STARTING -> {
        moved = advanceReduction(FaultPoint.BEGUN);
        if (reduce.isComplete()) {
          started(reduce.values(), epoch);
          moved = true;
        }
      }
      case COLLECTING -> {
        if (lines.isComplete(sentHere)) {
          lines.complete();
          long abandons = lines.spoiled() == null && !superseded ? 0 : 1;
          reduce.begin(new long[] {abandons, checkpoints.lacking(noRoom)}, 0);
          phase = Phase.CLOSING;
          moved = true;
        }
      }
      case CLOSING -> {
        moved = advanceReduction(FaultPoint.COLLECTED);
        if (reduce.isComplete()) {
          close(reduce.values(), epoch);
          moved = true;
        }
      }
      case PROTECTING -> {
        moved = protect(Objects.requireNonNull(protection));
      }
      case COMMITTING -> {
        moved = advanceReduction(FaultPoint.AGREE);
        if (reduce.isComplete()) {
          commit(reduce.values(), epoch);
          moved = true;
        }
      }
    }
    return moved;
  }

  /** Advances the current reduction, and passes the fault point once this rank has contributed. */
  private boolean advanceReduction(FaultPoint contributed) {
    boolean moved = reduce.advance();
    if (reduce.hasContributed()) {
      faults.at(contributed, ownIteration);
    }
    return moved;
  }

  private CheckpointId id() {
    return Objects.requireNonNull(id);
  }

  /** All ranks have begun the recovery line. */
  private void started(long[] all, int epoch) {
    lines.stop();
    int n = config.size();
    if (all[n + 2] != -all[n + 3]) {
      throw divergence.differ(SyncPoint.at(id()), epoch);
    }
    if (all[n + 4] != -all[n + 5]) {
      throw synchronization.differentLengths(id().loop(), iterations, epoch);
    }
    sentHere = all[config.rank()];
    furthest = all[n];
    CheckpointId own = id();
    // The id is equal on all ranks: it has the lowest iteration in which a rank has begun.
    id = new CheckpointId(own.version(), own.loop(), -all[n + 1], false);
    phase = Phase.COLLECTING;
    faults.at(FaultPoint.COLLECT, ownIteration);
  }

  /** All messages of the recovery line are here, on all ranks. */
  private void close(long[] most, int epoch) throws IOException {
    if (most[1] > 0) {
      skip(most[1], epoch);
      return;
    }
    if (most[0] > 0) {
      String why = lines.spoiled();
      if (why != null) {
        link.report(
            "the checkpoint of iteration %d is abandoned, and the previous one stays: rank %d %s"
                .formatted(id().iteration(), config.rank(), why));
      }
      lines.abandon();
      phase = Phase.NONE;
      return;
    }
    collected = clock.nanoTime();
    used = tailBytes(notToSend);
    bytes = stateEnd + used;
    try {
      writeTail(store.resize(id(), bytes), notToSend, ownIteration);
    } catch (NoRoomException e) {
      noRoom = e; // the group learns of it when the image is to be protected
    }
    lines.close();
    faults.at(FaultPoint.ENCODE, ownIteration);
    protection = store.protecting(id());
    phase = Phase.PROTECTING;
  }

  private boolean protect(Protection under) throws IOException {
    boolean moved;
    try {
      moved = under.advance();
    } catch (NoRoomException e) {
      noRoom = e;
      complete();
      return true;
    }
    if (!under.isComplete()) {
      return moved;
    }
    faults.at(FaultPoint.COMMIT, ownIteration);
    complete();
    return true;
  }

  /** The image and its code are complete on this rank, or its group has no room for them. */
  private void complete() {
    protection = null;
    encoded = clock.nanoTime();
    long[] cost = checkpoints.cost(copied - begun, begun, ownIteration);
    long[] mine = Arrays.copyOf(cost, cost.length + 1);
    mine[cost.length] = checkpoints.lacking(noRoom);
    reduce.begin(mine, 0);
    phase = Phase.COMMITTING;
  }

  /** Abandons the recovery line, as a rank has no room for it. */
  private void skip(long lacking, int epoch) {
    lines.abandon();
    phase = Phase.NONE;
    checkpoints.skip(id(), ownIteration, lacking, noRoom, epoch);
  }

  private void commit(long[] most, int epoch) {
    long lacking = most[most.length - 1];
    if (lacking > 0) {
      skip(lacking, epoch);
      return;
    }
    long done = clock.nanoTime();
    phase = Phase.NONE;
    checkpoints.committedAsync(id(), most, bytes, copied - begun, copied, ownIteration);
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

  // ---- the part of an image after the state

  /** Number of bytes after the state of a checkpoint that all ranks wait for. */
  long tailBytes() {
    return tailBytes(lines.notToSend());
  }

  private long tailBytes(List<InTransitMessages.Received> notSent) {
    return Long.BYTES + InTransitImage.bytes(lines, notSent, lines.determinants());
  }

  /** Writes the part after the state. */
  void writeTail(Image image, long iteration) {
    writeTail(image.memory(), image.stateEnd(), lines.notToSend(), iteration);
  }

  private void writeTail(
      MemorySegment memory, List<InTransitMessages.Received> notSent, long iteration) {
    writeTail(memory, stateEnd, notSent, iteration);
  }

  private void writeTail(
      MemorySegment memory, long at, List<InTransitMessages.Received> notSent, long iteration) {
    memory.set(FrameLayout.LONG, at, iteration);
    new InTransitImage(memory.asSlice(at + Long.BYTES)).write(lines, notSent, lines.determinants());
  }

  /**
   * The messages and determinants in an image; empty if its job took no asynchronous checkpoints.
   */
  public static InTransitImage inTransitImage(Image image) {
    return hasTail(image)
        ? new InTransitImage(image.memory().asSlice(image.stateEnd() + Long.BYTES))
        : InTransitImage.EMPTY;
  }

  private static boolean hasTail(Image image) {
    return image.memory().byteSize() > image.stateEnd();
  }

  /** The iteration that this rank continues from. */
  long iteration(CheckpointId of, Image image) {
    return hasTail(image) ? image.memory().get(FrameLayout.LONG, image.stateEnd()) : of.iteration();
  }

  /** Whether some received messages are still to be left out. */
  boolean leavesOutMessages() {
    return !lines.notToSend().isEmpty();
  }
}
