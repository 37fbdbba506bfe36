package org.fmi.sim.rollback;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.SplittableRandom;
import org.fmi.rules.FlowPlan;
import org.fmi.sim.failures.NodeFailures;

/**
 * Runs a stencil with random failures. A host computes an iteration as soon as it has finished the
 * last one and received its neighbours' results; so two hosts may be apart by one iteration per
 * neighbour between them.
 *
 * <p>Between two failures all tasks are done that end before the second one, iteration by
 * iteration.
 */
public final class RollbackRun {
  /** Multiple of the time without failures after which a run counts as one that never ends. */
  private static final double HOPELESS = 100;

  private final Stencil stencil;
  private final Strategy strategy;
  private final NodeFailures failures;
  private final SplittableRandom random;
  private final int[][] neighbours;

  /** Iterations that each host has completed. */
  private final int[] done;

  /** The time at which each host completed its last iteration, and the one before. */
  private final double[] last;

  private final double[] before;

  /** The time at which a host that rolls back alone began, and at which it has caught up. */
  private final double[] rolledBack;

  private final double[] caughtUp;

  /** The time until which all hosts wait for the hosts that compute again. */
  private double resumed;

  private int struck;
  private int beyondGroups;
  private long again;

  private RollbackRun(Stencil stencil, Strategy strategy, NodeFailures failures, long seed) {
    int hosts = stencil.hosts();
    this.stencil = stencil;
    this.strategy = strategy;
    this.failures = failures;
    this.random = new SplittableRandom(seed);
    this.neighbours = new int[hosts][];
    Arrays.setAll(neighbours, stencil::neighbours);
    this.done = new int[hosts];
    this.last = new double[hosts];
    this.before = new double[hosts];
    this.rolledBack = new double[hosts];
    this.caughtUp = new double[hosts];
  }

  /** Runs it; of one seed, all strategies have the same failures. */
  public static RollbackResult of(
      Stencil stencil, Strategy strategy, NodeFailures failures, long seed) {
    return new RollbackRun(stencil, strategy, failures, seed).run();
  }

  private RollbackResult run() {
    double hopeless = HOPELESS * stencil.iterations() * stencil.step();
    double failure = 0;
    while (failure < hopeless) {
      failure -= Math.log(1 - random.nextDouble()) / failures.rate();
      computeUntil(failure);
      if (least() == stencil.iterations()) {
        double end = Arrays.stream(last).max().orElse(0);
        return new RollbackResult(struck, beyondGroups, again, end);
      }
      strike(failure);
    }
    throw new IllegalArgumentException(
        "failures come so often that the job does not end: at %d hosts one per %.0f s"
            .formatted(stencil.hosts(), 1 / failures.rate()));
  }

  private int least() {
    return Arrays.stream(done).min().orElse(0);
  }

  // ---- computing

  private void computeUntil(double time) {
    boolean progress = true;
    for (int iteration = least(); progress && iteration < stencil.iterations(); iteration++) {
      progress = false;
      double meeting = meeting(iteration);
      for (int host = 0; host < done.length; host++) {
        // A host that is beyond this iteration may let other hosts continue.
        progress |= done[host] > iteration;
        if (done[host] == iteration) {
          double end = Math.max(meeting, ready(host, iteration)) + stencil.step();
          if (end <= time) {
            before[host] = last[host];
            last[host] = end;
            done[host]++;
            progress = true;
          }
        }
      }
    }
  }

  private boolean isCheckpoint(int iteration) {
    return iteration > 0 && iteration % stencil.interval() == 0;
  }

  /**
   * Returns the time of the meeting before an iteration; 0 for none, infinity if hosts are missing.
   */
  private double meeting(int iteration) {
    if (!stencil.synchronous() || !isCheckpoint(iteration)) {
      return 0;
    }
    double all = 0;
    for (int host = 0; host < done.length; host++) {
      if (done[host] < iteration) {
        return Double.POSITIVE_INFINITY;
      }
      all = Math.max(all, finished(host, iteration));
    }
    return all + stencil.checkpoint();
  }

  /** Returns the time at which a host had completed its newest iteration, or the one before. */
  private double finished(int host, int iterations) {
    assert done[host] - iterations <= 1 : "too far ahead";
    return done[host] == iterations ? last[host] : before[host];
  }

  /** Returns the time at which a host can begin an iteration; infinity if a result is missing. */
  private double ready(int host, int iteration) {
    double ready = Math.max(resumed, Math.max(last[host], caughtUp[host]));
    for (int neighbour : neighbours[host]) {
      if (done[neighbour] < iteration) {
        return Double.POSITIVE_INFINITY;
      }
      if (iteration > 0) {
        ready = Math.max(ready, finished(neighbour, iteration) + stencil.halo());
      }
    }
    return ready + (isCheckpoint(iteration) && !stencil.synchronous() ? stencil.checkpoint() : 0);
  }

  // ---- failures

  private void strike(double time) {
    struck++;
    boolean memory = failures.strike(random);
    if (!memory) {
      beyondGroups++;
      int checkpoint = least() / stencil.interval() * stencil.interval();
      int files = stencil.filesInterval();
      rollBackAll(time, files == 0 ? 0 : checkpoint / files * files);
    } else if (strategy == Strategy.GLOBAL) {
      rollBackAll(time, least() / stencil.interval() * stencil.interval());
    } else if (strategy == Strategy.LOCAL) {
      rollBack(time, failures.lost());
    } else {
      follow(time, failures.lost());
    }
    // Detection and replacement take the time of a restart; groups are whole after it.
    failures.healed();
  }

  private void rollBackAll(double time, int checkpoint) {
    for (int host = 0; host < done.length; host++) {
      leaveReplay(host, time);
      again += done[host] - checkpoint;
      done[host] = checkpoint;
      last[host] = time + stencil.restart();
      before[host] = last[host];
      caughtUp[host] = 0;
    }
  }

  /** Lets lost hosts repeat their iterations since the checkpoint, with messages out of logs. */
  private void rollBack(double time, Collection<Integer> lost) {
    for (int host : lost) {
      leaveReplay(host, time);
      int repeated = done[host] % stencil.interval();
      again += repeated;
      rolledBack[host] = time + stencil.restart();
      caughtUp[host] = rolledBack[host] + repeated * (stencil.step() + stencil.halo());
    }
  }

  /** Lets lost hosts compute up to the furthest of them, while the other hosts wait. */
  private void follow(double time, Collection<Integer> lost) {
    BitSet back = new BitSet();
    int front = 0;
    int line = Integer.MAX_VALUE;
    for (int host : lost) {
      back.set(host);
      front = Math.max(front, done[host]);
      line = Math.min(line, done[host] / stencil.interval() * stencil.interval());
    }
    int iterations = front - line;
    FlowPlan plan = FlowPlan.of((host, iteration) -> neighbours[host], line, front, back);
    again +=
        strategy == Strategy.FLOW
            ? plan.computed()
            : (long) iterations * plan.loading().cardinality();
    resumed = time + stencil.restart() + iterations * (stencil.step() + stencil.halo());
  }

  /** Subtracts the repeated iterations that a host, lost again while it repeats, does not reach. */
  private void leaveReplay(int host, double time) {
    if (caughtUp[host] > time) {
      int all = done[host] % stencil.interval();
      double each = stencil.step() + stencil.halo();
      int repeated = (int) Math.max(0, (time - rolledBack[host]) / each);
      again -= all - Math.min(all, repeated);
    }
  }
}
