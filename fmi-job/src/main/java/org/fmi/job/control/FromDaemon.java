package org.fmi.job.control;

import java.util.List;
import java.util.Map;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.Counter;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;

/** What a daemon tells fmirun. */
@Wire
public sealed interface FromDaemon {
  /** What has become of a rank's process, or what the rank says: the job goes on by it. */
  sealed interface OfRank extends FromDaemon {
    int rank();

    /** Of the process; messages of one that was replaced may come late. */
    int incarnation();
  }

  /**
   * The first message: the daemon is connected.
   *
   * @param whole how many cores its ranks may keep busy
   * @param cores those that its ranks may run on, each with the numbers of its hardware threads;
   *     empty if not known
   * @param memoryFree free bytes where the node's memory lies
   * @param java the version of the JDK it found
   */
  @Tag(1)
  record Hello(int node, long pid, int whole, List<int[]> cores, long memoryFree, String java)
      implements FromDaemon {
    public Hello {
      cores = List.copyOf(cores);
    }
  }

  /** The answer to {@link ToDaemon.Setup}: ranks can be started. */
  @Tag(2)
  record Ready() implements FromDaemon {}

  /** The node cannot take part, or not any longer, and why: fmirun makes an end of it. */
  @Tag(3)
  record Refused(String reason) implements FromDaemon {}

  /** Somebody other than fmirun has told the daemon to end, and it does. */
  @Tag(15)
  record Terminated() implements FromDaemon {}

  /** Something the user should know. */
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
    /** How it ended, as a part of a sentence that begins with the rank. */
    public String how() {
      if (signaled) {
        return "was killed by signal " + (status - 128);
      }
      return status == 0
          ? "ended with status 0 without Fmi.close, as by System.exit"
          : "ended by itself with status " + status;
    }
  }

  /** A rank's process lives but said nothing for too long. */
  @Tag(6)
  record RankSilent(int rank, int incarnation) implements OfRank {}

  /** A rank's process was killed; its exit follows when the system has cleared it away. */
  @Tag(10)
  record RankDying(int rank, int incarnation) implements OfRank {}

  /**
   * A rank's process was dying already when {@link ToDaemon.KillRank} came: its exit, which
   * follows, tells why it failed, and not that it was killed.
   */
  @Tag(12)
  record RankWasDying(int rank, int incarnation) implements OfRank {}

  /** A rank has said something. */
  @Tag(7)
  record Said(int rank, int incarnation, RankMessage message) implements OfRank {}

  /** What ranks show of themselves; nothing is decided by it. */
  @Tag(11)
  record Reports(List<Report> reports) implements FromDaemon {
    public Reports {
      reports = List.copyOf(reports);
    }

    /** The same with what is known of the node for all its ranks. */
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
   * What one rank shows.
   *
   * @param pid the number of its process, on its host
   */
  record Report(int rank, int incarnation, long pid, RankReport report) {}

  /**
   * What the threads of a rank's process do.
   *
   * @param pid the number of its process, on its host
   * @param text for a person: lines, each with its end
   */
  @Tag(13)
  record Stack(int rank, long pid, String text) implements FromDaemon {}

  /** Something of checkpoints on files. */
  @Tag(14)
  record Level2(Level2Report report) implements FromDaemon {}

  /**
   * Output of a rank: whole lines, or a part of one that is too long to be kept together.
   *
   * @param error whether on standard error
   * @param more whether more of the last line follows, or its end, which may be empty
   */
  @Tag(8)
  record Output(int rank, boolean error, byte[] bytes, boolean more) implements FromDaemon {
    /** How long others wait while nothing more of a line follows. */
    public static final int PAUSE_MILLIS = 10_000;
  }

  /** This process of rank 0 reads standard input, for the first time. */
  @Tag(16)
  record InputWanted(int incarnation) implements FromDaemon {}

  /** This many bytes of input have been given to the process; fmirun may send as many more. */
  @Tag(9)
  record InputTaken(int incarnation, int bytes) implements FromDaemon {}
}
