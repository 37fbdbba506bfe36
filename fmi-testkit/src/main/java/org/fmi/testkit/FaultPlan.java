package org.fmi.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;

/**
 * The failures to inject in one simulation, one after the other. Each waits for its gap after the
 * one before, counted in virtual time and then in primitives executed by all ranks, so that a short
 * gap makes a failure during the recovery from the one before.
 */
public record FaultPlan(List<Step> steps) {
  /** What can fail. */
  public enum Kind {
    /** SIGKILL of a rank's process. */
    KILL_RANK(true),
    /** SIGKILL of a rank's process, which takes its time to die: it is silent at first. */
    SLOW_DEATH(true),
    /** A node dies; connections to it break at once. */
    CRASH_NODE(false),
    /** A node loses power: nobody is notified, it is just silent. */
    POWER_OFF(false),
    /** SIGSTOP of a rank's process, and SIGCONT later. */
    FREEZE(true),
    /** A node hears nothing and nobody hears it, forever; its daemon kills its ranks in the end. */
    ISOLATE_NODE(false),
    /** Two nodes cannot hear each other for a while. */
    PARTITION(false),
    /** A node is not heard by another one for a while, and hears it. */
    ONE_WAY(false),
    /** A node's daemon and fmirun cannot hear each other for a while. */
    CUT_FROM_JOB(false),
    /** fmirun cannot hear a node's daemon for a while, which hears it. */
    UNHEARD_BY_JOB(false),
    /** A node's daemon cannot hear fmirun for a while, which hears it. */
    DEAF_TO_JOB(false),
    /** A node's daemon stands still for a while. */
    PAUSE_DAEMON(false),
    /** fmirun stands still for a while. */
    PAUSE_FMIRUN(false),
    /** The next process that is to be started on a node cannot be. */
    START_FAILS(false),
    /** The next process that is started on a node takes longer to come up, or never does. */
    START_HANGS(false),
    /** The next process of a node that is given a rank lives, and takes longer to join. */
    JOIN_HANGS(false),
    /** The data connection between two ranks breaks, both of which live. */
    BREAK_CONNECTION(true),
    /** A rank takes another one for dead that lives. */
    FALSE_SUSPICION(true),
    /** Somebody without the job's secret asks a rank for connections. */
    STRANGER(true),
    /** A bit of a node's memory flips. */
    CORRUPT_MEMORY(false),
    /** Something else takes all free memory of a node for a while. */
    FILL_MEMORY(false),
    /** The next use that a rank's process makes of the node's memory fails. */
    MEMORY_ERROR(true);

    private final boolean ofRank;

    Kind(boolean ofRank) {
      this.ofRank = ofRank;
    }

    /** Whether its victim is a rank, and not a node. */
    public boolean isOfRank() {
      return ofRank;
    }
  }

  /** The rank, or node, that happens to run when the failure is due. */
  public static final int RUNNING = -1;

  /**
   * One failure.
   *
   * @param kind what fails
   * @param victim the number of the rank or node, or {@link #RUNNING}, which is also taken if the
   *     victim is not there
   * @param other the other node of a partition, the other rank of a connection, the rank that
   *     suspects the victim; else unused
   * @param gapNanos virtual time since the failure before
   * @param gapPrimitives primitives to execute after that time
   * @param nanos how long what passes lasts; after which time a lost node can be started again,
   *     {@link Long#MAX_VALUE} for never
   */
  public record Step(
      Kind kind, int victim, int other, long gapNanos, long gapPrimitives, long nanos) {
    Step withVictim(int number) {
      return new Step(kind, number, other, gapNanos, gapPrimitives, nanos);
    }
  }

  public FaultPlan {
    steps = List.copyOf(steps);
  }

  /** No failures. */
  public static FaultPlan none() {
    return new FaultPlan(List.of());
  }

  /** These failures. */
  public static FaultPlan of(Step... steps) {
    return new FaultPlan(List.of(steps));
  }

  /**
   * A plan drawn by chance. Gaps are spread evenly over orders of magnitude; half of the victims
   * die in the middle of what they are doing.
   *
   * @param failures how many
   * @param kinds which kinds to choose from
   * @param mostPrimitives the longest gap; about the number of primitives of the whole job
   * @param nanos see {@link Step#nanos}, drawn for each failure
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
