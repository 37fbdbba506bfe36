package org.fmi.run.shell;

import org.fmi.job.control.Level2Setup;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.options.Program;
import org.fmi.run.options.RunOptions;
import org.fmi.spi.EarlierMemory;

/** The settings that the daemons of a job get. */
final class CommonSetup {
  private CommonSetup() {}

  /**
   * @param earlier the memory of an earlier job that this one begins from
   * @param outputWindow the node's share of the memory for output
   */
  static NodeSetup of(
      RunOptions options, ShellContext around, EarlierMemory earlier, int outputWindow) {
    Level2Files files = around.files();
    Program program = options.program();
    RunOptions.Processes processes = options.processes();
    return NodeSetup.builder()
        .job(options.job())
        .oneMachine(options.where().isLocal())
        .mainClass(program.mainClass())
        .args(program.args())
        .classPath(around.program().entries())
        .jvmOptions(processes.jvmOptions())
        .environment(processes.environment())
        .workDirectory(processes.directory().toString())
        .outputWindow(outputWindow)
        .idleMegahertz(processes.idleMegahertz())
        .level2(files == null ? Level2Setup.NONE : files.setup())
        .earlier(earlier)
        .build();
  }
}
