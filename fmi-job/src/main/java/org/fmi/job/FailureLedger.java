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
 * Keeps account of failures: how often each rank was started, what it failed of by itself, how many
 * recoveries there were and what they could go back to. Says when another try is not worth it.
 */
final class FailureLedger {
  /**
   * A rank is not started again after its program has failed this many times in a row at the same
   * place.
   */
  private static final int OWN_FAULTS = 3;

  /**
   * A transport over which the overlay could not be connected in this many epochs in a row is left
   * out, if there is another one.
   */
  private static final int UNCONNECTED_EPOCHS = 2;

  /** A rank whose processes are lost so often before all ranks run is given up. */
  private static final int MOST_STARTS = 10;

  /** After this many such losses on one node a rank is better started on another one. */
  private static final int LOSSES_ON_A_NODE = 2;

  /**
   * The status of a process that was killed, as it is if its failure was reported before its end.
   */
  private static final int BY_SIGKILL = 128 + 9;

  /** How far a program has come: what the job needs to see progress. */
  private record Place(long loop, long iteration) {
    boolean isBeyond(Place other) {
      return loop > other.loop || (loop == other.loop && iteration > other.iteration);
    }
  }

  /** What is held against one rank. */
  private static final class Account {
    /**
     * Processes started for it since all ranks ran the last time, but for those whose end says
     * nothing about it: killed to restart all, or lost with their node.
     */
    int starts;

    /** How many of them in a row were on the node of the last one. */
    int startsHere;

    /** The node of the last one. */
    int node = -1;

    /** Why another process, or its silence, had its process killed. */
    @Nullable String suspicion;

    /**
     * The epoch in which its failure was reported before its process had ended; -1 if it was not.
     */
    int toldIn = -1;

    /** Its process was dying when nobody had it killed, but for an injected failure. */
    boolean dying;

    /** Its process is killed by an injected failure. */
    boolean injected;

    /** What its process said of an exception of the program's own. */
    RankMessage.@Nullable Failed thrown;

    /** Where its program last failed by itself, and how often in a row. */
    @Nullable Place ownFaultAt;

    int ownFaults;
  }

  private final int maxRecoveries;
  private final Account[] accounts;

  /** Those of ranks whose programs have failed by themselves. */
  private final Set<Account> withOwnFaults = new HashSet<>();

  /** What ranks could not connect their overlay over, once for each such epoch since it was up. */
  private final List<String> unconnected = new ArrayList<>();

  /** Transports that ranks are to leave out. */
  private final List<String> without = new ArrayList<>();

  private int recoveries;

  /** Where the newest checkpoint was committed. */
  private @Nullable Place line;

  /** The furthest that a rank has come to since, as it stopped there; null if none has. */
  private @Nullable Place left;

  /** Of the checkpoints that were committed; the first one, 0, is of the program's beginning. */
  private long newestVersion;

  /** The newest one when the epoch began. */
  private long versionBefore;

  /** Whether all run, since the start of the program. */
  private boolean runsFromStart;

  /** Whether the start of the program is no beginning: its loops begin with files. */
  private boolean beginsWithFiles;

  /**
   * Nothing has failed yet.
   *
   * @param maxRecoveries end the job rather than recover more often than this
   */
  FailureLedger(int ranks, int maxRecoveries) {
    this.maxRecoveries = maxRecoveries;
    this.accounts = new Account[ranks];
    Arrays.setAll(accounts, r -> new Account());
  }

  // ---- processes

  /** A process was started for a rank on a node. */
  void started(int rank, int node) {
    Account account = accounts[rank];
    account.startsHere = account.node == node ? account.startsHere + 1 : 1;
    account.node = node;
    account.starts++;
    assert account.startsHere <= account.starts;
    account.suspicion = null;
    account.toldIn = -1;
    account.dying = false;
    account.injected = false;
    account.thrown = null;
  }

  /** A rank's process is killed to restart all, for no reason of its own. */
  void restarted(int rank) {
    Account account = accounts[rank];
    account.starts = Math.max(0, account.starts - 1);
    account.startsHere = Math.max(0, account.startsHere - 1);
  }

  /** A rank's process is lost with its node. */
  void nodeLost(int rank) {
    Account account = accounts[rank];
    account.starts = Math.max(0, account.starts - 1);
    account.startsHere = 0;
  }

  /**
   * A rank's process is to be killed, as another one or its silence gives reason to: the user is
   * told so in this epoch.
   */
  void suspect(int rank, int epoch, String why) {
    accounts[rank].suspicion = why;
    accounts[rank].toldIn = epoch;
  }

  /** A rank's process is dying, which is reported in this epoch; the cause is not known yet. */
  void dying(int rank, int epoch) {
    accounts[rank].toldIn = epoch;
    accounts[rank].dying = true;
  }

  /** A rank's process was dying before it was killed. */
  void wasDying(int rank) {
    accounts[rank].dying = true;
  }

  /** A failure is injected into a rank's process. */
  void injected(int rank) {
    accounts[rank].injected = true;
  }

  /**
   * In which epoch the failure of a rank's process was reported before its end; -1 if it was not.
   */
  int toldIn(int rank) {
    return accounts[rank].toldIn;
  }

  /**
   * Why a process has failed of which only the failure was reported.
   *
   * @return null if it was reported already, or died of the kill to which its failure has led
   */
  @Nullable String cause(FromDaemon.RankExited exit) {
    Account account = accounts[exit.rank()];
    boolean ownEnd =
        account.dying || account.injected || !exit.signaled() || exit.status() != BY_SIGKILL;
    return account.toldIn >= 0 && ownEnd ? how(exit) : null;
  }

  /** A rank's process said that its program has thrown. */
  void thrown(int rank, RankMessage.Failed failed) {
    accounts[rank].thrown = failed;
  }

