package org.fmi.control;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.fmi.codec.Tag;

/** What a rank tells the job. */
public sealed interface RankMessage {

  /** Where a rank stands when it joins an epoch. */
  enum Position {
    /** A new process in {@code Fmi.init}. */
    FRESH,
    /** A replacement on its way to its loop, replaying; consistent with ranks in the loop. */
    REPLAYING,
    /** In a loop of which it knows a committed checkpoint. */
    IN_LOOP,
    /** Before, between or after loops: cannot be rolled back, only restarted. */
    OUTSIDE
  }

  /** Something for the user: nothing follows from it. */
  @Tag(15)
  record Notify(Notice.ByRank notice) implements RankMessage {}

  /** Is about what the rank could decide otherwise if it had to do it again. */
  sealed interface Choosing extends RankMessage permits Chooses, Chose {}

  /** Gives up what it has computed in an epoch that is over. */
  @Tag(13)
  record Left(Notice.Left left) implements RankMessage {}

  /**
   * H1: ready to connect in this epoch.
   *
   * @param standing whether it may stay where it is
   * @param addresses endpoints by the name of their transport, and "detector"
   */
  @Tag(1)
  record Joined(int epoch, Position position, Standing standing, Map<String, byte[]> addresses)
      implements RankMessage {
    /** Stands where it cannot but go back with all others. */
    public Joined(int epoch, Position position, Map<String, byte[]> addresses) {
      this(epoch, position, Standing.NONE, addresses);
    }

    /** The same, for whoever keeps the addresses elsewhere. */
    public Joined withoutAddresses() {
      return new Joined(epoch, position, standing, Map.of());
    }
  }

  /**
   * Whether a rank in a loop may go on where it stands while failed ones go back.
   *
   * @param loop the one that it is in, or -1
   * @param version of the checkpoint that its log begins at; {@link #NO_VERSION} if all must go
   *     back
   * @param goesOn false if it goes back to that checkpoint too
   * @param flow whether it goes back or not as the ranks find out themselves, in a flowLoop
   * @param reason why not, as what the rank does; empty if it goes on
   */
  record Standing(long loop, long version, boolean goesOn, boolean flow, String reason) {
    /** In place of a version. */
    public static final long NO_VERSION = -1;

    /** Of a rank that keeps no log. */
    public static final Standing NONE = new Standing(-1, NO_VERSION, false, "keeps no log");

    /** Of a rank that is in no flow. */
    public Standing(long loop, long version, boolean goesOn, String reason) {
      this(loop, version, goesOn, false, reason);
    }
  }

  /**
   * Makes a choice in this loop that its log does not cover; waits for {@link JobMessage.Noted}.
   */
  @Tag(18)
  record Chooses(long loop, String choice) implements Choosing {}

  /**
   * A rank, this one or one whose messages it has got, has decided something by the time at which
   * messages came. The answer is {@link JobMessage.Kept}.
   *
   * @param rank which
   * @param committed the version of the newest checkpoint that is complete, as the sender knows it
   * @param version of the checkpoint since which this is
   * @param first how much was decided before: the job has it
   * @param determinants what was decided, as the rank writes it
   */
  @Tag(20)
  record Chose(int rank, long committed, long version, int first, long[] determinants)
      implements Choosing {}

  /**
   * Only those go back that have failed, and this is impossible: all must.
   *
   * @param deviates whether a rank that went back alone does something else than before
   */
  @Tag(19)
  record LocalImpossible(int epoch, boolean deviates, String reason) implements RankMessage {}

  /**
   * H2 is done: all connections of the overlay are up.
   *
   * @param overlay what they run over
   */
  @Tag(2)
  record Connected(int epoch, String overlay) implements RankMessage {}

  /**
   * H3: runs (again).
   *
   * @param iteration the iteration it goes on with, -1 at the start of the program
   * @param rebuilt whether this rank's checkpoint was rebuilt from the group's code
   */
  @Tag(3)
  record Running(int epoch, long loop, long iteration, boolean rebuilt) implements RankMessage {}

  /**
   * Another rank has failed.
   *
   * @param hops how far the notice had come
   * @param heardNanos when, by this rank's monotonic clock
   * @param overlay what this rank's overlay runs over, or is being connected over
   */
  @Tag(4)
  record Suspect(int epoch, int rank, int hops, long heardNanos, String overlay, String reason)
      implements RankMessage {}

  /**
   * A checkpoint is committed; reported by rank 0.
   *
   * @param committed the notice for the user; its iteration is the lowest at which a rank took it
   * @param furthest the highest one
   * @param last whether it is the checkpoint of the loop's end
   */
  @Tag(5)
  record CheckpointDone(Notice.CheckpointCommitted committed, long furthest, boolean last)
      implements RankMessage {
    /** Where the furthest rank was. */
    public LoopPoint at() {
      return new LoopPoint(committed.loop(), furthest, last);
    }
  }

