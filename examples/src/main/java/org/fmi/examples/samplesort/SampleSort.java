package org.fmi.examples.samplesort;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.StateRef;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;

/**
 * Sorts keys that keep coming: in each round, every rank draws new ones, and all ranks sort them
 * together with those from before. What a rank has grows, and is another array after each round.
 */
public final class SampleSort {
  private static final String HELP =
      """
      samplesort - sorts keys that keep coming, by splitters from samples

      usage: fmirun -n N samplesort.jar [options]

        --rounds R   how often new keys are drawn and sorted with the others, default 50
        --keys K     keys that each rank draws in a round, default 5000
        --seed S     draws other keys, default 1
        --help       show this and end

      The last line is "result keys=K checksum=HEX check=ok recoveries=R": how many keys there are,
      a checksum of all of them in their order (equal for equal N, with or without failures),
      whether they are in order and just those that were drawn (check=FAILED and exit status 1 if
      not), and how often the job recovered from a failure.
      """;

  private static final int MOST_KEYS = 500_000_000; // of a rank: they stand in one array

  private SampleSort() {}

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; rank 0 alone has one. */
  static String run(Fmi fmi, String... args) {
    Comm world = fmi.world();
    Options options = Options.parse(world, HELP, args);
    if (options == null) {
      return "";
    }
    int rounds = options.integer("--rounds", 50, 1, 1_000_000);
    int count = options.integer("--keys", 5000, 1, 10_000_000);
    int seed = options.integer("--seed", 1, 0, Integer.MAX_VALUE);
    if ((long) rounds * count > MOST_KEYS) {
      throw options.refuse("--rounds times --keys must be at most " + MOST_KEYS);
    }

    Sorter sorter = new Sorter(world);
    Keys random = new Keys(((long) seed << 32) + world.rank());
    StateRef<long[]> sorted = StateRef.of(new long[0]);
    long[] drawn = new long[2]; // how many, and the sum of their mixes, which no order changes
    fmi.loop(
        rounds,
        round -> {
          long[] before = sorted.get();
          long[] keys = Arrays.copyOf(before, before.length + count);
          for (int i = before.length; i < keys.length; i++) {
            keys[i] = random.next();
            drawn[0]++;
            drawn[1] += Keys.mix(keys[i]);
          }
          sorted.set(sorter.sort(keys));
        },
        sorted, // a StateRef: its array is another one, of another length, after each round
        random.state,
        drawn);
    return conclude(fmi, sorted.get(), drawn);
  }

  private static String conclude(Fmi fmi, long[] sorted, long[] drawn) {
    Comm world = fmi.world();
    // What ranks before this one have: how many keys, and the greatest of them.
    long[] first = new long[1];
    world.exScan(new long[] {sorted.length}, first, Op.SUM);
    long greatest = sorted.length == 0 ? Long.MIN_VALUE : sorted[sorted.length - 1];
    long[] before = {Long.MIN_VALUE};
    world.exScan(new long[] {greatest}, before, Op.MAX);

    long disorder = 0;
    long mixes = 0;
    long checksum = 0;
    for (int i = 0; i < sorted.length; i++) {
      disorder += sorted[i] < (i == 0 ? before[0] : sorted[i - 1]) ? 1 : 0;
      mixes += Keys.mix(sorted[i]);
      checksum += Keys.mix(sorted[i] + Keys.mix(first[0] + i)); // depends on its place
    }
    long[] sums = {sorted.length, mixes, drawn[0], drawn[1], disorder, checksum};
    world.allReduce(sums, Op.SUM);
    return Outcome.of(
        fmi,
        sums[0] == sums[2] && sums[1] == sums[3] && sums[4] == 0,
        String.format("keys=%d checksum=%016x", sums[0], sums[5]));
  }
}
