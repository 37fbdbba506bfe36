package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.spi.Fault;
import org.jspecify.annotations.Nullable;

/** Holds the failures that are still to be injected, each of which happens once. */
final class Injections {
  private final Map<Integer, FaultSpec> pending = new TreeMap<>();

  Injections(List<FaultSpec> faults) {
    for (FaultSpec fault : faults) {
      pending.put(pending.size(), fault);
    }
  }

  /** What a process of a rank on a node is to wait for, ascending by id. */
  List<Fault> of(int rank, int node) {
    List<Fault> mine = new ArrayList<>();
    pending.forEach(
        (id, fault) -> {
          if (fault.number() == (fault.node() || fault.daemon() ? node : rank)) {
            mine.add(new Fault(id, fault.point(), fault.iteration()));
          }
        });
    return List.copyOf(mine);
  }

  /** A process has come to the place of a failure; null if another one came first. */
  @Nullable FaultSpec take(int id) {
    return pending.remove(id);
  }
}
