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
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranks roll back after a failure: all of them, or only ranks that have failed and
 * ranks that cannot continue where they are. Always all of them, unless the policy allows less.
 */
final class RollbackScope {
  private static final String TOO_MANY =
      "have made more nondeterministic receives, probes and tests since a checkpoint than fmirun"
          + " has memory for";

  private final boolean wanted;
  private final Outbox out;

  /**
   * An action of a rank that it could not repeat alone. Its process may be gone.
   *
   * @param since the checkpoint that it follows: a rollback to a later one does not repeat it
   */
  private record Choice(long since, String what) {}

  /** The newest such action by loop. */
  private final Map<Long, Choice> choices = new TreeMap<>();

  /** The actions that have been reported: a program may have many similar loops. */
  private final Set<String> reported = new TreeSet<>();

  private final StoredDeterminants determinants;

  /** Why the last local rollback failed; empty if it did not. */
  private String impossible = "";

  /**
   * @param mostBytes maximum memory for determinants
   */
  RollbackScope(RecoveryPolicy policy, long mostBytes, Outbox out) {
    this.wanted = policy.log() != null;
    this.determinants = new StoredDeterminants(mostBytes);
    this.out = out;
  }

  /** Handles a nondeterministic event of a rank, which waits for an answer. */
  void on(int rank, int incarnation, RankMessage.ChoiceReport message) {
    switch (message) {
      case RankMessage.UnloggedChoice m -> chooses(rank, incarnation, m);
      case RankMessage.Determinants m -> {
        if (!determinants.store(m)) {
          out.degraded(
              "a failure before the next checkpoint rolls back all ranks: they " + TOO_MANY);
        }
        out.send(rank, incarnation, new JobMessage.Acknowledged());
      }
    }
  }

  /** Handles an event that no determinant covers. */
  private void chooses(int rank, int incarnation, RankMessage.UnloggedChoice m) {
    String what = "rank " + rank + " " + m.choice();
    Choice before = choices.get(m.loop());
    if (before == null || before.since < m.since()) {
      choices.put(m.loop(), new Choice(m.since(), what));
      if (reported.add(m.choice())) {
        boolean whole = m.since() == RankMessage.UnloggedChoice.WHOLE_LOOP;
        out.degraded(
            "a failure in loop "
                + m.loop()
                + (whole ? "" : " before its next checkpoint")
                + " rolls back all ranks: "
                + what);
      }
    }
    out.send(rank, incarnation, new JobMessage.ChoiceRecorded());
  }

  /** Notes that ranks have found local rollback impossible. */
  void impossible(String reason) {
    impossible = reason;
  }

  /**
   * Decides, when all ranks have joined an epoch, and reports the decision.
   *
   * @param joined their messages, by rank
   * @param incarnations the incarnations of their processes, by rank
   * @return the checkpoint version for {@link JobMessage.Start}
   */
  long decide(int epoch, List<RankMessage.Joined> joined, IntUnaryOperator incarnations) {
    boolean rollback = joined.stream().anyMatch(m -> m.position() != Position.FRESH);
    if (!wanted || !rollback) {
      determinants.clear();
      return JobMessage.Start.ALL_ROLL_BACK;
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
      if (!standing.stays()) {
        back.add(rank);
        also.add("rank " + rank + " " + standing.reason());
      }
      if (reason.isEmpty()) {
        reason = refusal(rank, standing, version);
        flow = !reason.isEmpty() && standing.flow() && choice(standing) == null;
      }
      version = standing.version();
      some |= standing.stays();
    }
    if (reason.isEmpty() && !some) {
      reason = also.isEmpty() ? "no rank is in the loop" : also.getFirst();
    }
    if (reason.isEmpty() && !determinants.isComplete(version)) {
      reason = "the ranks " + TOO_MANY;
    }
    boolean local = reason.isEmpty();
    out.report(
        new Notice.RollbackDecided(
            epoch, local ? back.toString() : "", flow, local ? String.join("; ", also) : reason));
    if (!local) {
      determinants.clear(); // the next checkpoint may reuse a version
      return JobMessage.Start.ALL_ROLL_BACK;
    }
    determinants.forgetNewer(version);
    for (int rank : back) {
      JobMessage decided =
          new JobMessage.ReplayDeterminants(epoch, determinants.since(version, rank));
      out.send(rank, incarnations.applyAsInt(rank), decided);
    }
    return version;
  }

  /** Returns an action in a rank's loop that a rollback to its checkpoint would repeat, or null. */
  private @Nullable String choice(Standing standing) {
    Choice choice = choices.get(standing.loop());
    return choice == null || choice.since < standing.version() ? null : choice.what;
  }

  /**
   * Returns why this rank, or another one in its loop, does not let the other ranks continue; empty
   * if it does.
   */
  private String refusal(int rank, Standing standing, long version) {
    String choice = choice(standing);
    if (choice != null) {
      return choice;
    }
    if (standing.version() == Standing.NO_VERSION) {
      return "rank " + rank + " " + standing.reason();
    }
    return version == Standing.NO_VERSION || version == standing.version()
        ? ""
        : "rank " + rank + " has a different checkpoint from the ranks before it";
  }
}
