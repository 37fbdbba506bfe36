package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.fmi.control.RankMessage;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * Account of failures: the starts of each rank, failures of its program, the number of recoveries
 * and the checkpoints they could use. Decides when another attempt is not worthwhile.
 */
final class FailureLedger {
  /**
   * A rank is not restarted after its program has failed this many times in a row at the same
   * place.
   */
  private static final int OWN_FAULTS = 3;

  /**
   * A transport that could not connect the overlay in this many epochs in a row is excluded, if
   * there is another one.
   */
  private static final int UNCONNECTED_EPOCHS = 2;

  /** A rank is given up after its processes were lost this often before all ranks ran. */
  private static final int MOST_STARTS = 10;

  /** After this many such losses on one node, a rank is better started on another node. */
  private static final int LOSSES_ON_A_NODE = 2;

  /** The same after this many failures while all ranks ran, without progress between them. */
  private static final int FAILURES_ON_A_NODE = 3;

  /** A process is late if it takes this many times longer to join than any before. */
  private static final int LATE = 4;

  /** The status of a killed process, used if its failure was reported before its end. */
  private static final int BY_SIGKILL = 128 + 9;

  /** The account of one rank. */
  private static final class Account {
    /**
     * Processes started for the rank since all ranks last ran, except processes whose end says
     * nothing about the rank: killed to restart all, or lost with their node.
     */
    int starts;

    /** Number of these in a row on the node of the last one. */
    int startsHere;

    /** The node of the last process. */
    int node = -1;

    /** The reason why another process, or silence, had the process killed. */
    @Nullable String suspicion;

    /** Whether the process itself gave this reason, as its system refused it something. */
    boolean refused;

    /**
     * The epoch in which the failure was reported before the process had ended; -1 if it was not.
     */
    int reportedIn = -1;

    /** Whether the process was dying without having been killed, except by an injected failure. */
    boolean dying;

    /** Whether an injected failure kills the process. */
    boolean injected;

    /** The exception of the program that the process reported. */
    RankMessage.@Nullable Failed thrown;

    /** The place where the program last failed by itself, and how often in a row. */
    @Nullable Place ownFaultAt;

    int ownFaults;
  }

  private final int maxRecoveries;
  private final int earlierRecoveries;
  private final ProgressGuard guard;
  private final Account[] accounts;

  /** Accounts of ranks whose programs have failed by themselves. */
  private final Set<Account> withOwnFaults = new HashSet<>();

  /**
   * Transports over which ranks could not connect their overlay, one entry per epoch since it last
   * was up.
   */
  private final List<String> unconnected = new ArrayList<>();

  /** Transports that ranks must not use. */
  private final List<String> without = new ArrayList<>();

  private int recoveries;

  /** The longest time that a process took to join, in milliseconds; 0 if it is unknown. */
  private long usualStart;

  /** The place of the newest committed checkpoint. */
  private @Nullable Place line;

  /** The furthest place at which a rank has stopped since; null if none has. */
  private @Nullable Place left;

  /**
   * Version of the newest committed checkpoint. The first one, 0, is at the start of the program.
   */
  private long newestVersion;

  /** The newest version when the epoch began. */
  private long versionBefore;

  /** Whether all ranks run, since the start of the program. */
  private boolean runsFromStart;

  /** Whether the start of the program restores from files, so that nothing is lost by it. */
  private boolean beginsWithFiles;

  /**
   * Creates an account without failures.
   *
   * @param recovery the numbers of recoveries after which the job ends
   */
  FailureLedger(int ranks, JobSpec.Recovery recovery) {
    this.maxRecoveries = recovery.most();
    this.earlierRecoveries = recovery.earlier();
    this.guard = new ProgressGuard(recovery.mostWithoutProgress());
    this.accounts = new Account[ranks];
    Arrays.setAll(accounts, r -> new Account());
  }

  // ---- processes

  /** Notes that a process was started for a rank on a node. */
  void started(int rank, int node) {
    Account account = accounts[rank];
    account.startsHere = account.node == node ? account.startsHere + 1 : 1;
    account.node = node;
    account.starts++;
    account.suspicion = null;
    account.refused = false;
    account.reportedIn = -1;
    account.dying = false;
    account.injected = false;
    account.thrown = null;
  }

