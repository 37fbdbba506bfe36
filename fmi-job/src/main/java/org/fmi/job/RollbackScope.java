package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankMessage.Standing;
import org.fmi.spi.RecoveryPolicy;

/**
 * Decides who goes back after a failure: only ranks that have failed, and those that cannot go on
 * where they stand; or all. Always all unless the user wants otherwise.
 */
final class RollbackScope {
  private final boolean wanted;
  private final Outbox out;

  /** By loop, what a rank does there that it could not repeat alone. Its process may be gone. */
  private final Map<Long, String> choices = new TreeMap<>();

  /** Which of these have been reported: a program may have many loops that are alike. */
  private final Set<String> told = new TreeSet<>();

  private final KeptDeterminants kept = new KeptDeterminants();

  /** Why the last try to let others go on has failed; empty if it has not. */
  private String impossible = "";

  RollbackScope(RecoveryPolicy policy, Outbox out) {
    this.wanted = policy.log() != null;
    this.out = out;
  }

  /** A rank chooses, or has chosen, and waits for an answer. */
  void on(int rank, int incarnation, RankMessage.Choosing message) {
    switch (message) {
      case RankMessage.Chooses m -> chooses(rank, incarnation, m);
      case RankMessage.Chose m -> {
        kept.keep(m);
        out.tell(rank, incarnation, new JobMessage.Kept());
      }
    }
  }

  /** Nothing covers this choice. */
  private void chooses(int rank, int incarnation, RankMessage.Chooses m) {
    String what = "rank " + rank + " " + m.choice();
    if (choices.putIfAbsent(m.loop(), what) == null && told.add(m.choice())) {
      out.degraded("a failure in loop " + m.loop() + " sends all ranks back: " + what);
    }
    out.tell(rank, incarnation, new JobMessage.Noted(m.loop()));
  }

  /** Ranks have found out that not only failed ones can go back. */
  void impossible(String reason) {
    impossible = reason;
  }

  /**
   * Decides, when all have joined an epoch, and tells the user.
   *
   * @param joined what they said, by rank
   * @param incarnations of their processes, by rank
   * @return as {@link JobMessage.Start} says it
   */
  long decide(int epoch, List<RankMessage.Joined> joined, IntUnaryOperator incarnations) {
    boolean rollback = joined.stream().anyMatch(m -> m.position() != Position.FRESH);
    if (!wanted || !rollback) {
      kept.clear();
      return JobMessage.Start.ALL_GO_BACK;
    }
    List<Integer> back = new ArrayList<>();
    List<String> also = new ArrayList<>();
    long version = Standing.NO_VERSION;
    boolean some = false;
    boolean flow = false;
    String reason = impossible;
    impossible = "";
    for (int rank = 0; rank < joined.size(); rank++) {
      Standing standing = joined.get(rank).standing();
      if (joined.get(rank).position() != Position.IN_LOOP) {
        back.add(rank);
        continue;
      }
      if (!standing.goesOn()) {
        back.add(rank);
        also.add("rank " + rank + " " + standing.reason());
      }
      if (reason.isEmpty()) {
        reason = refusal(rank, standing, version);
        flow = !reason.isEmpty() && standing.flow() && !choices.containsKey(standing.loop());
      }
      version = standing.version();
      some |= standing.goesOn();
    }
    if (reason.isEmpty() && !some) {
      reason = also.isEmpty() ? "no rank is in the loop" : also.getFirst();
    }
    boolean local = reason.isEmpty();
    out.report(
        new Notice.RollbackDecided(
            epoch, local ? back.toString() : "", flow, local ? String.join("; ", also) : reason));
    if (!local) {
      kept.clear(); // the next checkpoint may have a version that there was before
      return JobMessage.Start.ALL_GO_BACK;
    }
    kept.forgetNewer(version);
    for (int rank : back) {
      JobMessage decided = new JobMessage.Decided(epoch, kept.since(version, rank));
      out.tell(rank, incarnations.applyAsInt(rank), decided);
    }
    return version;
  }

  /** Why this rank, or one that was in its loop, does not let others go on; empty if it does. */
  private String refusal(int rank, Standing standing, long version) {
    String choice = choices.get(standing.loop());
    if (choice != null) {
      return choice;
    }
    if (standing.version() == Standing.NO_VERSION) {
      return "rank " + rank + " " + standing.reason();
    }
    return version == Standing.NO_VERSION || version == standing.version()
        ? ""
        : "rank " + rank + " has another checkpoint than those before it";
  }
}
