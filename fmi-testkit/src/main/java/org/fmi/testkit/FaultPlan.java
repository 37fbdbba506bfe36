package org.fmi.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;

/**
 * The failures to inject in one simulation, one after the other. Each waits for its gap after the
 * previous one, first in virtual time and then in primitives executed by all ranks. A short gap
 * makes a failure during the recovery from the previous one.
 */
public record FaultPlan(List<Step> steps) {
  /** A kind of failure. */
  public enum Kind {
    /** SIGKILL of a rank's process. */
    KILL_RANK(true),
    /** SIGKILL of a rank's process, which dies slowly: at first it is only silent. */
    SLOW_DEATH(true),
    /** A node dies; connections to it break at once. */
    CRASH_NODE(false),
    /** SIGKILL of a node's daemon; its ranks end with it, and the node's memory stays. */
    KILL_DAEMON(false),
    /** A node loses power: no peer is notified, the node is just silent. */
    POWER_OFF(false),
    /** SIGSTOP of a rank's process, followed by SIGCONT. */
    FREEZE(true),
    /** A node is cut off in both directions, forever; in the end its daemon kills its ranks. */
    ISOLATE_NODE(false),
    /** No data passes between two nodes for a while. */
    PARTITION(false),
    /** No data passes from one node to another for a while; the other direction works. */
    ONE_WAY(false),
    /**
     * The nodes from the victim to the other are cut off from the rest for a while, as by a switch
     * of their rack; the links heal one after the other.
     */
    CUT_RACK(false),
    /** No data passes between any two nodes, or between them and fmirun, for a while. */
    SWITCH_OUT(false),
    /** No data passes between a node's daemon and fmirun for a while. */
    CUT_FROM_JOB(false),
    /** No data passes from a node's daemon to fmirun for a while; the other direction works. */
    UNHEARD_BY_JOB(false),
    /** No data passes from fmirun to a node's daemon for a while; the other direction works. */
    DEAF_TO_JOB(false),
    /** The connection between a node's daemon and fmirun is reset; both live. */
    BREAK_CONTROL(false),
    /** A node's daemon pauses for a while. */
    PAUSE_DAEMON(false),
    /** fmirun pauses for a while. */
    PAUSE_FMIRUN(false),
    /** The owner of a node wants it back for a while: its ranks should leave it. */
    DRAIN(false),
    /** A user adds a node to the job. */
    ADD_NODE(false),
    /** No process can be started on a node for a while. */
    START_FAILS(false),
    /** The next start of a process on a node takes longer, or never completes. */
    START_HANGS(false),
    /** The next process of a node that is given a rank lives, but joins late or never. */
    JOIN_HANGS(false),
    /** The data connection between two living ranks breaks. */
    BREAK_CONNECTION(true),
    /** A rank suspects a living rank. */
    FALSE_SUSPICION(true),
    /** A stranger without the job's secret asks a rank for connections. */
    STRANGER(true),
    /** A bit of a node's memory flips. */
    CORRUPT_MEMORY(false),
    /** Another program takes all free memory of a node for a while. */
    FILL_MEMORY(false),
    /** The next access of a rank's process to the node's memory fails. */
    MEMORY_ERROR(true);

    private final boolean ofRank;

    Kind(boolean ofRank) {
      this.ofRank = ofRank;
    }

    /** Whether its victim is a rank rather than a node. */
    public boolean isOfRank() {
      return ofRank;
    }
  }

  /** Stands for the rank or node that is running when the failure is due. */
  public static final int RUNNING = -1;

  /**
   * A failure.
   *
   * @param kind the kind of failure
   * @param victim the number of the rank or node, or {@link #RUNNING}, which also replaces a victim
   *     that is not up
   * @param other the other node of a partition, the other rank of a connection, or the rank that
   *     suspects the victim; else unused
   * @param gapNanos virtual time since the previous failure
   * @param gapPrimitives primitives to execute after that time
   * @param nanos the duration of a passing failure; for a lost node, the time until it can be
   *     started again, {@link Long#MAX_VALUE} for never
   */
  public record Step(
      Kind kind, int victim, int other, long gapNanos, long gapPrimitives, long nanos) {
    Step withKind(Kind another) {
      return new Step(another, victim, other, gapNanos, gapPrimitives, nanos);
    }

    Step withVictim(int number) {
      return new Step(kind, number, other, gapNanos, gapPrimitives, nanos);
    }
  }

  public FaultPlan {
    steps = List.copyOf(steps);
  }

  /** A plan without failures. */
  public static FaultPlan none() {
    return new FaultPlan(List.of());
  }

  /** A plan with the given failures. */
  public static FaultPlan of(Step... steps) {
    return new FaultPlan(List.of(steps));
  }

  /** The same plan with another kind of failure instead of one. */
  public FaultPlan with(Kind before, Kind after) {
    return new FaultPlan(
        steps.stream().map(step -> step.kind == before ? step.withKind(after) : step).toList());
  }

  /**
   * Draws a plan at random. Gaps are spread evenly over orders of magnitude; half of the victims
   * fail while they are running.
   *
   * @param failures number of failures
   * @param kinds the kinds to choose from
   * @param mostPrimitives the longest gap; about the number of primitives of the whole job
   * @param nanos draws {@link Step#nanos} for each failure
   */
  public static FaultPlan random(
      SplittableRandom random,
      int failures,
      List<Kind> kinds,
      int ranks,
      int nodes,
      long mostPrimitives,
      ToLongFunction<Kind> nanos) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < failures; i++) {
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      int among = kind.isOfRank() ? ranks : nodes;
      int victim = random.nextBoolean() ? RUNNING : random.nextInt(among);
      long gap = (long) Math.exp(random.nextDouble() * Math.log((double) mostPrimitives));
      steps.add(new Step(kind, victim, random.nextInt(among), 0, gap, nanos.applyAsLong(kind)));
    }
    return new FaultPlan(steps);
  }
}