  /** How a process has ended, as a part of a sentence that begins with the rank. */
  String how(FromDaemon.RankExited exit) {
    Account account = accounts[exit.rank()];
    RankMessage.Failed thrown = account.thrown;
    String how = account.injected ? exit.how() + ", which was injected" : exit.how();
    if (thrown == null) {
      return how;
    }
    // The program's own words last: they may say anything of a place.
    String what =
        thrown.trace().isEmpty()
            ? "has thrown an exception " + thrown.where()
            : "has thrown " + thrown.where() + ": " + thrown.exception();
    return exit.status() == JobCommand.End.PROGRAM_FAULT ? what : what + "; it " + how;
  }

  /**
   * A rank's process has ended though it is still needed, whoever noticed it first: peers that
   * cannot reach it would have it killed again and again, without end.
   *
   * @param known whether its program is known to use the library
   * @return the end of the job; null if the rank may be started again
   */
  JobCommand.@Nullable End exited(FromDaemon.RankExited exit, boolean known) {
    Account account = accounts[exit.rank()];
    if (known && isOwnFault(exit)) {
      if (account.thrown != null && account.thrown.loop() == RankMessage.Failed.NO_LOOP) {
        return programFault(exit, "");
      }
      if (countOwnFault(account) >= OWN_FAULTS) {
        return programFault(
            exit,
            "; it failed by itself "
                + OWN_FAULTS
                + " times at the same place, and is not started again");
      }
    }
    if (account.starts >= MOST_STARTS) {
      return JobCommand.End.failed(
          EndCause.NEVER_RAN,
          "rank "
              + exit.rank()
              + " was started "
              + account.starts
              + " times and always lost before all ranks ran (at last it "
              + exit.how()
              + (account.suspicion == null
                  ? "): is there enough memory?"
                  : ", after " + account.suspicion + "): can all hosts reach its host?"));
    }
    return null;
  }

  /** The end of a job whose program fails by itself, in a rank whose process has ended. */
  JobCommand.End programFault(FromDaemon.RankExited exit, String more) {
    RankMessage.Failed thrown = accounts[exit.rank()].thrown;
    EndCause cause =
        thrown != null && thrown.outOfMemory() ? EndCause.OUT_OF_MEMORY : EndCause.PROGRAM_FAILED;
    return JobCommand.End.programFault(exit, cause, how(exit) + more);
  }

  /**
   * Whether the program, and not its environment, is to blame: an exit, or a signal that a fault in
   * the code raises.
   */
  private static boolean isOwnFault(FromDaemon.RankExited exit) {
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
   * Each rank's own, for one incident may hit all at the same place.
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
   * Whether a rank whose process was lost just now is better started on another node: its processes
   * were lost on this one again and again before all ranks ran.
   */
  boolean isHopelessHere(int rank) {
    return accounts[rank].startsHere >= LOSSES_ON_A_NODE;
  }

  // ---- recoveries

  /** How many recoveries have begun: the newest epoch. */
  int recoveries() {
    return recoveries;
  }

  /**
   * A recovery is to begin.
   *
   * @return the end of the job; null if the recovery has begun
   */
  JobCommand.@Nullable End recover(String reason) {
    if (recoveries >= maxRecoveries) {
      return JobCommand.End.failed(
          EndCause.TOO_MANY_RECOVERIES,
          reason + "; it would be recovery " + (recoveries + 1) + " of at most " + maxRecoveries);
    }
    recoveries++;
    versionBefore = newestVersion;
    runsFromStart = false;
    return null;
  }

  /** All ranks have connected their overlay. */
  void connected() {
    unconnected.clear();
  }

  /**
   * A process lives, as far as its node knows, and another one has no connection to it: once it may
   * have died meanwhile.
   */
  void unconnected(String overlay) {
    unconnected.add(overlay);
    if (Collections.frequency(unconnected, overlay) >= UNCONNECTED_EPOCHS
        && !without.contains(overlay)) {
      without.add(overlay);
    }
  }

  /** Transports that ranks are to leave out. */
  List<String> without() {
    return List.copyOf(without);
  }

  /** A rank has stopped in an iteration of a loop. */
  void left(long loop, long iteration) {
    Place here = new Place(loop, iteration);
    if (left == null || here.isBeyond(left)) {
      left = here;
    }
  }

  /**
   * Ranks have read files. If they ran before, from the start of the program, its loops begin with
   * those of another number of ranks, and may do so again.
   *
   * @return how many iterations of the loop are known to have been computed beyond that one; -1 if
   *     the program was not known to be in that loop
   */
  long filesRead(long loop, long iteration) {
    beginsWithFiles |= runsFromStart;
    Place furthest = line == null || (left != null && left.isBeyond(line)) ? left : line;
    return furthest == null || furthest.loop != loop
        ? -1
        : Math.max(0, furthest.iteration - iteration);
  }

  /** A checkpoint was committed by all. */
  void committed(long version, long loop, long iteration) {
    Place reached = new Place(loop, iteration);
    line = reached;
    left = null;
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

  /**
   * All ranks run.
   *
   * @param iteration from which one; negative if from the start of the program
   * @return the end of the job, if they would begin again; null if they go on
   */
  JobCommand.@Nullable End allRun(long iteration) {
    runsFromStart = iteration < 0;
    if (runsFromStart && versionBefore > 0 && !beginsWithFiles) {
      return JobCommand.End.failed(
          EndCause.CHECKPOINTS_LOST,
          "all ranks lost their checkpoints at once, files hold none, and the program would begin"
              + " again");
    }
    for (Account account : accounts) {
      account.starts = 0;
      account.startsHere = 0;
    }
    return null;
  }
}
