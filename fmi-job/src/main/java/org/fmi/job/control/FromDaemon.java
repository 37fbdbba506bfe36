package org.fmi.job.control;

import java.util.List;
import java.util.Map;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.Counter;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;
import org.fmi.spi.LeftCheckpoints;

/** A message from a daemon to fmirun. */
@Wire
public sealed interface FromDaemon {
  /** A message about a rank's process, or of the rank: the decision maker acts on it. */
  sealed interface OfRank extends FromDaemon {
    int rank();

    /** Returns the incarnation of the process; messages of a replaced process may arrive late. */
    int incarnation();
  }

  /**
   * The first message: the daemon is connected.
   *
   * @param whole the number of cores that its ranks may keep busy
   * @param cores the cores that its ranks may use, each with the numbers of its hardware threads;
   *     empty if unknown
   * @param memoryFree free bytes in the node's memory
   * @param java the version of the JDK that it found
   * @param host the address under which the other daemons reach it
   * @param port the port at which it listens for them
   */
  @Tag(1)
  record Hello(
      int node,
      long pid,
      int whole,
      List<int[]> cores,
      long memoryFree,
      String java,
      String host,
      int port)
      implements FromDaemon {
    public Hello {
      cores = List.copyOf(cores);
    }
  }

  /** The answer to {@link ToDaemon.Setup}: ranks can be started. */
  @Tag(2)
  record Ready() implements FromDaemon {}

  /** The node cannot take part, or no longer, and why: fmirun fences it. */
  @Tag(3)
  record Refused(String reason) implements FromDaemon {}

  /** The daemon was terminated from outside the job, and ends. */
  @Tag(15)
  record Terminated() implements FromDaemon {}

  /**
   * The answer to {@link ToDaemon.Examine}.
   *
   * @param unreached the nodes of peers to which no connection could be made
   */
  @Tag(20)
  record Examined(int round, List<Integer> unreached) implements FromDaemon {
    public Examined {
      unreached = List.copyOf(unreached);
    }
  }

  /** The answer to {@link ToDaemon.Serve}. */
  @Tag(24)
  record Holds(List<LeftCheckpoints.Part> parts) implements FromDaemon {
    public Holds {
      parts = List.copyOf(parts);
    }
  }

  /** A warning for the user. */
  @Tag(4)
  record Warning(String text) implements FromDaemon {}

  /**
   * A rank's process has ended, and all its output has been sent.
   *
   * @param status exit status, or 128 + signal
   * @param signaled whether a signal ended it
   */
  @Tag(5)
  record RankExited(int rank, int incarnation, int status, boolean signaled) implements OfRank {
    /** Returns how it ended, as a clause that follows the rank. */
    public String how() {
      if (signaled) {
        return "was killed by signal " + (status - 128);
      }
      return status == 0
          ? "ended with status 0 but without Fmi.close (did it call System.exit?)"
          : "ended by itself with status " + status;
    }
  }

  /**
   * The system has refused several times to start a process for a rank, which therefore has none.
   *
   * @param reason why, for the user
   */
  @Tag(21)
  record RankNotStarted(int rank, int incarnation, String reason) implements OfRank {}

  /**
   * A rank's process joined for the first time. Sent if it took longer than earlier ones of its
   * node.
   *
   * @param millis the time since it was spawned, except for time without a core
   */
  @Tag(22)
  record RankStarted(int rank, int incarnation, long millis) implements OfRank {}

  /**
   * A rank's process takes long to join. Repeated until it does.
   *
   * @param millis the same time so far, beyond an allowance for the failure of another rank
   */
  @Tag(23)
  record RankLate(int rank, int incarnation, long millis) implements OfRank {}

  /** A rank's process lives but was silent for too long. */
  @Tag(6)
  record RankSilent(int rank, int incarnation) implements OfRank {}

  /** A rank's process was killed; its exit follows when the system has removed it. */
  @Tag(10)
  record RankDying(int rank, int incarnation) implements OfRank {}

  /**
   * A rank's process was already dying when {@link ToDaemon.KillRank} arrived. Its exit, which
   * follows, gives the real cause.
   */
  @Tag(12)
  record RankWasDying(int rank, int incarnation) implements OfRank {}

  /** A message of a rank. */
  @Tag(7)
  record Relayed(int rank, int incarnation, RankMessage message) implements OfRank {}

  /** Reports of ranks; no decision depends on them. */
  @Tag(11)
  record Reports(List<Report> reports) implements FromDaemon {
    public Reports {
      reports = List.copyOf(reports);
    }

    /** Returns these reports with the node's data added for all its ranks. */
    public Reports with(Map<Counter, Long> levels) {
      return new Reports(
          reports.stream()
              .map(
                  each ->
                      new Report(
                          each.rank(), each.incarnation(), each.pid(), each.report().with(levels)))
              .toList());
    }
  }

  /**
   * The report of one rank.
   *
   * @param pid its process id on its host
   */
  record Report(int rank, int incarnation, long pid, RankReport report) {}

  /**
   * The thread stacks of a rank's process.
   *
   * @param pid its process id on its host
   * @param text lines for a person, each with its line end
   */
  @Tag(13)
  record Stack(int rank, long pid, String text) implements FromDaemon {}

  /**
   * Ask whether ranks may run for one heartbeat timeout more, counted from now.
   *
   * @param request number of this request
   */
  @Tag(17)
  record LeaseRequest(int request) implements FromDaemon {}

  /** A message about checkpoints in files. */
  @Tag(14)
  record Level2(Level2Report report) implements FromDaemon {}

  /**
   * Output of a rank: whole lines, or a part of a line that is too long to be kept together.
   *
   * @param error whether it is standard error
   * @param more whether more of the last line follows, or its end, which may be empty
   */
  @Tag(8)
  record Output(int rank, boolean error, byte[] bytes, boolean more) implements FromDaemon {
    /** Time for which other ranks wait for the rest of a line. */
    public static final int PAUSE_MILLIS = 10_000;

    /** The memory that a message takes in fmirun beside its bytes. */
    public static final int OVERHEAD = 256;

    /** Returns the credit that it takes: the memory until it is written. */
    public int cost() {
      return bytes.length + OVERHEAD;
    }
  }

  /** This process of rank 0 reads standard input for the first time. */
  @Tag(16)
  record InputWanted(int incarnation) implements FromDaemon {}

  /** This many bytes of input have been given to the process; fmirun may send as many more. */
  @Tag(9)
  record InputTaken(int incarnation, int bytes) implements FromDaemon {}
}
