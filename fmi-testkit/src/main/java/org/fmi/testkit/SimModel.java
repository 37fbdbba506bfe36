package org.fmi.testkit;

import java.util.SplittableRandom;

/**
 * How fast and how unruly a simulated world is.
 *
 * @param network how long a frame, or the news of a broken connection, travels
 * @param control how long a message between a rank, its daemon and the job travels
 * @param processStart from the command to start a process to its main
 * @param nodeStart from the command to start a node to the report that it is up
 * @param wakeup from a signal to the moment when the waiting thread runs
 * @param pause how long a thread loses its core
 * @param pauseOneIn a thread loses its core at one primitive in this many
 * @param refuseOneIn a transport refuses one frame in this many though it has room
 * @param capacity frames under way and not received from one rank to another
 * @param maxPayload as {@link org.fmi.spi.Transport#maxPayload}
 * @param eagerLimit as {@link org.fmi.spi.Transport#eagerLimit}
 * @param remoteMemory whether ranks read each other's memory
 * @param near whether ranks of a node have a faster transport, with memory that they share
 */
public record SimModel(
    Delay network,
    Delay control,
    Delay processStart,
    Delay nodeStart,
    Delay wakeup,
    Delay pause,
    int pauseOneIn,
    int refuseOneIn,
    int capacity,
    int maxPayload,
    int eagerLimit,
    boolean remoteMemory,
    boolean near) {

  /**
   * A range of delays, most near the lower end.
   *
   * @param min the shortest, in nanoseconds
   * @param max the longest, in nanoseconds
   */
  public record Delay(long min, long max) {
    long draw(SplittableRandom random) {
      return min + (random.nextLong(max - min + 1) >> random.nextInt(8));
    }
  }

  /** A quick and quiet world. */
  public static SimModel calm() {
    return new SimModel(
        new Delay(1_000, 10_000),
        new Delay(5_000, 50_000),
        new Delay(100_000, 1_000_000),
        new Delay(1_000_000, 10_000_000),
        new Delay(500, 2_000),
        new Delay(1_000, 100_000),
        1_000,
        100,
        16,
        1024,
        512,
        false,
        false);
  }

  /** A world drawn by chance, from calm and roomy to wild and narrow. */
  public static SimModel random(SplittableRandom random) {
    int maxPayload = 64 << random.nextInt(5);
    return new SimModel(
        new Delay(1_000, 10_000L << random.nextInt(8)),
        new Delay(5_000, 50_000L << random.nextInt(8)),
        new Delay(100_000, 1_000_000L << random.nextInt(6)),
        new Delay(1_000_000, 10_000_000L << random.nextInt(6)),
        new Delay(500, 2_000L << random.nextInt(6)),
        new Delay(1_000, 100_000L << random.nextInt(8)),
        16 << random.nextInt(6),
        4 << random.nextInt(6),
        1 + random.nextInt(16),
        maxPayload,
        1 + random.nextInt(maxPayload),
        random.nextBoolean(),
        random.nextInt(4) > 0);
  }

  /** The same world, where ranks read each other's memory, and have a transport within a node. */
  public SimModel withEverything() {
    return new SimModel(
        network,
        control,
        processStart,
        nodeStart,
        wakeup,
        pause,
        pauseOneIn,
        refuseOneIn,
        capacity,
        maxPayload,
        eagerLimit,
        true,
        true);
  }
}
