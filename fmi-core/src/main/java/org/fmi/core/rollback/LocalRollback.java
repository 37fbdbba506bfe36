package org.fmi.core.rollback;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Supplier;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Standing;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.checkpoint.Divergence;
import org.fmi.core.checkpoint.Overlap;
import org.fmi.core.checkpoint.RecoveryLineLog;
import org.fmi.core.epoch.Exchange;
import org.fmi.core.epoch.Lifecycle;
import org.fmi.core.log.Choice;
import org.fmi.core.log.InTransitImage;
import org.fmi.core.log.LogListener;
import org.fmi.core.log.MessageLedger;
import org.fmi.core.log.MessageLog;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Messenger;
import org.fmi.rules.IntervalTuner;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Lets a rank continue while failed ranks roll back ({@code --rollback local}): decides whether it
 * can, and, in an epoch in which only failed ranks roll back, exchanges which messages each rank
 * has received and has the missing ones resent.
 *
 * <p>A rank that rolls back alone, as it is new or cannot continue, starts with empty counters: its
 * peers resend everything, and report what they already have from it.
 */
public final class LocalRollback implements RecoveryLineLog {
  private static final long NO_LOOP = -1;
  private static final long NOT_ASKED = -1;

  private static final String NO_PROGRESS = "has made no progress over the last failures";

  private final RankConfig config;
  private final JobLink link;
  private final Messenger messenger;
  private final Lifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final MessageLog log;
  private final MessageLedger ledger;

  /** Limits of the log. */
  private final RecoveryPolicy.Log room;

  private final LoopAgreements agreements = new LoopAgreements();

  /** Takes asynchronous checkpoints; null if all ranks wait. */
  private final @Nullable Overlap overlap;

  private final NodeMemory memory;

  /** The node's free memory when this loop began, or when this process reached it. */
  private long free;

  private long freeIn = NO_LOOP;

  /** Memory that Java could allocate outside of the heap before this loop's log did. */
  private long direct = NOT_ASKED;

  /** The loop that the program is in. */
  private final Supplier<@Nullable Loop> current;

  /** The checkpoint interval of the ranks that continue, in iterations. */
  private long othersInterval;

  /** The iteration of the last checkpoint that they have skipped; -1 for none. */
  private long othersSkipped;

  /**
   * A loop in which this rank makes choices that the log does not cover. The newest checkpoint that
   * it had begun at the last one reported, which is {@link #choice}.
   */
  private long choosing = NO_LOOP;

  private long choosingSince;
  private String choice = "";

  /** Number of choices reported to the job. */
  private long choices;

  /** The loop in which this rank has reported that its log is full. */
  private long outgrownIn = NO_LOOP;

  /** Time at which the state was last saved or restored, by the rank's clock. */
  private long savedAt;

  /**
   * The epoch in which this rank has asked for a checkpoint because its log fills up; {@link
   * #askedAfter} is the version committed then.
   */
  private int askedIn = -1;

  private long askedAfter = NO_VERSION;

  /** Number of reports of determinants to the job. */
  private long reports;

  private final Standstill standstill = new Standstill();

  /** The checkpoint that this rank rolled back to alone; null once it has caught up. */
  private @Nullable CheckpointId catchingUpFrom;

  /** The local rollback of a rank; null if all ranks roll back. */
  public static @Nullable LocalRollback of(
      RankConfig config,
      JobLink link,
      Messenger messenger,
      NodeMemory memory,
      Lifecycle lifecycle,
      Checkpoints checkpoints,
      Supplier<@Nullable Loop> current) {
    RecoveryPolicy.Log room = config.job().policy().log();
    return room == null
        ? null
        : new LocalRollback(config, room, link, messenger, memory, lifecycle, checkpoints, current);
  }

  private LocalRollback(
      RankConfig config,
      RecoveryPolicy.Log room,
      JobLink link,
      Messenger messenger,
      NodeMemory memory,
      Lifecycle lifecycle,
      Checkpoints checkpoints,
      Supplier<@Nullable Loop> current) {
    this.memory = memory;
    this.checkpoints = checkpoints;
    this.current = current;
    this.config = config;
    this.link = link;
    this.messenger = messenger;
    this.lifecycle = lifecycle;
    this.room = room;
    long limit =
        switch (room) {
          case RecoveryPolicy.Log.OfBytes given -> given.bytes();
          // Resent messages may reach a new process before it knows the size of its state.
          case RecoveryPolicy.Log.OfState _ -> LogLimit.MIN_BYTES;
        };
    this.log = new MessageLog(config.rank(), config.size(), limit, this);
    Overlap overlap = checkpoints.overlap();
    this.overlap = overlap;
    this.ledger = new MessageLedger(messenger, log, overlap == null ? null : overlap.inTransit());
    if (overlap != null) {
      overlap.share(this, ledger);
    }
  }