  /** Notes that a rank's process is killed to restart all, through no fault of the rank. */
  void restarted(int rank) {
    Account account = accounts[rank];
    account.starts = Math.max(0, account.starts - 1);
    account.startsHere = Math.max(0, account.startsHere - 1);
  }

  /** Notes that a rank's process joined, this long after it was spawned. */
  void joinedAfter(long millis) {
    usualStart = Math.max(usualStart, Math.max(1, millis)); // 0 says that it is unknown
  }

  /** Whether a process that has not joined after this time takes longer than all others. */
  boolean isLate(long millis) {
    return usualStart > 0 && millis >= LATE * usualStart;
  }

  /**
   * Notes that a rank's process is killed because it takes too long to join. That does not bring
   * the end of the job closer: what it waits for may hang anywhere. But another node may do.
   */
  void late(int rank) {
    restarted(rank);
    accounts[rank].startsHere = LOSSES_ON_A_NODE;
  }

  /** Notes that a rank's process is lost with its node. */
  void nodeLost(int rank) {
    Account account = accounts[rank];
    account.starts = Math.max(0, account.starts - 1);
    account.startsHere = 0;
  }

  /**
   * Notes that a rank's process is to be killed because of another process or of silence, which is
   * reported to the user in this epoch.
   */
  void suspect(int rank, int epoch, String why) {
    accounts[rank].suspicion = why;
    accounts[rank].reportedIn = epoch;
  }

  /** Notes that the suspicion of a rank's process was wrong. */
  void acquitted(int rank) {
    accounts[rank].suspicion = null;
    accounts[rank].reportedIn = -1;
  }

  /**
   * Notes that a rank's process is to be killed because its system refuses it something, which is
   * reported to the user in this epoch.
   *
   * @param reason a predicate whose subject is the rank
   */
  void refused(int rank, int epoch, String reason) {
    suspect(rank, epoch, "it " + reason);
    accounts[rank].refused = true;
  }

  /**
   * Notes that a rank's process is dying, which is reported in this epoch; the cause is unknown so
   * far.
   */
  void dying(int rank, int epoch) {
    accounts[rank].reportedIn = epoch;
    accounts[rank].dying = true;
  }

  /** Notes that a rank's process was dying before it was killed. */
  void wasDying(int rank) {
    accounts[rank].dying = true;
  }

  /** Notes that a failure is injected into a rank's process. */
  void injected(int rank) {
    accounts[rank].injected = true;
  }

  /**
   * Returns the epoch in which the failure of a rank's process was reported before its end; -1 if
   * it was not.
   */
  int reportedIn(int rank) {
    return accounts[rank].reportedIn;
  }

  /**
   * Returns the cause of a failure of which only the fact was reported.
   *
   * @return null if the cause was reported already, or is the kill that the failure itself led to
   */
  @Nullable String cause(FromDaemon.RankExited exit) {
    return accounts[exit.rank()].reportedIn >= 0 && isOwnEnd(exit) ? how(exit) : null;
  }

  /** Whether a process ended by itself, not by the kill that its failure led to. */
  private boolean isOwnEnd(FromDaemon.RankExited exit) {
    Account account = accounts[exit.rank()];
    return account.dying || account.injected || !exit.signaled() || exit.status() != BY_SIGKILL;
  }

  /** Notes an exception of a rank's program. */
  void thrown(int rank, RankMessage.Failed failed) {
    accounts[rank].thrown = failed;
  }

  /** Returns how a process has ended, as a clause that follows the rank. */
  String how(FromDaemon.RankExited exit) {
    Account account = accounts[exit.rank()];
    RankMessage.Failed thrown = account.thrown;
    String how = account.injected ? exit.how() + ", which was injected" : exit.how();
    if (thrown == null) {
      return how;
    }
    // The program's own words come last, because they may name any place.
    String what =
        "threw an exception "
            + thrown.where()
            + (thrown.trace().isEmpty() ? "" : ": " + thrown.exception());
    return exit.status() == JobCommand.End.PROGRAM_FAULT ? what : what + "; it " + how;
  }

