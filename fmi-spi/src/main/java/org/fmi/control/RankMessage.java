package org.fmi.control;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.fmi.codec.Tag;

/** A message from a rank to the job. */
public sealed interface RankMessage {

  /** The position of a rank that joins an epoch. */
  enum Position {
    /** A new process in {@code Fmi.init}. */
    FRESH,
    /** A replacement on its way to its loop, replaying; consistent with ranks in the loop. */
    REPLAYING,
    /** In a loop with a committed checkpoint. */
    IN_LOOP,
    /** Before, between or after loops: cannot be rolled back, only restarted. */
    OUTSIDE
  }

  /** A notice for the user. The job's decisions do not depend on it. */
  @Tag(15)
  record Notify(Notice.ByRank notice) implements RankMessage {}

  /** A report about choices of the rank that a repetition could make differently. */
  sealed interface ChoiceReport extends RankMessage permits UnloggedChoice, Determinants {}

  /** The rank abandons its work of an epoch that is over. */
  @Tag(13)
  record Left(Notice.Left left) implements RankMessage {}

  /**
   * H1: the rank is ready to connect in this epoch.
   *
   * @param standing whether it may continue where it is
   * @param addresses endpoints by transport name, and "detector"
   */
  @Tag(1)
  record Joined(int epoch, Position position, Standing standing, Map<String, byte[]> addresses)
      implements RankMessage {
    /** A rank that can only roll back together with all ranks. */
    public Joined(int epoch, Position position, Map<String, byte[]> addresses) {
      this(epoch, position, Standing.NONE, addresses);
    }

    /** The same message without the addresses, for a job that stores them elsewhere. */
    public Joined withoutAddresses() {
      return new Joined(epoch, position, standing, Map.of());
    }
  }

  /**
   * Whether a rank in a loop may continue where it is while failed ranks roll back.
   *
   * @param loop its loop, or -1
   * @param version the checkpoint at which its log begins; {@link #NO_VERSION} if all ranks must
   *     roll back
   * @param stays false if it rolls back to that checkpoint too
   * @param flow whether it is in a flowLoop, whose ranks determine themselves which of them roll
   *     back
   * @param reason why it does not continue, as a verb phrase about the rank; empty if it does
   */
  record Standing(long loop, long version, boolean stays, boolean flow, String reason) {
    /** In place of a version. */
    public static final long NO_VERSION = -1;

    /** The standing of a rank without a log. */
    public static final Standing NONE = new Standing(-1, NO_VERSION, false, "has no message log");

    /** The standing of a rank outside of a flow. */
    public Standing(long loop, long version, boolean stays, String reason) {
      this(loop, version, stays, false, reason);
    }
  }

  /**
   * The rank makes a choice in this loop that its log does not cover, and waits for {@link
   * JobMessage.ChoiceRecorded}.
   *
   * @param since the newest checkpoint that the rank has begun: a rollback to a later one does not
   *     repeat the choice; {@link #WHOLE_LOOP} if any may
   */
  @Tag(18)
  record UnloggedChoice(long loop, long since, String choice) implements ChoiceReport {
    /** In place of a checkpoint. */
    public static final long WHOLE_LOOP = Long.MAX_VALUE;
  }

  /**
   * Determinants that depend on the order in which messages arrived: determinants of this rank, or
   * of a rank whose messages it has received. Answered by {@link JobMessage.Acknowledged}.
   *
   * @param rank the rank whose determinants they are
   * @param committed the newest complete checkpoint that the sender knows of
   * @param version the checkpoint that the determinants follow
   * @param first the number of earlier determinants, which the job has
   * @param determinants in the encoding of the rank
   */
  @Tag(20)
  record Determinants(int rank, long committed, long version, int first, long[] determinants)
      implements ChoiceReport {}

  /**
   * A local rollback is impossible: all ranks must roll back.
   *
   * @param deviates whether a rank that rolled back alone behaves differently than before
   */
  @Tag(19)
  record LocalImpossible(int epoch, boolean deviates, String reason) implements RankMessage {}

  /**
   * H2 is done: all connections of the overlay are up.
   *
   * @param overlay the overlay's medium
   */
  @Tag(2)
  record Connected(int epoch, String overlay) implements RankMessage {}

  /**
   * H3: the rank runs, or runs again.
   *
   * @param iteration the iteration it continues with; -1 at the start of the program
   * @param rebuilt whether this rank's checkpoint was rebuilt from the group's code
   */
  @Tag(3)
  record Running(int epoch, long loop, long iteration, boolean rebuilt) implements RankMessage {}

  /**
   * Another rank has failed.
   *
   * @param hops the number of ranks that the notice passed
   * @param heardNanos the time, by this rank's monotonic clock
   * @param overlay the medium of this rank's overlay, which may not be connected yet
   * @param silence whether nothing but silence is the evidence, so that the rank may live
   */
  @Tag(4)
  record Suspect(
      int epoch,
      int rank,
      int hops,
      long heardNanos,
      String overlay,
      boolean silence,
      String reason)
      implements RankMessage {
    /** An accusation with other evidence than silence. */
    public Suspect(int epoch, int rank, int hops, long heardNanos, String overlay, String reason) {
      this(epoch, rank, hops, heardNanos, overlay, false, reason);
    }
  }

