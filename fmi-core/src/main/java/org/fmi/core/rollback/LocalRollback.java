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
import org.fmi.core.checkpoint.Contradiction;
import org.fmi.core.checkpoint.LineLog;
import org.fmi.core.checkpoint.Overlap;
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
 * Lets a rank go on where it stands while failed ones go back ({@code --rollback local}): says
 * whether it can, and brings together, in an epoch in which only failed ranks go back, what each
 * rank has got and what is sent to it again.
 *
 * <p>A rank that goes back alone, as it is new or cannot go on, is one of which nothing has come
 * and nothing was sent: others send it all again, and tell it what they have of it already.
 */
public final class LocalRollback implements LineLog {
  private static final long NO_LOOP = -1;
  private static final long NOT_ASKED = -1;

  private static final String NO_FURTHER = "has got no further in the last failures";

  private final RankConfig config;
  private final JobLink link;
  private final Messenger messenger;
  private final Lifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final MessageLog log;
  private final MessageLedger ledger;

  /** What the log may take. */
  private final RecoveryPolicy.Log room;

  private final Decisions decisions = new Decisions();

  /** Takes checkpoints that nobody waits for; null if all ranks wait. */
  private final @Nullable Overlap lines;

  private final NodeMemory memory;

  /** What was free on the node when this loop began, or when this process came to it. */
  private long free;

  private long freeIn = NO_LOOP;

  /** What Java could allocate outside of the heap before this loop's log did. */
  private long direct = NOT_ASKED;

  /** The loop that the program is in. */
  private final Supplier<@Nullable Loop> current;

  /** The interval between checkpoints of those that go on, in iterations. */
  private long intervalOfOthers;

  /** A loop in which this rank makes choices that the log does not cover; and the first of them. */
  private long choosing = NO_LOOP;

  private String choice = "";

  /** The loop in which this rank has reported that its log is outgrown. */
  private long outgrownIn = NO_LOOP;

  /** When the state was saved or restored last, by the rank's clock. */
  private long savedAt;

  /** The epoch in which this rank has asked for a checkpoint as its log fills; and after which. */
  private int askedIn = -1;

  private long askedAfter = NO_VERSION;

  /** How often this rank has reported decisions to the job. */
  private long chosen;

  private final Standstill standstill = new Standstill();

  /** Where this rank went back to alone; null once it has caught up. */
  private @Nullable CheckpointId behind;