  /** The first place where this rank can still stop for the checkpoint that it was asked for. */
  @Tag(16)
  record Stops(int epoch, long request, LoopPoint first) implements RankMessage {}

  /**
   * This rank needs a checkpoint, at this place or a later one.
   *
   * @param files whether it is to be written to files too, if the job writes any: the program asks
   *     for it, and not the rank, whose log fills
   */
  @Tag(17)
  record CheckpointWanted(int epoch, LoopPoint least, boolean files) implements RankMessage {}

  /**
   * All go back to what files hold; reported by rank 0 when that has been read.
   *
   * @param generation the files, as the user calls them
   * @param ranks those that have read; empty if all
   */
  @Tag(14)
  record FilesRead(int epoch, String generation, long loop, long iteration, String ranks)
      implements RankMessage {}

  /** Came to the place where this failure is to be injected, and waits. */
  @Tag(6)
  record AtFault(int fault) implements RankMessage {}

  /**
   * Cannot go on without restarting all processes: a replay that does not match, a record over its
   * limit.
   */
  @Tag(7)
  record RestartNeeded(int epoch, String reason) implements RankMessage {}

  /**
   * The job cannot be recovered.
   *
   * @param checkpointsLost whether because more checkpoints are lost than can be brought back
   */
  @Tag(8)
  record Unrecoverable(int epoch, boolean checkpointsLost, String reason) implements RankMessage {}

  /**
   * The program's ranks contradict each other, as they would again: the job ends.
   *
   * @param reason for the user, a line
   */
  @Tag(12)
  record ProgramFault(int epoch, String reason) implements RankMessage {}

  /** Reached {@code Fmi.close}. */
  @Tag(9)
  record Finished(int epoch) implements RankMessage {}

  /**
   * The program's own code has thrown, as it would again: this process is about to end.
   *
   * @param loop the one that it was in, or {@link #NO_LOOP}
   * @param outOfMemory whether it comes of an {@link OutOfMemoryError}
   * @param trace the stack trace; empty while the exception is on its way and only that is known
   */
  @Tag(11)
  record Failed(long loop, long iteration, boolean outOfMemory, String trace)
      implements RankMessage {
    /** The loop and the iteration of what happens outside of loops. */
    public static final int NO_LOOP = -1;

    /** Lines that are shown of a stack trace: its beginning, and where the first cause is. */
    private static final int FIRST_LINES = 120;

    private static final int LAST_LINES = 40;
    private static final int MOST_OF_A_LINE = 300;

    /** Causes may be in a circle. */
    private static final int MOST_CAUSES = 50;

    /** What is known before the exception is, and of one with enough memory. */
    public Failed(long loop, long iteration, String trace) {
      this(loop, iteration, false, trace);
    }

    /** With the stack trace of an exception. */
    public static Failed of(long loop, long iteration, Throwable thrown) {
      return new Failed(loop, iteration, isOutOfMemory(thrown), trace(thrown));
    }

    private static boolean isOutOfMemory(Throwable thrown) {
      Throwable each = thrown;
      for (int i = 0; each != null && i < MOST_CAUSES; i++) {
        if (each instanceof OutOfMemoryError) {
          return true;
        }
        each = each.getCause();
      }
      return false;
    }

    private static String trace(Throwable thrown) {
      List<String> lines;
      try {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        lines = text.toString().lines().toList();
      } catch (RuntimeException | Error e) {
        // Methods of the program's own exception run here, perhaps without memory.
        return thrown.getClass().getName();
      }
      int left = lines.size() - FIRST_LINES - LAST_LINES;
      if (left <= 1) {
        return String.join("\n", lines);
      }
      return String.join("\n", lines.subList(0, FIRST_LINES))
          + "\n\t... "
          + left
          + " lines ...\n"
          + String.join("\n", lines.subList(FIRST_LINES + left, lines.size()));
    }

    /** The exception, as a part of a line; empty while it is not known. */
    public String exception() {
      String line = trace.lines().findFirst().orElse("");
      return line.length() <= MOST_OF_A_LINE ? line : line.substring(0, MOST_OF_A_LINE) + "...";
    }

    /** Where it was thrown, as a part of a line. */
    public String where() {
      return loop == NO_LOOP
          ? "outside of loops"
          : "in iteration " + iteration + " of loop " + loop;
    }
  }

  /** The program called abort. */
  @Tag(10)
  record Abort(int status) implements RankMessage {}
}
