package org.fmi.run.shell;

import org.fmi.job.control.Level2Setup;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.options.RunOptions;
import org.jspecify.annotations.Nullable;

/** What is the same for all daemons of a job. */
final class CommonSetup {
  /** How much a rank records outside of loops for its replacement, in bytes. */
  private static final long RECORD_LIMIT = 64 << 20;

  private CommonSetup() {}

  static NodeSetup of(RunOptions options, @Nullable Level2Files files) {
    return new NodeSetup(
        options.spec().size(),
        options.program().mainClass(),
        options.program().args(),
        options.program().classPath(),
        options.processes().jvmOptions(),
        options.processes().environment(),
        options.processes().directory().toString(),
        options.network().heartbeatMillis(),
        options.spec().groupLosses(),
        options.network().logRingBase(),
        RECORD_LIMIT,
        options.spec().logLimitBytes(),
        options.flowLimit(),
        options.processes().idleMegahertz(),
        options.interval(),
        options.network().transports(),
        options.check(),
        options.overlapped(),
        files == null ? Level2Setup.NONE : files.setup());
  }
}
