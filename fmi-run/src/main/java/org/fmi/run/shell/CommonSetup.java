package org.fmi.run.shell;

import org.fmi.job.control.Level2Setup;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.options.Program;
import org.fmi.run.options.RunOptions;

/** What is the same for all daemons of a job. */
final class CommonSetup {
  /** How much a rank records outside of loops for its replacement, in bytes. */
  private static final long RECORD_LIMIT = 64 << 20;

  private CommonSetup() {}

  static NodeSetup of(RunOptions options, Surroundings around) {
    Level2Files files = around.files();
    Program program = options.program();
    RunOptions.Processes processes = options.processes();
    RunOptions.Network network = options.network();
    return NodeSetup.builder()
        .size(options.spec().size())
        .oneMachine(options.where().isLocal())
        .heartbeatMillis(network.heartbeatMillis())
        .interval(options.checkpoints().interval())
        .mainClass(program.mainClass())
        .args(program.args())
        .classPath(around.program().entries())
        .jvmOptions(processes.jvmOptions())
        .environment(processes.environment())
        .workDirectory(processes.directory().toString())
        .groupLosses(options.spec().grouping().losses())
        .logRingBase(network.logRingBase())
        .recordLimitBytes(RECORD_LIMIT)
        .sendBufferBytes(network.sendBufferBytes())
        .idleMegahertz(processes.idleMegahertz())
        .transports(network.transports())
        .policy(options.spec().recovery().policy())
        .level2(files == null ? Level2Setup.NONE : files.setup())
        .build();
  }
}
