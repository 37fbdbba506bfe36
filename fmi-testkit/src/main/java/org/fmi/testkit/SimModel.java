package org.fmi.testkit;

import java.util.SplittableRandom;

/**
 * The speed and irregularity of a simulated world.
 *
 * @param network the delay of a frame, or of the news of a broken connection
 * @param control the delay of a message between a rank, its daemon and the job
 * @param processStart from the command to start a process to its main
 * @param nodeStart from the command to start a node to the report that it is up
 * @param wakeup from a signal to the moment when the waiting thread runs
 * @param pause the time for which a thread loses its core
 * @param pauseOneIn a thread loses its core at one in this many primitives
 * @param refuseOneIn a transport refuses one in this many frames though it has room
 * @param capacity frames in flight from one rank to another
 * @param maxPayload as {@link org.fmi.spi.Transport#maxPayload}
 * @param eagerLimit as {@link org.fmi.spi.Transport#eagerLimit}
 * @param remoteMemory whether ranks read each other's memory
 * @param near whether the ranks of a node have a faster transport, with shared memory
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
   * A range of delays, most of them near the lower end.
   *
   * @param min the shortest, in nanoseconds
   * @param max the longest, in nanoseconds
   */
  public record Delay(long min, long max) {
    long draw(SplittableRandom random) {
      return min + (random.nextLong(max - min + 1) >> random.nextInt(8));
    }
  }

  /** A fast and quiet world. */
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

  /** Draws a world at random, from quiet and roomy to wild and narrow. */
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

  /** The same world, with remote memory and with a transport inside nodes. */
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