  public MessageLog log() {
    return log;
  }

  /** The agreements after iterations of the loop. */
  public LoopAgreements agreements() {
    return agreements;
  }

  /** Makes determinants stable, before the rank does something visible that is not a message. */
  public void awaitStable() {
    log.reportAndWait();
  }

  /** Whether this rank repeats iterations whose messages others have received. */
  public boolean isCatchingUp() {
    return catchingUpFrom != null;
  }

  @Override
  public boolean isRepeating() {
    return log.isRepeating();
  }

  @Override
  public boolean isPressed(Loop loop, int epoch) {
    boolean pressed = LogLimit.isPressed(log.bytes(), log.limit());
    if (pressed) {
      reportPressed(loop, epoch);
    }
    return pressed;
  }

  private void reportPressed(Loop loop, int epoch) {
    link.report(
        new Notice.LogFills(
            epoch, config.rank(), loop.number, loop.iteration, log.bytes(), log.limit()));
  }

  /**
   * Asks for a checkpoint that all ranks wait for, if the log would be full before the next one is
   * due: otherwise this rank would have to roll back together with a failed one. Asks once after
   * each checkpoint, and only where its cost is small beside the computation since the last one.
   */
  public void askIfPressed(Loop loop, int epoch) {
    if (!LogLimit.isPressed(log.bytes(), log.limit())
        || (askedIn == epoch && askedAfter == version())
        || log.isRepeating()) {
      return;
    }
    IntervalTuner tuner = checkpoints.tuner();
    long done = loop.iteration - loop.checkpointed;
    if (LogLimit.needed(log.bytes(), done, tuner.iterations()) > log.limit()
        && LogLimit.isWorthwhile(tuner.tookNanos(), lifecycle.nanosSince(savedAt))) {
      askedIn = epoch;
      askedAfter = version();
      reportPressed(loop, epoch);
      LoopPoint here = new LoopPoint(loop.number, loop.iteration, false);
      link.send(new RankMessage.CheckpointWanted(epoch, here, false));
    }
  }

  @Override
  public void committed() {
    ledger.committed();
  }

  /** Empties the log at a recovery line, and switches it on or off. */
  public void reachLine(boolean begins) {
    ledger.atRecoveryLine(begins);
  }

  /** The state of a loop was saved or restored: a log of the loop's messages begins. */
  public void saved(Loop loop) {
    savedAt = lifecycle.nanosSince(0);
    if (loop.ended) {
      return;
    }
    if (loop.flow != null) {
      log.limit(LogLimit.NONE);
      return;
    }
    switch (room) {
      case RecoveryPolicy.Log.OfBytes given -> log.limit(given.bytes());
      case RecoveryPolicy.Log.OfState _ -> limitByState(loop);
    }
  }

  private void limitByState(Loop loop) {
    try {
      if (freeIn != loop.number) {
        free = memory.free();
        direct = NOT_ASKED;
        freeIn = loop.number;
      }
    } catch (IOException e) {
      log.spoil("cannot find out how much memory is free: " + e.getMessage());
      return;
    }
    long state = checkpoints.stateOf(loop).byteSize();
    log.limit(LogLimit.of(state, free, config.ranksOnMachine(), this::direct));
    if (log.limit() == LogLimit.NONE) {
      int ranks = config.ranksOnMachine();
      String why =
          Choice.NO_ROOM.text()
              + "; "
              + (ranks == 1 ? "1 rank needs " : ranks + " ranks need ")
              + (LogLimit.free(ranks) >> 20)
              + " MiB of free memory";
      chooses(loop, RankMessage.UnloggedChoice.WHOLE_LOOP, why);
      log.spoil(why);
    }
  }

  private long direct() {
    if (direct == NOT_ASKED) {
      direct = DirectMemory.left();
    }
    return direct;
  }

  // ---- the program's choices

  /**
   * Reports a choice to the job, which must know it before the choice has any effect: the process
   * may be lost right after.
   */
  @Override
  public void chooses(Choice choiceMade) {
    Loop loop = current.get();
    if (loop != null) {
      chooses(loop, checkpoints.nextVersion() - 1, choiceMade.text());
    }
    if (overlap != null) {
      overlap.chooses(choiceMade);
    }
  }

  private void chooses(Loop loop, long since, String choiceMade) {
    if (choosing != loop.number || choosingSince < since) {
      choosing = loop.number;
      choosingSince = since;
      choice = choiceMade;
      link.send(new RankMessage.UnloggedChoice(loop.number, since, choice));
      choices++;
      lifecycle.awaitNoted(choices);
    }
  }

