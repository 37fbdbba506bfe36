package org.fmi.job;

import java.util.function.Consumer;
import org.fmi.control.Notice;
import org.fmi.job.Ranks.Rank;

/**
 * Starts the first process of each rank, and kills all processes to restart them, some per event.
 * There may be a million ranks, and the shell must handle other events in between, above all
 * heartbeats of nodes. Events in between may change the needs of a rank, so its state is checked at
 * its turn.
 */
final class AllProcesses {
  private final int atOnce;
  private final Ranks ranks;
  private final Placement placement;
  private final Kills kills;
  private final Outbox out;
  private final Consumer<Rank> spawn;

  /** The rank that is next; the number of ranks if all have had theirs. */
  private int next;

  /** Whether all are restarted in this epoch. */
  private boolean restarting;

  /** Whether processes that have run the program's code must be killed before the next Start. */
  private boolean killing;

  /**
   * @param atOnce the maximum number of ranks handled per event
   * @param spawn starts the process of a rank that has none, on its node
   */
  AllProcesses(
      int atOnce, Ranks ranks, Placement placement, Kills kills, Outbox out, Consumer<Rank> spawn) {
    if (atOnce < 1) {
      throw new IllegalArgumentException(atOnce + " ranks per event");
    }
    this.atOnce = atOnce;
    this.ranks = ranks;
    this.placement = placement;
    this.kills = kills;
    this.out = out;
    this.spawn = spawn;
    this.next = ranks.size();
  }

  /** Whether some ranks have not had their turn. */
  boolean areUnderWay() {
    return next < ranks.size();
  }

  /** Starts the first ones. */
  void start() {
    next = 0;
    proceed();
  }

  /** Kills processes that have run the program's code, to restart them; once per epoch. */
  void restart(int epoch, String reason) {
    if (restarting) {
      return;
    }
    restarting = true;
    killing = true;
    out.report(new Notice.RecoveryBegun(epoch, true, reason));
    next = 0; // and all that were started in the meantime have had their turn
    proceed();
  }

  /** Notes a new epoch. Processes that were to be killed are still killed. */
  void epochBegins() {
    restarting = false;
  }

  /** Notes that all ranks have joined, and run the program's code from now on. */
  void begun() {
    assert !areUnderWay();
    killing = false;
  }

  /** Handles the next ranks, if any are left. */
  void proceed() {
    int end = (int) Math.min(ranks.size(), (long) next + atOnce);
    while (next < end) {
      turn(ranks.get(next++));
    }
    if (areUnderWay()) {
      out.add(new JobCommand.Continue());
    }
  }

  private void turn(Rank rank) {
    int r = rank.number();
    if (rank.incarnation() < 0) {
      if (placement.nodeOf(r)
          >= 0) { // otherwise its node was lost: it is started when it has another
        spawn.accept(rank);
      }
    } else if (killing && rank.started()) {
      kills.restart(rank);
    }
  }
}
