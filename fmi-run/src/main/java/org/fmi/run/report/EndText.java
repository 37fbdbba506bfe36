package org.fmi.run.report;

import org.fmi.job.JobCommand;

/** The text about the reason of a job's end, and which options would have prevented the end. */
public final class EndText {
  private EndText() {}

  /**
   * Returns the text; empty if all went well.
   *
   * @param local whether all nodes are on this machine
   */
  public static String of(JobCommand.End end, boolean local) {
    return switch (end.cause()) {
      // On one machine, every daemon would fail alike.
      case CANNOT_START ->
          local
              ? end.message()
              : end.message()
                  + "; with a spare node, the job would start without it (--spares, --hosts)";
      case NO_SPARE -> end.message() + "; use more nodes, or --on-no-spare share or wait";
      case LINKS_BROKEN ->
          end.message()
              + "; repair the network between them, or use spare nodes (--spares), or"
              + " --on-no-spare wait";
      case NO_NODE ->
          end.message() + "; use spare nodes (--spares, or more hosts than the ranks need)";
      case TOO_MANY_RECOVERIES -> end.message() + " (--max-recoveries)";
      case LOSS_ENDS -> end.message() + " (--on-failure end)";
      case NO_PROGRESS ->
          end.message()
              + "\nif they have no common cause, allow more of them (--no-progress), or take"
              + " checkpoints more often (--interval)";
      case CHECKPOINTS_LOST ->
          end.message()
              + "; to make this less likely, let groups survive more losses (--group-losses),"
              + " spread the ranks over more nodes (--ppn, --hosts), use smaller groups"
              + " (--group-size) or spare nodes";
      case OUT_OF_MEMORY ->
          end.message() + "; give each rank a larger heap, for example with -J -Xmx4g";
      case ALL_ENDED,
          PROGRAM_FAILED,
          INTERRUPTED,
          ABORTED,
          NOT_ALL_JOINED,
          UNFIT_NODE,
          CANNOT_START_ANYWHERE,
          NEVER_RAN,
          UNRECOVERABLE,
          ALL_LOST,
          LOST_WHILE_ENDING ->
          end.message();
    };
  }
}