  /** Whether a rollback to the last checkpoint would repeat such a choice. */
  private boolean isChoosing(Loop loop) {
    return choosing == loop.number && choosingSince >= version();
  }

  /** Notifies the user once per loop, before a failure finds the log too short. */
  @Override
  public void outgrown(long bytes) {
    Loop loop = current.get();
    CheckpointId line = checkpoints.committed();
    if (loop == null || line == null || outgrownIn == loop.number || log.limit() == LogLimit.NONE) {
      return;
    }
    outgrownIn = loop.number;
    long interval = overlap == null ? checkpoints.tuner().iterations() : 0;
    long needed = LogLimit.needed(bytes, loop.iteration - line.iteration() + 1, interval);
    link.report(
        new Notice.LogFull(
            lifecycle.epoch(),
            config.rank(),
            loop.number,
            loop.iteration,
            line.iteration(),
            bytes,
            log.limit(),
            interval,
            needed));
  }

  @Override
  public long report(int rank, long version, LogListener.NewDeterminants added) {
    link.send(
        new RankMessage.Determinants(
            rank, version(), version, added.first(), added.determinants()));
    return ++reports;
  }

  @Override
  public long version() {
    CheckpointId line = checkpoints.committed();
    return line == null ? NO_VERSION : line.version();
  }

  @Override
  public long versionBegun() {
    return Objects.requireNonNull(overlap).versionBegun();
  }

  @Override
  public boolean isStable(long number) {
    return lifecycle.acknowledged() >= number;
  }

  @Override
  public void awaitStable(long number) {
    while (!lifecycle.awaitAcknowledged(number)) {
      messenger.poll(); // enters the next epoch, or throws Rollback
    }
  }

  @Override
  public void differs(int dest, int context, long tag, long lengthBefore, long length) {
    if (overlap != null && !lifecycle.isLocal()) {
      overlap.differs(dest, context, tag, lengthBefore, length);
    }
    differs(Divergence.messages(dest, context, tag, lengthBefore, length));
  }

  @Override
  public void blockDiffers(int messages, int dest, int context, long tag) {
    differs(Divergence.among(messages, dest, context, tag));
  }

  private void differs(String messages) {
    String message =
        "rank "
            + config.rank()
            + " rolled back alone and no longer repeats its first run: "
            + messages;
    int reportedIn = -1;
    while (true) {
      if (reportedIn != lifecycle.epoch()) {
        reportedIn = lifecycle.epoch();
        link.send(new RankMessage.LocalImpossible(reportedIn, true, message));
      }
      messenger.park();
    }
  }

  @Override
  public void caughtUp() {
    Loop loop = current.get();
    CheckpointId from = catchingUpFrom;
    if (loop != null && from != null) {
      catchingUpFrom = null;
      loop.predecessorWasHere();
      reportCaughtUp(from, loop.iteration, loop.iteration - from.iteration() + 1);
    }
  }

  private void reportCaughtUp(CheckpointId from, long iteration, long repeated) {
    link.report(
        new Notice.CaughtUp(
            lifecycle.epoch(), config.rank(), from.loop(), from.iteration(), iteration, repeated));
  }

  // ---- failures

  /** Whether the current call may continue in a new epoch, as far as this rank knows. */
  public boolean mayContinue() {
    Loop loop = current.get();
    return loop != null
        && !loop.ended
        && loop.flow == null
        && checkpoints.hasCommitted(loop)
        && !checkpoints.inDoubt()
        && !isChoosing(loop)
        && log.on()
        && log.unusable() == null
        && !isAtStandstill(loop)
        && !lifecycle.allRollBack();
  }

  /** Whether another local rollback would be futile, and a shorter interval would help. */
  private boolean isAtStandstill(Loop loop) {
    CheckpointId line = checkpoints.committed();
    return line != null
        && !(config.job().interval() instanceof CheckpointInterval.Every)
        && standstill.isStuck(line.version(), line.iteration(), loop.iteration);
  }

  /** Forgets local rollbacks, as all ranks roll back. */
  public void allRollBack() {
    agreements.forget();
    standstill.clear();
    choosing = NO_LOOP;
  }

