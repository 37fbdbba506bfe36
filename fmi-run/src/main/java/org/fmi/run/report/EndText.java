package org.fmi.run.report;

import org.fmi.job.JobCommand;

/** Tells a user why a job ended, and by which options it could have gone on. */
public final class EndText {
  private EndText() {}

  /** By it a reason names an option, as an error in what fmirun was given. */
  private static final String OPTION = " --";

  /**
   * Empty if all went well.
   *
   * @param local whether all nodes are on this machine
   */
  public static String of(JobCommand.End end, boolean local) {
    return switch (end.cause()) {
      // What keeps a daemon from starting keeps any other on the machine from it, and any other
      // that was given the same.
      case CANNOT_START ->
          local || end.message().contains(OPTION)
              ? end.message()
              : end.message() + "; a spare node would take its place (--spares, --hosts)";
      case NO_SPARE -> end.message() + "; give more nodes, or --on-no-spare share or wait";
      case NO_NODE ->
          end.message() + "; give spare nodes (--spares, or more hosts than the ranks need)";
      case TOO_MANY_RECOVERIES -> end.message() + " (--max-recoveries)";
      case CHECKPOINTS_LOST ->
          end.message()
              + "; more losses per group (--group-losses), ranks on more nodes (--ppn, --hosts),"
              + " smaller groups (--group-size) and spare nodes make this less likely";
      case OUT_OF_MEMORY ->
          end.message() + "; -J -Xmx4g, for example, gives each rank a larger heap";
      case ALL_ENDED,
          PROGRAM_FAILED,
          INTERRUPTED,
          ABORTED,
          NOT_ALL_JOINED,
          UNFIT_NODE,
          NEVER_RAN,
          UNRECOVERABLE,
          LOST_WHILE_ENDING ->
          end.message();
    };
  }
}
