package org.fmi.core.epoch;

import java.util.List;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.fmi.spi.Fault;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RankClock;

/**
 * Kills this process at chosen places, for tests and demonstrations: it stops there and asks to be
 * killed.
 */
public final class FaultInjector {
  private final List<Fault> faults;
  private final JobLink link;
  private final RankClock clock;

  public FaultInjector(List<Fault> faults, JobLink link, RankClock clock) {
    this.faults = faults;
    this.link = link;
    this.clock = clock;
  }

  /** Returns, or never does if a fault is injected here. */
  public void at(FaultPoint point, long iteration) {
    if (faults.isEmpty()) {
      return;
    }
    for (Fault fault : faults) {
      if (fault.point() == point && (fault.iteration() < 0 || fault.iteration() == iteration)) {
        link.send(new RankMessage.AtFault(fault.id()));
        while (true) {
          clock.await(Long.MAX_VALUE);
        }
      }
    }
  }
}
