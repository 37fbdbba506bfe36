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
 * Brings all ranks to one place for a checkpoint that somebody has asked for: a user, the program,
 * or a rank whose log fills.
 *
 * <pre>
 *  IDLE --asked, while all run: Hold--&gt; HOLDING --all have said where they can stop: Meet, the furthest--&gt; MEETING
 *   ^                                      |                                                                 |
 *   |         nobody asks any more: GoOn   |                                                    committed there, or further
 *   +--------------------------------------+                                                                 |
 *   +--------------------------------------------------------------------------------------------------------+
 *   The epoch is over: IDLE. Users' requests stay, the program repeats its own.
 * </pre>
 *
 * <p>Where ranks {@link #mayRepeat may repeat} what they did before a failure, all say first that
 * they do not any more (SETTLING, by Settle). Where no rank waits for checkpoints each is told to
 * begin one:
 *
 * <pre>
 *  IDLE --asked, while all run: Begin--&gt; BEGINNING --one is committed, or nobody asks any more: GoOn--&gt; IDLE
 * </pre>
 *
 * <p>Whoever asks is served by the first checkpoint that is committed from then on, which may be
 * one that was due anyway. After Meet it can no longer be called off: a rank may be in it already.
 */
final class CheckpointRequests {
  private static final long PROGRAM = -1;
  private static final long LOG = -2;
  private static final long NOT_KNOWN = -1;

  private enum State {
    IDLE,
    SETTLING,
    HOLDING,
    MEETING,
    BEGINNING
  }

  /**
   * One who asks.
   *
   * @param asker {@link #PROGRAM} for the program, {@link #LOG} for a rank whose log fills
   * @param least where, at the earliest; null for anywhere
   * @param files whether only one will do that is written to files, if the job writes any
   */
  private record Ask(long asker, @Nullable LoopPoint least, boolean files) {
    boolean isServed(LoopPoint at, boolean written) {
      return (least == null || at.reaches(least)) && (written || !files);
    }

    boolean isUsers() {
      return asker >= 0;
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

  /** Whether all ranks have said in it that they repeat nothing any more. */
  private boolean settled;

  /** Why none is taken any more; null while they are. */
  private @Nullable String over;

  /** Counts what ranks are asked. */
  private long request;

  /** Who has said where it can stop. */
  private final BitSet said = new BitSet();

  /** The furthest that was said; where all meet, after that. */
  private @Nullable LoopPoint furthest;

  /** Whether the checkpoint that all meet for is written to files. */
  private boolean meetsForFiles;

  /** What was committed last in this epoch. */
  private @Nullable LoopPoint committed;

  /** Its version. */
  private long newest = NOT_KNOWN;

  CheckpointRequests(int size, RecoveryPolicy policy, Outbox out) {
    this.size = size;
    this.policy = policy;
    this.out = out;
  }

  // ---- who asks

  /** A user asks. */
  void ask(long asker, boolean files) {
    if (over != null) {
      out.add(new JobCommand.NotCheckpointed(asker, over));
      return;
    }
    asks.add(new Ask(asker, null, files));
    next();
  }

  /** The program asks, or a rank. */
  void wanted(RankMessage.CheckpointWanted m) {
    Ask ask = new Ask(m.files() ? PROGRAM : LOG, m.least(), false);
    boolean taken = committed != null && committed.reaches(m.least());
    // Where only failed ranks go back others are at work before all are.
    if (over == null && m.epoch() == epoch && !taken && !asks.contains(ask)) {
      asks.add(ask);
      next();
    }
  }

  /** A user does not want it any more. */
  void withdrawn(long asker) {
    asks.removeIf(ask -> ask.asker == asker);
    next();
  }

  // ---- what ranks do

  /** All ranks run in the epoch. */
  void running() {
    running = true;
    next();
  }

  /** The epoch is over: the next one begins. */
  void left(int newEpoch) {
    epoch = newEpoch;
    running = false;
    settled = false;
    state = State.IDLE;
    committed = null;
    newest = NOT_KNOWN;
    asks.removeIf(ask -> !ask.isUsers());
  }

  /** A rank has said where it can stop, or that it repeats nothing any more. */
  void stops(int rank, RankMessage.Stops m) {
    if ((state != State.SETTLING && state != State.HOLDING) || m.request() != request) {
      return;
    }
    said.set(rank);
    if (state == State.SETTLING) {
      if (said.cardinality() == size) {
        settled = true;
        tell(State.HOLDING);
      }
      return;
    }
    LoopPoint before = furthest;
    LoopPoint meeting = before == null || m.first().reaches(before) ? m.first() : before;
    furthest = meeting;
    if (said.cardinality() == size) {
      assert committed == null || !committed.reaches(meeting) : committed + ", then " + meeting;
      state = State.MEETING;
      meetsForFiles = asks.stream().anyMatch(ask -> ask.asker != LOG);
      out.tellAll(new JobMessage.Meet(epoch, request, meeting, meetsForFiles));
    }
  }

  /** A checkpoint is committed in this epoch. */
  void committed(RankMessage.CheckpointDone m) {
    Notice.CheckpointCommitted notice = m.committed();
    LoopPoint at = m.at();
    committed = at;
    newest = notice.version();
    // A line that nobody waits for may be ended where all meet; some rank has begun it before.
    boolean line = notice.iteration() < m.furthest();
    boolean met = state == State.MEETING && furthest != null && at.reaches(furthest) && !line;
    // If nobody waits the job writes none.
    boolean written = (met && meetsForFiles) || policy.nobodyWaits();
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

  /** No checkpoint is taken any more. */
  void over(String reason) {
    over = reason;
    running = false;
    state = State.IDLE;
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
      tell(policy.nobodyWaits() ? State.BEGINNING : mayRepeat() ? State.SETTLING : State.HOLDING);
    } else if (state != State.IDLE && state != State.MEETING && asks.isEmpty()) {
      state = State.IDLE;
      out.tellAll(new JobMessage.GoOn(epoch, request));
    }
  }

  /** Asks all ranks for something. */
  private void tell(State next) {
    state = next;
    request++;
    said.clear();
    furthest = null;
    JobMessage message =
        switch (next) {
          case SETTLING -> new JobMessage.Settle(epoch, request);
          case HOLDING -> new JobMessage.Hold(epoch, request);
          case BEGINNING -> new JobMessage.Begin(epoch, request, newest);
          case IDLE, MEETING -> throw new IllegalArgumentException(next.name());
        };
    out.tellAll(message);
  }

  /**
   * Whether a rank may still repeat what it did behind the line that it has gone back to. It cannot
   * say where it stops, and what it needs may not have been sent before a rank that could: one that
   * has gone back too, and repeats nothing, as nobody has kept what it had sent.
   */
  private boolean mayRepeat() {
    return policy.log() != null && epoch > 0 && committed == null && !settled;
  }
}