  /**
   * A checkpoint is committed; reported by rank 0.
   *
   * @param committed the notice for the user, with the lowest iteration at which a rank took the
   *     checkpoint
   * @param furthest the highest such iteration
   * @param last whether it is the final checkpoint of the loop
   */
  @Tag(5)
  record CheckpointDone(Notice.CheckpointCommitted committed, long furthest, boolean last)
      implements RankMessage {
    /** The place of the furthest rank. */
    public LoopPoint at() {
      return new LoopPoint(committed.loop(), furthest, last);
    }
  }

  /**
   * All ranks have skipped a checkpoint; reported by the lowest rank that has no room for it.
   *
   * @param at the place of this rank
   */
  @Tag(21)
  record CheckpointSkipped(LoopPoint at, Notice.CheckpointSkipped skipped) implements RankMessage {}

  /** The first place where this rank can still stop for the requested checkpoint. */
  @Tag(16)
  record Stops(int epoch, long request, LoopPoint first) implements RankMessage {}

  /**
   * This rank needs a checkpoint, at this place or later.
   *
   * @param files whether the checkpoint is written to files too, if the job writes any: true if the
   *     program asks for it, false if the rank's log fills up
   */
  @Tag(17)
  record CheckpointWanted(int epoch, LoopPoint least, boolean files) implements RankMessage {}

  /**
   * All ranks roll back to a checkpoint in files. Reported by rank 0 when the files have been read.
   *
   * @param generation the user's name for the files
   * @param ranks the ranks that have read files; empty if all have
   */
  @Tag(14)
  record FilesRead(int epoch, String generation, long loop, long iteration, String ranks)
      implements RankMessage {}

  /** The rank has reached the place of this injected failure, and waits. */
  @Tag(6)
  record AtFault(int fault) implements RankMessage {}

  /**
   * The rank cannot continue unless all processes restart: a replay does not match, or a record
   * exceeds its limit.
   */
  @Tag(7)
  record RestartNeeded(int epoch, String reason) implements RankMessage {}

  /**
   * The system refuses something to this process, such as memory or a file descriptor: it must be
   * replaced, here or on another node.
   *
   * @param epoch the epoch in which it cannot continue, or {@link #ANY_EPOCH}
   * @param reason a predicate whose subject is the rank
   */
  @Tag(22)
  record CannotContinue(int epoch, String reason) implements RankMessage {
    /** In place of an epoch: the process has not begun, and knows none. */
    public static final int ANY_EPOCH = -1;
  }

  /**
   * The job cannot be recovered.
   *
   * @param checkpointsLost whether the reason is that more checkpoints are lost than can be rebuilt
   */
  @Tag(8)
  record Unrecoverable(int epoch, boolean checkpointsLost, String reason) implements RankMessage {}

  /**
   * The ranks of the program contradict each other, and would do so again: the job ends.
   *
   * @param reason a message for the user
   */
  @Tag(12)
  record ProgramFault(int epoch, String reason) implements RankMessage {}

  /** The rank has reached {@code Fmi.close}. */
  @Tag(9)
  record Finished(int epoch) implements RankMessage {}

  /**
   * The program's code has thrown an exception, and would throw it again: this process is about to
   * end.
   *
   * @param loop the current loop, or {@link #NO_LOOP}
   * @param outOfMemory whether an {@link OutOfMemoryError} is the cause
   * @param trace the stack trace; empty while the exception propagates and is not known yet
   */
  @Tag(11)
  record Failed(long loop, long iteration, boolean outOfMemory, String trace)
      implements RankMessage {
    /** The loop and the iteration outside of loops. */
    public static final int NO_LOOP = -1;

    /** Lines shown of a stack trace: its beginning, and its end with the first cause. */
    private static final int FIRST_LINES = 120;

    private static final int LAST_LINES = 40;
    private static final int MOST_OF_A_LINE = 300;

    /** Bounds the search, as causes may form a circle. */
    private static final int MOST_CAUSES = 50;

    /** A failure that is no {@link OutOfMemoryError}, or whose exception is not known yet. */
    public Failed(long loop, long iteration, String trace) {
      this(loop, iteration, false, trace);
    }

    /** A failure with the stack trace of an exception. */
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

    /** The exception as part of a message; empty while it is unknown. */
    public String exception() {
      String line = trace.lines().findFirst().orElse("");
      return line.length() <= MOST_OF_A_LINE ? line : line.substring(0, MOST_OF_A_LINE) + "...";
    }

    /** The place where it was thrown, as part of a message. */
    public String where() {
      return loop == NO_LOOP
          ? "outside of loops"
          : "in iteration " + iteration + " of loop " + loop;
    }
  }

  /** The program called abort. */
  @Tag(10)
  record Abort(int status) implements RankMessage {}

  /** The purpose of an agreement, equal at all members. */
  enum Agreement {
    /** The bits that all members have set. */
    AGREE,
    /** A communicator of the living members. */
    SHRINK
  }

  /**
   * A member of a communicator asks for an agreement. Answered by {@link JobMessage.Agreed} once
   * each living member has asked.
   *
   * @param call the number of the agreement in this communicator
   * @param members a bit for each world rank that is a member. Communicators of one id have no
   *     member in common.
   * @param nextId the sender's next free id of a communicator
   */
  @Tag(23)
  record Agrees(int communicator, int call, Agreement kind, long[] members, long flags, int nextId)
      implements RankMessage {}

  /**
   * A member revokes a communicator: each member hears of it as {@link JobMessage.Revoked}.
   *
   * @param members a bit for each world rank that is a member
   */
  @Tag(24)
  record Revokes(int communicator, long[] members) implements RankMessage {}
}
