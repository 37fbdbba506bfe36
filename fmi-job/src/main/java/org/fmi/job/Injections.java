package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.control.Notice;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.Fault;
import org.fmi.spi.FaultPoint;
import org.jspecify.annotations.Nullable;

/** Failures still to be injected, each of which happens once. */
final class Injections {
  private final Map<Integer, FaultSpec> pending = new TreeMap<>();

  /**
   * The iterations of the longest loop that has ended, or of the current one so far; -1 without a
   * loop.
   */
  private long most = -1;

  Injections(List<FaultSpec> faults) {
    for (FaultSpec fault : faults) {
      pending.put(pending.size(), fault);
    }
  }

  /** Returns the failures that a process of a rank on a node must wait for, ascending by id. */
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

  /** Notes a checkpoint at an iteration; at the end of a loop, at its number of iterations. */
  void checkpointAt(long iteration) {
    most = Math.max(most, iteration);
  }

  /** Returns the failures that have not taken place. */
  List<FaultSpec> pending() {
    return List.copyOf(pending.values());
  }

  /**
   * Returns the failures that did not take place, with reasons if known, when the job has ended.
   */
  List<Notice> missed() {
    List<Notice> missed = new ArrayList<>();
    for (FaultSpec fault : pending.values()) {
      missed.add(new Notice.KillMissed(fault.kill(), reason(fault)));
    }
    return missed;
  }

  private String reason(FaultSpec fault) {
    boolean ofRank = !fault.node() && !fault.daemon();
    String here = ofRank ? "" : ", or no rank of node" + fault.number() + " did";
    if (!fault.point().isNumbered()) {
      return "no rank reached that place" + here;
    }
    if (fault.point() == FaultPoint.TASK) {
      return "no rank began that task" + here;
    }
    if (fault.point() == FaultPoint.AGREE) {
      return "no asynchronous checkpoint was taken at that iteration, and no agreement had that"
          + " number"
          + here;
    }
    if (most < 0) {
      return "the program has no loop";
    }
    if (fault.iteration() >= most) {
      return "the longest loop had " + most + " iterations, counted from 0";
    }
    return switch (fault.point()) {
      case CHECKPOINT, ENCODE, COMMIT, COMMITTED ->
          "no checkpoint was taken at that iteration" + here;
      case BEGUN, COLLECT, COLLECTED ->
          "no asynchronous checkpoint was taken at that iteration" + here;
      case REBUILD -> "no recovery had to rebuild a checkpoint of that iteration" + here;
      case RESTORED -> "no recovery rolled back to that iteration" + here;
      default -> "no rank reached that iteration" + here;
    };
  }

  /**
   * Takes a failure whose place a process of a rank on a node has reached.
   *
   * @return the command that injects it; null if another process was first: this process dies with
   *     it
   */
  @Nullable JobCommand strike(int id, int node, int rank, int incarnation) {
    FaultSpec fault = pending.remove(id);
    if (fault == null) {
      return null;
    }
    if (fault.daemon()) {
      return new JobCommand.KillDaemon(node);
    }
    return fault.node()
        ? new JobCommand.KillNode(node, JobCommand.KillNode.INJECTED)
        : new JobCommand.ToNode(node, new ToDaemon.KillRank(rank, incarnation));
  }
}