  /**
   * Handles the end of a process that is still needed. The observer of the failure does not matter:
   * peers that cannot reach the process would have it killed forever.
   *
   * @param known whether its program is known to use the library
   * @return the end of the job; null if the rank may be restarted
   */
  JobCommand.@Nullable End exited(FromDaemon.RankExited exit, boolean known) {
    Account account = accounts[exit.rank()];
    String why = account.suspicion;
    guard.diedOf(exit.rank(), why == null || isOwnEnd(exit) ? how(exit) : why);
    if (known && isOwnFault(exit)) {
      if (account.thrown != null && account.thrown.loop() == RankMessage.Failed.NO_LOOP) {
        return programFault(exit, "");
      }
      if (countOwnFault(account) >= OWN_FAULTS) {
        return programFault(
            exit,
            "; it failed by itself "
                + OWN_FAULTS
                + " times at the same place and is not started again");
      }
    }
    return account.suspicion == null
        ? neverRan(exit.rank(), "it " + exit.how(), "is there enough memory?")
        : neverRan(
            exit.rank(),
            "it " + exit.how() + ", after " + account.suspicion,
            account.refused ? "" : "can all hosts reach its host?");
  }

  /**
   * Handles a process that could not be started.
   *
   * @return the end of the job; null if the rank may be started elsewhere, or again
   */
  JobCommand.@Nullable End notStarted(int rank, String reason) {
    Account account = accounts[rank];
    account.startsHere = Math.max(LOSSES_ON_A_NODE, account.startsHere);
    return neverRan(rank, reason, "is there enough memory, and may it have more processes?");
  }

  private JobCommand.@Nullable End neverRan(int rank, String how, String question) {
    int starts = accounts[rank].starts;
    return starts < MOST_STARTS
        ? null
        : JobCommand.End.failed(
            EndCause.NEVER_RAN,
            "rank "
                + rank
                + " was started "
                + starts
                + " times and lost each time before all ranks ran (most recently "
                + how
                + (question.isEmpty() ? ")" : "): " + question));
  }

  /** Returns the end of a job whose program fails by itself, for a rank whose process has ended. */
  JobCommand.End programFault(FromDaemon.RankExited exit, String more) {
    RankMessage.Failed thrown = accounts[exit.rank()].thrown;
    EndCause cause =
        thrown != null && thrown.outOfMemory() ? EndCause.OUT_OF_MEMORY : EndCause.PROGRAM_FAILED;
    return JobCommand.End.programFault(exit, cause, how(exit) + more);
  }

  /**
   * Whether the program, not its environment, is to blame: it exited, or was ended by a signal that
   * faulty code raises.
   */
  static boolean isOwnFault(FromDaemon.RankExited exit) {
    if (!exit.signaled()) {
      return true;
    }
    return switch (exit.status() - 128) {
      case 4, 6, 7, 8, 11 -> true; // SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
      default -> false;
    };
  }

  /**
   * Counts failures of a rank's program at one place: an iteration, or after the same checkpoint.
   * Counts per rank, because one incident may hit all ranks at the same place.
   */
  private int countOwnFault(Account account) {
    RankMessage.Failed thrown = account.thrown;
    Place place = thrown == null ? line : new Place(thrown.loop(), thrown.iteration());
    if (!Objects.equals(place, account.ownFaultAt)) {
      account.ownFaults = 0;
    }
    account.ownFaultAt = place;
    withOwnFaults.add(account);
    return ++account.ownFaults;
  }

  /**
   * Whether a rank that has just lost its process is better started on another node, because its
   * processes were lost on this node repeatedly before all ranks ran.
   */
  boolean isHopelessHere(int rank) {
    return accounts[rank].startsHere >= LOSSES_ON_A_NODE;
  }

  /** The same, because they failed on it repeatedly without progress. */
  boolean makesNoProgressOn(int rank, String node) {
    return guard.failures(rank, node) >= FAILURES_ON_A_NODE;
  }

