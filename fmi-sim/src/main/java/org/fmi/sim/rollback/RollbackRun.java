package org.fmi.sim.rollback;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.SplittableRandom;
import org.fmi.rules.FlowPlan;
import org.fmi.sim.failures.NodeFailures;

/**
 * Runs a stencil with failures by chance. A host computes an iteration as soon as its own last one
 * is done and those of its neighbours have come; so hosts run apart, by one iteration per neighbour
 * between them.
 *
 * <p>Between two failures all tasks are done that end before the second one, iteration by
 * iteration.
 */
public final class RollbackRun {
  /** A run that takes so many times what it would without failures does not come to an end. */
  private static final double HOPELESS = 100;

  private final Stencil stencil;
  private final Strategy strategy;
  private final NodeFailures failures;
  private final SplittableRandom random;
  private final int[][] neighbours;

  /** How many iterations a host has done. */
  private final int[] done;

  /** When it had done the last of them, and the one before. */
  private final double[] last;

  private final double[] before;

  /** A host that goes back alone: when it began, and when it is where it was. */
  private final double[] wentBack;

  private final double[] caughtUp;

  /** Until when all wait for those that compute again. */
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
    this.wentBack = new double[hosts];
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
        // Who is beyond this iteration already may let others go on.
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

  /** When all have met before an iteration; 0 if they do not, and never if some are missing. */
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

  /** When a host had done so many iterations: as many as it has done, or one less. */
  private double finished(int host, int iterations) {
    assert done[host] - iterations <= 1 : "too far ahead";
    return done[host] == iterations ? last[host] : before[host];
  }

  /** When a host can begin an iteration; never if what it needs has not been computed. */
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
      allGoBack(time, files == 0 ? 0 : checkpoint / files * files);
    } else if (strategy == Strategy.GLOBAL) {
      allGoBack(time, least() / stencil.interval() * stencil.interval());
    } else if (strategy == Strategy.LOCAL) {
      goBack(time, failures.lost());
    } else {
      follow(time, failures.lost());
    }
    // Detection and replacement take the time of a restart; groups are whole behind it.
    failures.healed();
  }

  private void allGoBack(double time, int checkpoint) {
    for (int host = 0; host < done.length; host++) {
      leaveReplay(host, time);
      again += done[host] - checkpoint;
      done[host] = checkpoint;
      last[host] = time + stencil.restart();
      before[host] = last[host];
      caughtUp[host] = 0;
    }
  }

  /**
   * They repeat what they have done since their checkpoints; what others sent comes out of logs.
   */
  private void goBack(double time, Collection<Integer> lost) {
    for (int host : lost) {
      leaveReplay(host, time);
      int repeated = done[host] % stencil.interval();
      again += repeated;
      wentBack[host] = time + stencil.restart();
      caughtUp[host] = wentBack[host] + repeated * (stencil.step() + stencil.halo());
    }
  }

  /** They come from their checkpoint to where the furthest of them was, and the others wait. */
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

  /** What a host that goes back already will not repeat now was counted too early. */
  private void leaveReplay(int host, double time) {
    if (caughtUp[host] > time) {
      int all = done[host] % stencil.interval();
      double each = stencil.step() + stencil.halo();
      int repeated = (int) Math.max(0, (time - wentBack[host]) / each);
      again -= all - Math.min(all, repeated);
    }
  }
}
