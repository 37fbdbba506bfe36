package org.fmi.run.shell;

import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import org.fmi.run.launch.Launcher;
import org.fmi.run.metrics.JobMetrics;
import org.fmi.run.report.Console;
import org.fmi.run.report.EventLog;
import org.fmi.run.slurm.LentNodes;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a job's shell.
 *
 * @param programId the name of the program's run for the user: that of its first job
 * @param jobId the name of this job
 * @param addressesFor this machine's addresses for the node of a name
 * @param lent source of additional nodes; null if there is none
 */
record ShellContext(
    String programId,
    String jobId,
    byte[] secret,
    JobProgram program,
    Launcher launcher,
    InetSocketAddress listenAt,
    Function<String, List<String>> addressesFor,
    InputStream input,
    Console console,
    @Nullable EventLog events,
    @Nullable JobMetrics metrics,
    @Nullable Level2Files files,
    @Nullable LentNodes lent) {
  /** Returns the environment of another job of the same run. */
  ShellContext with(String anotherId, @Nullable Level2Files itsFiles) {
    return new ShellContext(
        programId,
        anotherId,
        secret,
        program,
        launcher,
        listenAt,
        addressesFor,
        input,
        console,
        events,
        metrics,
        itsFiles,
        lent);
  }
}