  // ---- recoveries

  /** Returns the node of a rank's newest process. */
  int nodeOf(int rank) {
    return accounts[rank].node;
  }

  /**
   * Notes a failure while all ranks ran.
   *
   * @param reason what happened, in a sentence
   * @return the end of the job; null if another recovery is worthwhile
   */
  JobCommand.@Nullable End failedWhileAllRan(int rank, String node, String reason) {
    String how = reason;
    for (String subject : List.of("rank " + rank + " ", "rank " + rank + ": ")) {
      how = how.startsWith(subject) ? how.substring(subject.length()) : how;
    }
    return guard.failed(rank, node, how);
  }

  /** Returns the number of recoveries begun, which is the newest epoch. */
  int recoveries() {
    return recoveries;
  }

  /**
   * Begins a recovery.
   *
   * @return the end of the job; null if the recovery has begun
   */
  JobCommand.@Nullable End recover(String reason) {
    int all = earlierRecoveries + recoveries;
    if (all >= maxRecoveries) {
      return JobCommand.End.failed(
          EndCause.TOO_MANY_RECOVERIES,
          reason + "; recovery " + (all + 1) + " would exceed the limit of " + maxRecoveries);
    }
    recoveries++;
    versionBefore = newestVersion;
    runsFromStart = false;
    return null;
  }

  /** Notes that all ranks have connected their overlay. */
  void connected() {
    unconnected.clear();
  }

  /**
   * Notes that a live process could not be reached over a transport. It may have died in the
   * meantime, so one such report means nothing.
   */
  void unconnected(String overlay) {
    unconnected.add(overlay);
    if (Collections.frequency(unconnected, overlay) >= UNCONNECTED_EPOCHS
        && !without.contains(overlay)) {
      without.add(overlay);
    }
  }

  /** Returns the transports that ranks must not use. */
  List<String> without() {
    return List.copyOf(without);
  }

  /** Notes that a rank has stopped in an iteration of a loop. */
  void left(long loop, long iteration) {
    Place here = new Place(loop, iteration);
    guard.stopped(here);
    if (left == null || here.isBeyond(left)) {
      left = here;
    }
  }

  /**
   * Notes that ranks have read files. If they ran before from the start of the program, its loops
   * restore from files of another number of ranks, and may do so again.
   *
   * @return the number of iterations of the loop known to have been computed beyond that one; -1 if
   *     the program was not known to be in that loop
   */
  long filesRead(long loop, long iteration) {
    beginsWithFiles |= runsFromStart;
    Place furthest = line == null || (left != null && left.isBeyond(line)) ? left : line;
    return furthest == null || furthest.loop() != loop
        ? -1
        : Math.max(0, furthest.iteration() - iteration);
  }

  /** Notes a checkpoint that all ranks have committed. */
  void committed(long version, long loop, long iteration) {
    Place reached = new Place(loop, iteration);
    line = reached;
    left = null;
    guard.committed(reached);
    newestVersion = version;
    withOwnFaults.removeIf(
        account -> {
          boolean gotOn = account.ownFaultAt != null && reached.isBeyond(account.ownFaultAt);
          if (gotOn) {
            account.ownFaults = 0;
          }
          return gotOn;
        });
  }

  /** Whether a program without checkpoints would lose what it has computed. */
  boolean wouldStartOver() {
    return versionBefore > 0 && !beginsWithFiles;
  }

  /**
   * Notes that all ranks run.
   *
   * @param iteration the iteration from which they run; negative if from the start of the program
   * @return the end of the job, if they would start over; null if they continue
   */
  JobCommand.@Nullable End allRun(long iteration) {
    runsFromStart = iteration < 0;
    if (runsFromStart && wouldStartOver()) {
      return JobCommand.End.failed(
          EndCause.CHECKPOINTS_LOST,
          "all ranks lost their checkpoints at once, files hold none, and the program would start"
              + " over");
    }
    for (Account account : accounts) {
      account.starts = 0;
      account.startsHere = 0;
    }
    return null;
  }
}
