package org.fmi.run.process;

import java.util.function.BooleanSupplier;

/**
 * Detects that a process of this machine lacks a core: one of its threads runs or waits for a core,
 * or has run since the last call. A process that is stopped, or waits for something else, is not
 * starved. Not safe for several threads.
 */
public final class Starvation implements BooleanSupplier {
  private final long pid;
  private long used = ProcessStat.NO_PROCESS;

  public Starvation(long pid) {
    this.pid = pid;
  }

  @Override
  public boolean getAsBoolean() {
    long before = used;
    used = ProcessStat.ticksUsed(pid);
    boolean ran = before != ProcessStat.NO_PROCESS && used > before;
    return ran || ProcessStat.wantsCore(pid);
  }
}
