package org.fmi.run.report;

import org.fmi.job.JobCommand;

/** Tells a user why a job ended, and by which options it could have gone on. */
public final class EndText {
  private EndText() {}

  /** Empty if all went well. */
  public static String of(JobCommand.End end) {
    return switch (end.cause()) {
      case CANNOT_START ->
          end.message() + "; a spare node would take its place (--spares, --hosts)";
      case NO_SPARE -> end.message() + "; give more nodes, or --on-no-spare share or wait";
      case NO_NODE ->
          end.message() + "; give spare nodes (--spares, or more hosts than the ranks need)";
      case TOO_MANY_RECOVERIES -> end.message() + " (--max-recoveries)";
      case CHECKPOINTS_LOST ->
          end.message()
              + "; more losses per group (--group-losses), ranks on more nodes (--ppn, --hosts),"
              + " smaller groups (--group-size) and spare nodes make this less likely";
      case PROGRAM_FAILED ->
          end.message()
              + (end.message().contains(OutOfMemoryError.class.getName())
                  ? "; -J -Xmx4g, for example, gives each rank a larger heap"
                  : "");
      case ALL_ENDED,
          INTERRUPTED,
          ABORTED,
          NOT_ALL_JOINED,
          NEVER_RAN,
          UNRECOVERABLE,
          LOST_WHILE_ENDING ->
          end.message();
    };
  }
}
