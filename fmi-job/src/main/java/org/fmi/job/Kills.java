package org.fmi.job;

import org.fmi.job.Ranks.Life;
import org.fmi.job.Ranks.Rank;

/** Has processes of ranks killed. */
final class Kills {
  private final Ranks ranks;
  private final FailureLedger ledger;
  private final Outbox out;

  Kills(Ranks ranks, FailureLedger ledger, Outbox out) {
    this.ranks = ranks;
    this.ledger = ledger;
    this.out = out;
  }

  /** Has a rank's process killed. */
  void kill(Rank rank) {
    ranks.dying(rank);
    out.kill(rank);
  }

  /** Has a rank's process, if it lives, killed through no fault of the rank, which starts again. */
  void restart(Rank rank) {
    if (rank.life() == Life.ALIVE) {
      ledger.restarted(rank.number());
      kill(rank);
    }
  }
}
