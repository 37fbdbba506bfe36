package org.fmi.testkit;

/** The program of a simulated process: stands for {@code main}. */
public interface SimProgram {
  /**
   * Runs on the process' thread; the process exits with status 0 when it returns and 1 when it
   * throws. It must not catch {@link Error}, which ends the thread of a killed process. An {@link
   * AssertionError} fails the simulation.
   */
  void run(SimProcess process) throws Exception;
}