  /**
   * Report of this rank to the job after a failure. Before, it reports the determinants of other
   * ranks that it holds, as these ranks may be lost.
   */
  public Standing standing(boolean continues) {
    log.report();
    Loop loop = current.get();
    CheckpointId line = checkpoints.committed();
    if (loop == null || line == null || !checkpoints.hasCommitted(loop)) {
      return Standing.NONE;
    }
    if (loop.flow != null) {
      boolean flows = config.job().policy() instanceof RecoveryPolicy.Flow;
      String why =
          flows
              ? "is in a flowLoop, in which ranks agree on what is recomputed"
              : "is in a flowLoop";
      return new Standing(loop.number, Standing.NO_VERSION, false, flows, why);
    }
    if (isChoosing(loop)) {
      return new Standing(loop.number, Standing.NO_VERSION, false, choice);
    }
    if (checkpoints.inDoubt()) {
      return new Standing(loop.number, Standing.NO_VERSION, false, "is taking a checkpoint");
    }
    if (continues) {
      return new Standing(loop.number, line.version(), true, "");
    }
    String why = log.unusable();
    if (why == null) {
      why = isAtStandstill(loop) ? NO_PROGRESS : "has left its call";
    }
    return new Standing(loop.number, line.version(), false, why);
  }

  /**
   * Begins an epoch in which only failed ranks roll back, once the checkpoint has been rebuilt;
   * collective over all ranks.
   *
   * @param continues whether this rank continues
   * @throws org.fmi.Rollback if the epoch ends
   */
  public void begin(
      Comm system, JobMessage.Start start, @Nullable CheckpointId line, boolean continues) {
    if (line == null || line.version() != start.local()) {
      link.send(
          new RankMessage.LocalImpossible(
              start.epoch(),
              false,
              "the checkpoint that failed ranks would roll back to is damaged"));
      while (true) {
        messenger.park();
      }
    }
    if (!continues) {
      restart(line);
    }
    exchangeReceived(system, !continues || log.hasUnreplayed());
    Loop loop = current.get();
    standstill.begin(line.version());
    long[] most = {
      continues ? checkpoints.tuner().iterations() : 0,
      agreements.packed(),
      continues && loop != null ? loop.iteration : Standstill.NO_FRONT,
      standstill.front(),
      standstill.times(),
      continues && loop != null ? loop.skipped : -1
    };
    system.allReduce(most, Op.MAX);
    othersInterval = most[0];
    agreements.unpack(most[1]);
    standstill.rolledBack(most[2], most[3], most[4]);
    othersSkipped = most[5];
    long messages = 0;
    long bytes = 0;
    for (int rank = 0; rank < config.size(); rank++) {
      if (rank != config.rank()) {
        long[] again = ledger.resend(rank);
        messages += again[0];
        bytes += again[1];
      }
    }
    if (continues && loop != null) {
      link.report(
          new Notice.Continued(
              start.epoch(), config.rank(), loop.number, loop.iteration, messages, bytes));
    }
  }

  /**
   * Rolls this rank back alone: its counters are empty, and received messages are in the
   * checkpoint.
   */
  private void restart(CheckpointId line) {
    long[] recorded = lifecycle.determinants();
    if (overlap == null) {
      log.replay(recorded, recorded.length);
    } else {
      InTransitImage crossing = Overlap.inTransitImage(checkpoints.image(line));
      long[] saved = crossing.determinants();
      // After a rollback of all ranks the job has forgotten determinants that the checkpoint still
      // has.
      log.replay(saved.length > recorded.length ? saved : recorded, recorded.length);
      log.rollBack(crossing.early());
    }
    agreements.forget();
  }

  /** Rolls back with all ranks, to states that may include messages which are then replayed. */
  void rollBack(Comm system, InTransitImage crossing) {
    if (!lifecycle.isLocal()) {
      log.replay(crossing.determinants(), 0);
      log.rollBack(crossing.early());
      exchangeReceived(system, true);
    }
  }

  /**
   * Exchanges which messages each rank has received.
   *
   * @param system the communicator of the runtime
   * @param replays whether this rank replays messages that may have been received
   */
  private void exchangeReceived(Comm system, boolean replays) {
    int size = config.size();
    long[] areReplaying = new long[size];
    system.allGather(new long[] {replays ? 1 : 0}, areReplaying);
    long[][] received = new long[size][];
    for (int rank = 0; rank < size; rank++) {
      received[rank] =
          rank == config.rank() ? new long[0] : log.received(rank, areReplaying[rank] > 0);
    }
    long[][] theirReports = Exchange.of(system, received);
    for (int rank = 0; rank < size; rank++) {
      if (rank != config.rank()) {
        log.receivedByPeer(rank, theirReports[rank]);
      }
    }
  }

  /** Completes a rollback of this rank alone. */
  public void rolledBack(Loop loop, CheckpointId line) {
    checkpoints.restoreInterval(othersInterval);
    loop.skipped = othersSkipped; // the others do not meet there again
    long iteration = checkpoints.iterationOf(line);
    // Ranks may have reached the recovery line in different iterations.
    CheckpointId own = new CheckpointId(line.version(), line.loop(), iteration, line.last());
    catchingUpFrom = own;
    if (!log.hasUnreplayed()) {
      catchingUpFrom = null;
      reportCaughtUp(own, iteration, 0);
    }
  }
}
