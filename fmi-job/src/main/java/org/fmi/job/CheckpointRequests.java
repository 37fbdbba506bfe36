package org.fmi.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Brings all ranks to one place for a requested checkpoint. A user, the program, a rank whose log
 * fills, or a node that is about to be lost requests it.
 *
 * <pre>
 *  IDLE --requested, all run: Hold-----&gt; HOLDING --all announced where they can stop: Meet, the furthest--&gt; MEETING
 *   ^                                      |                                                                 |
 *   |         all are withdrawn: Resume    |                                                       committed there, or further
 *   +--------------------------------------+                                                                 |
 *   +--------------------------------------------------------------------------------------------------------+
 *   The epoch is over: IDLE. Users' requests stay, the program repeats its own.
 * </pre>
 *
 * <p>If ranks {@link #mayRepeat may repeat} work from before a failure, all announce first that
 * they no longer do (SETTLING, by Settle). With asynchronous checkpoints, each rank receives the
 * order to begin one:
 *
 * <pre>
 *  IDLE --requested, all run: Begin--&gt; BEGINNING --one is committed, or all are withdrawn: Resume--&gt; IDLE
 * </pre>
 *
 * <p>The first checkpoint committed after a request serves it, even if that checkpoint was due
 * anyway. One that is taken for the request and skipped, as a rank has no room, answers it too.
 * After Meet, a request can no longer be withdrawn, because a rank may already be in the
 * checkpoint.
 */
final class CheckpointRequests {
  private static final long PROGRAM = -1;
  private static final long LOG = -2;
  private static final long NODE = -3;
  private static final long NOT_KNOWN = -1;

  private enum State {
    IDLE,
    SETTLING,
    HOLDING,
    MEETING,
    BEGINNING
  }

  /**
   * A request for a checkpoint.
   *
   * @param asker {@link #PROGRAM} for the program, {@link #LOG} for a rank whose log fills, {@link
   *     #NODE} for a node that is about to be lost
   * @param least the earliest place; null for any
   * @param files whether only a checkpoint that is written to files will do, if the job writes any
   */
  private record Ask(long asker, @Nullable LoopPoint least, boolean files) {
    boolean isServed(LoopPoint at, boolean written) {
      return (least == null || at.reaches(least)) && (written || !files);
    }

    boolean isUsers() {
      return asker >= 0;
    }

    /** Whether the checkpoint is worth a place in files. */
    boolean isForFiles() {
      return asker != LOG && asker != NODE;
    }
  }

  private final int size;
  private final RecoveryPolicy policy;
  private final Outbox out;
  private final List<Ask> asks = new ArrayList<>();
  private State state = State.IDLE;

  /** Whether all ranks run in the epoch. */
  private boolean running;

  private int epoch;

  /** Whether all ranks have announced in this epoch that they repeat nothing any more. */
  private boolean settled;

  /** Why no checkpoint is taken any more; null while checkpoints are taken. */
  private @Nullable String over;

  /** Why none is taken in this epoch: a loop's final one was skipped; null while some are. */
  private @Nullable String futile;

  /** Numbers the requests to ranks. */
  private long request;

  /** Ranks that have announced where they can stop. */
  private final BitSet announced = new BitSet();

  /** The furthest announced place; after that, the place where all ranks meet. */
  private @Nullable LoopPoint furthest;

  /** Whether the checkpoint at the meeting place is written to files. */
  private boolean meetsForFiles;

  /** The place of the last committed checkpoint in this epoch. */
  private @Nullable LoopPoint committed;

  /** The version of that checkpoint. */
  private long newest = NOT_KNOWN;

  CheckpointRequests(int size, RecoveryPolicy policy, Outbox out) {
    this.size = size;
    this.policy = policy;
    this.out = out;
  }

  // ---- requests

  /** Takes a request of a user. */
  void ask(long asker, boolean files) {
    String refusal = over == null ? futile : over;
    if (refusal != null) {
      out.add(new JobCommand.NotCheckpointed(asker, refusal));
      return;
    }
    asks.add(new Ask(asker, null, files));
    next();
  }

  /** Takes a request of the program or of a rank. */
  void wanted(RankMessage.CheckpointWanted m) {
    Ask ask = new Ask(m.files() ? PROGRAM : LOG, m.least(), false);
    boolean taken = committed != null && committed.reaches(m.least());
    // With local rollback, ranks are at work before all of them run.
    boolean serves = over == null && futile == null;
    if (serves && m.epoch() == epoch && !taken && !asks.contains(ask)) {
      asks.add(ask);
      next();
    }
  }

  /** Takes a request of a node that is about to be lost. */
  void soon() {
    Ask ask = new Ask(NODE, null, false);
    if (over == null && !asks.contains(ask)) {
      asks.add(ask);
      next();
    }
  }

  /** Withdraws a user's request. */
  void withdrawn(long asker) {
    asks.removeIf(ask -> ask.asker == asker);
    next();
  }

  // ---- ranks

  /** Notes that all ranks run in the epoch. */
  void running() {
    running = true;
    next();
  }

  /** Notes the end of the epoch and the start of the next one. */
  void left(int newEpoch) {
    epoch = newEpoch;
    running = false;
    settled = false;
    futile = null;
    state = State.IDLE;
    committed = null;
    newest = NOT_KNOWN;
    asks.removeIf(ask -> !ask.isUsers());
  }

  /** Notes that a rank has announced where it can stop, or that it repeats nothing any more. */
  void stops(int rank, RankMessage.Stops m) {
    if ((state != State.SETTLING && state != State.HOLDING) || m.request() != request) {
      return;
    }
    announced.set(rank);
    if (state == State.SETTLING) {
      if (announced.cardinality() == size) {
        settled = true;
        askAll(State.HOLDING);
      }
      return;
    }
    LoopPoint before = furthest;
    LoopPoint meeting = before == null || m.first().reaches(before) ? m.first() : before;
    furthest = meeting;
    if (announced.cardinality() == size) {
      assert committed == null || !committed.reaches(meeting) : committed + ", then " + meeting;
      state = State.MEETING;
      meetsForFiles = asks.stream().anyMatch(Ask::isForFiles);
      out.sendToAll(new JobMessage.Meet(epoch, request, meeting, meetsForFiles));
    }
  }

  /** Notes a committed checkpoint of this epoch. */
  void committed(RankMessage.CheckpointDone m) {
    Notice.CheckpointCommitted notice = m.committed();
    LoopPoint at = m.at();
    committed = at;
    newest = notice.version();
    // An asynchronous checkpoint may complete where all ranks meet; some rank has begun it before.
    boolean line = notice.iteration() < m.furthest();
    boolean met = state == State.MEETING && furthest != null && at.reaches(furthest) && !line;
    // With asynchronous checkpoints, the job writes none of these to files.
    boolean written = (met && meetsForFiles) || policy.asynchronous();
    Predicate<Ask> isServed = ask -> ask.isServed(at, written);
    for (Ask ask : asks) {
      if (isServed.test(ask) && ask.isUsers()) {
        out.add(
            new JobCommand.Checkpointed(
                ask.asker, notice.version(), notice.loop(), notice.iteration()));
      }
    }
    asks.removeIf(isServed);
    if (met || state == State.BEGINNING) {
      state = State.IDLE;
    }
    next();
  }

  /** Notes that all ranks have skipped a checkpoint of this epoch. */
  void skipped(LoopPoint at, String reason) {
    boolean met = state == State.MEETING && furthest != null && at.reaches(furthest);
    if (at.last()) {
      futile = reason;
    } else if (!met && state != State.BEGINNING) {
      return; // it was due: the requested one is still to come
    }
    refuseAll(reason);
    if (met || state == State.BEGINNING) {
      state = State.IDLE; // the ranks have dropped the order
    }
    next();
  }

  /** Ends the service of checkpoints. */
  void over(String reason) {
    over = reason;
    running = false;
    state = State.IDLE;
    refuseAll(reason);
  }

  private void refuseAll(String reason) {
    for (Ask ask : asks) {
      if (ask.isUsers()) {
        out.add(new JobCommand.NotCheckpointed(ask.asker, reason));
      }
    }
    asks.clear();
  }

  private void next() {
    if (state == State.IDLE && running && !asks.isEmpty()) {
      out.report(new Notice.CheckpointRequested(epoch));
      askAll(
          policy.asynchronous() ? State.BEGINNING : mayRepeat() ? State.SETTLING : State.HOLDING);
    } else if (state != State.IDLE && state != State.MEETING && asks.isEmpty()) {
      state = State.IDLE;
      out.sendToAll(new JobMessage.Resume(epoch, request));
    }
  }

  /** Sends a request to all ranks. */
  private void askAll(State next) {
    state = next;
    request++;
    announced.clear();
    furthest = null;
    JobMessage message =
        switch (next) {
          case SETTLING -> new JobMessage.Settle(epoch, request);
          case HOLDING -> new JobMessage.Hold(epoch, request);
          case BEGINNING -> new JobMessage.Begin(epoch, request, newest);
          case IDLE, MEETING -> throw new IllegalArgumentException(next.name());
        };
    out.sendToAll(message);
  }

  /**
   * Whether a rank may still repeat work after its rollback. Such a rank cannot announce where it
   * stops: it may need messages that another rank, which can stop, has not sent yet, as that rank
   * has rolled back as well and replays nothing because its log was lost.
   */
  private boolean mayRepeat() {
    return policy.log() != null && epoch > 0 && committed == null && !settled;
  }
}
