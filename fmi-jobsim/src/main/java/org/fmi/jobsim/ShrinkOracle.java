package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;
import org.jspecify.annotations.Nullable;

/**
 * Observer of a job that continues without lost ranks.
 *
 * <ul>
 *   <li>Deaths are one sequence, each process hears a prefix of it, and no epoch begins any more.
 *   <li>An agreement has one outcome, and a process that gets it has heard of the deaths that it
 *       leaves out.
 *   <li>A healthy process is not killed, unless another one accuses it for a broken connection, or
 *       a rank has died while the ranks connected: then some give up, and look dead to others.
 *   <li>The job ends in time, with status 0 while a rank lives. {@link ShrinkWorkload} checks what
 *       its calls return: it throws only if that is wrong.
 * </ul>
 */
final class ShrinkOracle implements Judge {
  /** The longest time from the end of the last fault to the end of the job. */
  private static final long CALM_NANOS = 120_000_000_000L;

  /** The time after the job and the faults by which all its processes are gone. */
  private static final long CLEAR_NANOS = 5_000_000_000L;

  private record Call(int communicator, int number) {}

  private final Shape shape;
  private final SimCluster cluster;
  private final FalseVerdicts falseVerdicts;
  private final Reached reached = new Reached();
  private final Set<Exclusion> crossed = EnumSet.noneOf(Exclusion.class);
  private final Set<Exclusion> needed = EnumSet.noneOf(Exclusion.class);

  /** The dead, in order. */
  private final List<Integer> deaths = new ArrayList<>();

  /** The number of deaths that each process has heard of. */
  private final Map<SimProcess, Integer> told = new HashMap<>();

  /** The outcome of each agreement. */
  private final Map<Call, JobMessage.Agreed> agreed = new HashMap<>();

  /** Whether Start was sent. */
  private boolean begun;

  /** The number of the dead, with those that have died after all others were done. */
  private int lost;

  /** Whether all ranks run. */
  private boolean running;

  /** Whether a rank has died after Start and before all ran. */
  private boolean diedConnecting;

  private long calmFrom;

  /** The time at which no process of the job may exist any more. */
  private long clearBy = Long.MAX_VALUE;

  ShrinkOracle(Shape shape, SimCluster cluster) {
    this.shape = shape;
    this.cluster = cluster;
    this.falseVerdicts = new FalseVerdicts(cluster);
  }

  private long now() {
    return cluster.simulation().nanoTime();
  }

  private boolean ended() {
    return clearBy < Long.MAX_VALUE;
  }

  @Override
  public void check() {
    if (now() > calmFrom + CALM_NANOS) {
      throw new AssertionError(
          "not finished " + CALM_NANOS / 1_000_000_000 + " s after the last fault had passed");
    }
    if (now() > clearBy) {
      throw new AssertionError("the job has ended, and is still on nodes " + cluster.up());
    }
  }

  // ---- faults

  @Override
  public void onFault(FaultPlan.Step step) {
    reached.onFault(step.kind());
    long now = now();
    if (step.nanos() < Long.MAX_VALUE / 2) {
      calmFrom = Math.max(calmFrom, now + step.nanos());
    }
    // What is cut or frozen may be found dead, and the grace may pass before.
    falseVerdicts.disturbed(now + Math.min(step.nanos(), CALM_NANOS) + Exclusion.GRACE_NANOS);
  }

  @Override
  public void onAccused() {
    crossed.add(Exclusion.ACCUSED);
  }

  @Override
  public void onStartHangs(long nanos) {
    falseVerdicts.disturbed(now() + Math.min(nanos, CALM_NANOS));
  }

  @Override
  public void onStranger(SimProcess process, @Nullable String got) {
    if (got != null) {
      throw new AssertionError("a stranger got " + got + " from " + process);
    }
  }

  // ---- what the job does

  @Override
  public void onDecision() {
    falseVerdicts.onDecision();
  }

  @Override
  public void onSpawn(int rank, int node, int[] group) {
    if (begun) {
      throw new AssertionError("rank " + rank + " is replaced");
    }
  }

  @Override
  public void onKill(int rank, int incarnation) {
    String what = falseVerdicts.onKill(rank, incarnation, now());
    if (what != null && !ended() && !diedConnecting) {
      if (!crossed.contains(Exclusion.ACCUSED)) {
        throw new AssertionError("false verdict: " + what);
      }
      needed.add(Exclusion.ACCUSED);
    }
  }

  @Override
  public void onGivenUp(int node, String reason) {}

  @Override
  public void onNodeAdded() {}

  @Override
  public void onNotice(Notice notice) {
    falseVerdicts.onNotice(notice);
    reached.onNotice(notice);
    running |= notice instanceof Notice.AllRunning;
    lost += notice instanceof Notice.Died ? 1 : 0;
  }

  @Override
  public void onRecovering() {
    if (begun) {
      throw new AssertionError("S1: an epoch begins");
    }
  }

  @Override
  public void onSentToAll(JobMessage message) {
    reached.onSentToAll(message);
    begun |= message instanceof JobMessage.Start;
    if (message instanceof JobMessage.Dead m) {
      if (m.seq() != deaths.size() + 1 || deaths.contains(m.rank())) {
        throw new AssertionError("S1: " + m + " after the deaths of " + deaths);
      }
      deaths.add(m.rank());
      diedConnecting |= !running;
    }
  }

  @Override
  public void onReceived(SimProcess process, JobMessage message) {
    int known = told.getOrDefault(process, 0);
    if (message instanceof JobMessage.Dead m) {
      if (m.seq() != known + 1 || deaths.get(known) != m.rank()) {
        throw new AssertionError(
            "S1: " + process + " hears of " + m + " after " + deaths.subList(0, known));
      }
      told.put(process, known + 1);
    } else if (message instanceof JobMessage.Agreed m) {
      JobMessage.Agreed other = agreed.putIfAbsent(new Call(m.communicator(), m.call()), m);
      if (other != null && !other.equals(m)) {
        throw new AssertionError("S3: " + process + " gets " + m + ", another one " + other);
      }
      if (known < m.seq()) {
        throw new AssertionError("S3: " + process + " gets " + m + " after " + known + " deaths");
      }
    }
  }

  // ---- the end

  @Override
  public void onEnd() {
    clearBy = Math.max(calmFrom, now()) + CLEAR_NANOS;
  }

  @Override
  public Verdict judge(Outcome outcome, long answer) {
    for (SimCluster.Exit exit : cluster.exits()) {
      Throwable cause = exit.cause();
      if (cause != null) {
        return new Verdict(false, "rank " + exit.rank() + " failed by itself: " + cause);
      }
    }
    if (outcome.status() == 0) {
      return new Verdict(true, lost == 0 ? "finished" : "finished without " + lost + " ranks");
    }
    if (!begun) {
      return new Verdict(true, "not begun");
    }
    if (outcome.cause() == EndCause.ALL_LOST && lost == shape.size()) {
      return new Verdict(true, "all ranks lost");
    }
    return new Verdict(
        false,
        "status %d (%s) after the deaths of %s"
            .formatted(outcome.status(), outcome.message(), deaths));
  }

  @Override
  public Set<Exclusion> needed() {
    return needed;
  }

  @Override
  public long longestOutage() {
    return 0;
  }

  @Override
  public Reached reached() {
    return reached;
  }
}
