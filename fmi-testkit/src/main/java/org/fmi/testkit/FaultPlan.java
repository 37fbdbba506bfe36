package org.fmi.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The failures to inject in one simulation, one after the other. Each waits for its gap after the
 * one before, counted in virtual time and then in primitives executed by all ranks, so that a short
 * gap makes a failure during the recovery from the one before.
 */
public record FaultPlan(List<Step> steps) {
  /** What can fail. */
  public enum Kind {
    /** SIGKILL of a rank's process. */
    KILL_RANK,
    /** A node dies; connections to it break at once. */
    CRASH_NODE,
    /** A node loses power: nobody is told, it is just silent. */
    POWER_OFF,
    /** SIGSTOP of a rank's process, and SIGCONT later. */
    FREEZE,
    /**
     * A node hears nothing and nobody hears it, for ever; its daemon kills its ranks in the end.
     */
    ISOLATE_NODE,
    /** Two nodes cannot hear each other for a while. */
    PARTITION,
    /** The data connection between two ranks breaks, both of which live. */
    BREAK_CONNECTION,
    /** A rank takes another one for dead that lives. */
    FALSE_SUSPICION,
    /** A bit of a node's memory flips. */
    CORRUPT_MEMORY
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
   * @param nanos how long a freeze or a partition lasts; after which time a lost node can be
   *     started again, {@link Long#MAX_VALUE} for never
   */
  public record Step(
      Kind kind, int victim, int other, long gapNanos, long gapPrimitives, long nanos) {}

  public FaultPlan {
    steps = List.copyOf(steps);
  }

  /** No failures. */
  public static FaultPlan none() {
    return new FaultPlan(List.of());
  }

  /**
   * A plan drawn by chance. Gaps are spread evenly over orders of magnitude; half of the victims
   * die in the middle of what they are doing.
   *
   * @param failures how many
   * @param kinds which kinds to choose from
   * @param mostPrimitives the longest gap; about the number of primitives of the whole job
   * @param nanos see {@link Step#nanos}
   */
  public static FaultPlan random(
      SplittableRandom random,
      int failures,
      List<Kind> kinds,
      int ranks,
      int nodes,
      long mostPrimitives,
      long nanos) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < failures; i++) {
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      int among =
          switch (kind) {
            case KILL_RANK, FREEZE, BREAK_CONNECTION, FALSE_SUSPICION -> ranks;
            case CRASH_NODE, POWER_OFF, ISOLATE_NODE, PARTITION, CORRUPT_MEMORY -> nodes;
          };
      int victim = random.nextBoolean() ? RUNNING : random.nextInt(among);
      long gap = (long) Math.exp(random.nextDouble() * Math.log((double) mostPrimitives));
      steps.add(new Step(kind, victim, random.nextInt(among), 0, gap, nanos));
    }
    return new FaultPlan(steps);
  }
}
