package org.fmi.core.rollback;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.fmi.Comm;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.loop.FlowStates;
import org.fmi.core.loop.Loop;
import org.fmi.rules.FlowPlan;
import org.fmi.rules.FlowScope;
import org.fmi.rules.FlowScope.Progress;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Recomputes the state of ranks that a failure has taken out of a {@code flowLoop}. All other ranks
 * keep their state; only ranks whose data is needed help, on copies ({@code --rollback flow}).
 */
public final class FlowRollback {
  private final RankConfig config;
  private final Comm system;
  private final JobLink link;
  private final FaultInjector faults;

  public FlowRollback(RankConfig config, Comm system, JobLink link, FaultInjector faults) {
    this.config = config;
    this.system = system;
    this.link = link;
    this.faults = faults;
  }

  /**
   * A rank's part in the recomputation.
   *
   * @param line the checkpoint that it begins from
   * @param front the iteration whose state all ranks continue with
   * @param lost whether this rank was lost
   * @param states the states to compute on; null if this rank takes no part
   */
  public record Part(
      FlowPlan plan, CheckpointId line, long front, boolean lost, @Nullable FlowStates<?> states) {}

  /**
   * Agrees on the recomputation with all ranks, which are in this loop; collective.
   *
   * @return null if all ranks roll back
   */
  public @Nullable Part find(Loop loop, CheckpointId line, int epoch) {
    if (!(config.job().policy() instanceof RecoveryPolicy.Flow policy) || line.last()) {
      return null;
    }
    FlowStates<?> states = loop.flow;
    if (states == null) {
      return policy.log() == null ? reportGlobal(loop, epoch, noFlow()) : null;
    }
    FlowScope scope =
        FlowScope.of(states.inputs(), line.iteration(), gather(states.progress()), policy.limit());
    return switch (scope) {
      case FlowScope.All all -> reportGlobal(loop, epoch, all.why());
      case FlowScope.Some some -> begin(loop, line, states, some, epoch);
    };
  }

  private Part begin(
      Loop loop, CheckpointId line, FlowStates<?> states, FlowScope.Some scope, int epoch) {
    FlowPlan plan = scope.plan();
    BitSet lost = scope.lost();
    if (config.rank() == 0) {
      BitSet helpers = plan.loading();
      helpers.andNot(lost);
      link.report(
          new Notice.FlowBegun(
              epoch,
              loop.number,
              line.iteration(),
              scope.front(),
              list(lost),
              list(helpers),
              plan.computed(),
              list(plan.computedBy())));
    }
    boolean own = lost.get(config.rank());
    boolean helps = plan.loading().get(config.rank());
    return new Part(plan, line, scope.front(), own, own ? states : helps ? states.copies() : null);
  }

  /**
   * The reason why all ranks roll back in another kind of loop, although the user asked for flow,
   * alone or as one of several ways.
   */
  private String noFlow() {
    String noLoop = "it is not a flowLoop";
    return config.ranksOnNode() == 1 ? noLoop : noLoop + ", and the ranks of a node share memory";
  }

  /** Reports, from rank 0, that all ranks roll back. */
  private @Nullable Part reportGlobal(Loop loop, int epoch, String why) {
    if (config.rank() == 0) {
      link.report(new Notice.FlowImpossible(epoch, loop.number, why));
    }
    return null;
  }

  private List<Progress> gather(Progress mine) {
    long[] all = new long[2 * config.size()];
    system.allGather(new long[] {mine.newest(), mine.both() ? 1 : 0}, all);
    List<Progress> progress = new ArrayList<>();
    for (int rank = 0; rank < config.size(); rank++) {
      progress.add(new Progress(all[2 * rank], all[2 * rank + 1] > 0));
    }
    return progress;
  }

  private static String list(Map<Integer, Long> iterations) {
    return iterations.entrySet().stream()
        .map(of -> of.getKey() + ": " + of.getValue())
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String list(BitSet ranks) {
    return ranks.stream().boxed().toList().toString();
  }

  /** Computes this rank's part; returns when all ranks are done. Collective. */
  public void compute(Loop loop, Part part) {
    FlowStates<?> own = Objects.requireNonNull(loop.flow);
    for (long iteration = part.line.iteration();
        iteration < part.front && part.plan.takesPart(config.rank(), iteration);
        iteration++) {
      faults.at(FaultPoint.RECOMPUTE, iteration);
      try {
        Objects.requireNonNull(part.states).recompute(part.plan, iteration);
      } catch (Exception e) {
        throw loop.failed(e);
      }
      if (part.lost && iteration < part.front - 1) {
        loop.counted();
      }
    }
    link.idle(!part.lost); // helpers have nothing left to do
    try {
      system.barrier(); // messages from now on belong to the program again
    } finally {
      link.idle(false);
    }
    if (part.lost) {
      own.restored(part.front);
    }
    loop.continueWith(part.line, part.front, own);
  }
}