  /** Null if all ranks go back. */
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
          // What is sent again to a new process may come before it knows the size of its state.
          case RecoveryPolicy.Log.OfState _ -> LogRoom.LEAST;
        };
    this.log = new MessageLog(config.rank(), config.size(), limit, this);
    Overlap lines = checkpoints.overlap();
    this.lines = lines;
    this.ledger = new MessageLedger(messenger, log, lines == null ? null : lines.inTransit());
    if (lines != null) {
      lines.share(this, ledger);
    }
  }

  public MessageLog log() {
    return log;
  }

  /** What was agreed on after iterations of the loop. */
  public Decisions decisions() {
    return decisions;
  }

  /** Something leaves this rank that is no message. */
  public void tell() {
    log.tellAndWait();
  }

  /** Whether this rank repeats iterations of which others have heard. */
  public boolean isBehind() {
    return behind != null;
  }

  @Override
  public boolean isRepeating() {
    return log.isRepeating();
  }

  @Override
  public boolean isPressed(Loop loop, int epoch) {
    boolean pressed = LogRoom.isPressed(log.bytes(), log.limit());
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
   * Asks for a checkpoint that all ranks wait for, if the log would be full before one is due: this
   * rank would else go back with a failed one. Once after each checkpoint, and where that costs
   * little beside what the ranks have computed since the one before.
   */
  public void askIfPressed(Loop loop, int epoch) {
    if (!LogRoom.isPressed(log.bytes(), log.limit())
        || (askedIn == epoch && askedAfter == version())
        || log.isRepeating()) {
      return;
    }
    IntervalTuner tuner = checkpoints.tuner();
    long done = loop.iteration - loop.checkpointed;
    if (LogRoom.needed(log.bytes(), done, tuner.iterations()) > log.limit()
        && LogRoom.isWorthwhile(tuner.tookNanos(), lifecycle.nanosSince(savedAt))) {
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

  /** Begins the log anew, or ends it: nothing was sent, and nothing has come. */
  public void line(boolean begins) {
    ledger.line(begins);
  }

  /** The state of a loop was saved or restored: a log of the loop's messages begins. */
  public void saved(Loop loop) {
    savedAt = lifecycle.nanosSince(0);
    if (loop.ended) {
      return;
    }
    if (loop.flow != null) {
      log.limit(LogRoom.NONE);
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
    log.limit(LogRoom.of(state, free, config.ranksOnMachine(), this::direct));
    if (log.limit() == LogRoom.NONE) {
      int ranks = config.ranksOnMachine();
      String why =
          Choice.NO_ROOM.text()
              + "; "
              + ranks
              + (ranks == 1 ? " rank takes " : " ranks take ")
              + (LogRoom.free(ranks) >> 20)
              + " MiB that are free";
      chooses(loop, why);
      log.spoil(why);
    }
  }

  private long direct() {
    if (direct == NOT_ASKED) {
      direct = DirectMemory.left();
    }
    return direct;
  }

  // ---- what the program does

  /**
   * The job must know before anything comes of the choice: the process may be lost right after it.
   */
  @Override
  public void chooses(Choice made) {
    Loop loop = current.get();
    if (loop != null) {
      chooses(loop, made.text());
    }
    if (lines != null) {
      lines.chooses(made);
    }
  }

  private void chooses(Loop loop, String made) {
    if (choosing != loop.number) {
      choosing = loop.number;
      choice = made;
      link.send(new RankMessage.Chooses(loop.number, choice));
      lifecycle.awaitNoted(loop.number);
    }
  }

  /** The user is told once in a loop, before a failure finds the log too short. */
  @Override
  public void outgrown(long bytes) {
    Loop loop = current.get();
    CheckpointId line = checkpoints.committed();
    if (loop == null || line == null || outgrownIn == loop.number || log.limit() == LogRoom.NONE) {
      return;
    }
    outgrownIn = loop.number;
    long interval = lines == null ? checkpoints.tuner().iterations() : 0;
    long needed = LogRoom.needed(bytes, loop.iteration - line.iteration() + 1, interval);
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
  public long chose(int rank, long version, LogListener.Told told) {
    link.send(new RankMessage.Chose(rank, version(), version, told.first(), told.determinants()));
    return ++chosen;
  }

  @Override
  public long version() {
    CheckpointId line = checkpoints.committed();
    return line == null ? NO_VERSION : line.version();
  }

  @Override
  public long versionBehind() {
    return Objects.requireNonNull(lines).versionBehind();
  }

  @Override
  public boolean isKept(long number) {
    return lifecycle.kept() >= number;
  }

  @Override
  public void awaitKept(long number) {
    while (!lifecycle.awaitKept(number)) {
      messenger.poll(); // which goes into the next epoch, or back
    }
  }

  @Override
  public void differs(int dest, int context, long tag, long lengthBefore, long length) {
    if (lines != null && !lifecycle.isLocal()) {
      lines.differs(dest, context, tag, lengthBefore, length);
    }
    differs(Contradiction.messages(dest, context, tag, lengthBefore, length));
  }

  @Override
  public void differsAmong(int messages, int dest, int context, long tag) {
    differs(Contradiction.among(messages, dest, context, tag));
  }

  private void differs(String messages) {
    String what =
        "rank "
            + config.rank()
            + " went back alone and does something else than before: "
            + messages;
    int told = -1;
    while (true) {
      if (told != lifecycle.epoch()) {
        told = lifecycle.epoch();
        link.send(new RankMessage.LocalImpossible(told, true, what));
      }
      messenger.park();
    }
  }

  @Override
  public void caughtUp() {
    Loop loop = current.get();
    CheckpointId from = behind;
    if (loop != null && from != null) {
      behind = null;
      loop.wasHeardOf();
      tellCaughtUp(from, loop.iteration, loop.iteration - from.iteration() + 1);
    }
  }

  private void tellCaughtUp(CheckpointId from, long iteration, long repeated) {
    link.report(
        new Notice.CaughtUp(
            lifecycle.epoch(), config.rank(), from.loop(), from.iteration(), iteration, repeated));
  }

  // ---- a failure

  /** Whether the call under way may go on in a new epoch, as far as this rank knows. */
  public boolean mayGoOn() {
    Loop loop = current.get();
    return loop != null
        && !loop.ended
        && loop.flow == null
        && checkpoints.hasCommitted(loop)
        && !checkpoints.inDoubt()
        && choosing != loop.number
        && log.on()
        && log.unusable() == null
        && !isAtStandstill(loop)
        && !lifecycle.allGoBack();
  }

  /** Whether more than another try of the failed ranks is needed, and can be had. */
  private boolean isAtStandstill(Loop loop) {
    CheckpointId line = checkpoints.committed();
    return line != null
        && !(config.job().interval() instanceof CheckpointInterval.Every)
        && standstill.isOne(line.version(), line.iteration(), loop.iteration);
  }

  /** All ranks go back. */
  public void allGoBack() {
    decisions.forget();
    standstill.clear();
  }

  /**
   * What the job hears of that. Before, it hears what others have decided whose messages are here:
   * they may be lost.
   */
  public Standing standing(boolean goesOn) {
    log.tell();
    Loop loop = current.get();
    CheckpointId line = checkpoints.committed();
    if (loop == null || line == null || !checkpoints.hasCommitted(loop)) {
      return Standing.NONE;
    }
    if (loop.flow != null) {
      boolean flows = config.job().policy() instanceof RecoveryPolicy.Flow;
      String why =
          flows
              ? "is in a flowLoop, in which ranks agree on who computes again"
              : "is in a flowLoop";
      return new Standing(loop.number, Standing.NO_VERSION, false, flows, why);
    }
    if (choosing == loop.number) {
      return new Standing(loop.number, Standing.NO_VERSION, false, choice);
    }
    if (checkpoints.inDoubt()) {
      return new Standing(loop.number, Standing.NO_VERSION, false, "is taking a checkpoint");
    }
    if (goesOn) {
      return new Standing(loop.number, line.version(), true, "");
    }
    String why = log.unusable();
    if (why == null) {
      why = isAtStandstill(loop) ? NO_FURTHER : "has left its call";
    }
    return new Standing(loop.number, line.version(), false, why);
  }

  /**
   * All ranks are in an epoch in which only failed ones go back, and the line is there again;
   * collective over all ranks.
   *
   * @param goesOn whether this rank does
   * @throws org.fmi.Rollback if the epoch ends
   */
  public void begin(
      Comm system, JobMessage.Start start, @Nullable CheckpointId line, boolean goesOn) {
    if (line == null || line.version() != start.local()) {
      link.send(
          new RankMessage.LocalImpossible(
              start.epoch(),
              false,
              "the checkpoint that failed ranks would go back to is damaged"));
      while (true) {
        messenger.park();
      }
    }
    if (!goesOn) {
      restart(line);
    }
    tellWhatHasCome(system, !goesOn || log.isBehind());
    Loop loop = current.get();
    standstill.begin(line.version());
    long[] most = {
      goesOn ? checkpoints.tuner().iterations() : 0,
      decisions.packed(),
      goesOn && loop != null ? loop.iteration : Standstill.NOWHERE,
      standstill.front(),
      standstill.times()
    };
    system.allReduce(most, Op.MAX);
    intervalOfOthers = most[0];
    decisions.unpack(most[1]);
    standstill.goBack(most[2], most[3], most[4]);
    long messages = 0;
    long bytes = 0;
    for (int rank = 0; rank < config.size(); rank++) {
      if (rank != config.rank()) {
        long[] again = ledger.sendAgain(rank);
        messages += again[0];
        bytes += again[1];
      }
    }
    if (goesOn && loop != null) {
      link.report(
          new Notice.Continued(
              start.epoch(), config.rank(), loop.number, loop.iteration, messages, bytes));
    }
  }

  /** This rank goes back alone: nothing was sent, and what has come is in the checkpoint. */
  private void restart(CheckpointId line) {
    long[] decided = lifecycle.decided();
    if (lines == null) {
      log.repeat(decided, decided.length);
    } else {
      InTransitImage crossing = Overlap.behind(checkpoints.image(line));
      long[] saved = crossing.determinants();
      // After a rollback of all the job has forgotten what the checkpoint still has.
      log.repeat(saved.length > decided.length ? saved : decided, decided.length);
      log.goBack(crossing.early());
    }
    decisions.forget();
  }

  /** All ranks go back, to states that may have messages which are made again. */
  void goBack(Comm system, InTransitImage crossing) {
    if (!lifecycle.isLocal()) {
      log.repeat(crossing.determinants(), 0);
      log.goBack(crossing.early());
      tellWhatHasCome(system, true);
    }
  }

  /**
   * @param system the communicator of the runtime
   * @param behind whether this rank makes messages again that may have come
   */
  private void tellWhatHasCome(Comm system, boolean behind) {
    int size = config.size();
    long[] areBehind = new long[size];
    system.allGather(new long[] {behind ? 1 : 0}, 0, 1, areBehind, 0);
    long[][] come = new long[size][];
    for (int rank = 0; rank < size; rank++) {
      come[rank] = rank == config.rank() ? new long[0] : log.received(rank, areBehind[rank] > 0);
    }
    long[][] theirs = Exchange.of(system, come);
    for (int rank = 0; rank < size; rank++) {
      if (rank != config.rank()) {
        log.receivedThere(rank, theirs[rank]);
      }
    }
  }

  /** This rank has gone back alone. */
  public void wentBack(CheckpointId line) {
    checkpoints.restoreInterval(intervalOfOthers);
    long iteration = checkpoints.iterationOf(line);
    // Ranks may have come to a line in different iterations.
    CheckpointId own = new CheckpointId(line.version(), line.loop(), iteration, line.last());
    behind = own;
    if (!log.isBehind()) {
      behind = null;
      tellCaughtUp(own, iteration, 0);
    }
  }
}
