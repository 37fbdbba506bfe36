package org.fmi.examples.farm;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;

/**
 * A task farm: rank 0 hands out ranges of numbers, the workers find the primes in them and ask for
 * more. One iteration of the loop is a round of tasks: nothing is under way when it ends, so a
 * failure costs the rounds since the last checkpoint, regardless of which worker computed what.
 */
public final class Farm {
  private static final String HELP =
      """
      farm - adds up the reciprocals of primes, in tasks that rank 0 hands out

      usage: fmirun -n N farm.jar [options]

        --rounds R   how many rounds, default 50
        --tasks T    tasks of a round, default 40
        --width W    numbers that are looked at in a task, default 500
        --help       show this and end

      The last line is "result primes=P sum=HEX check=ok recoveries=R": how many primes there are
      below R * T * W, the sum of their reciprocals, exactly (equal for any N, with or without
      failures), whether both are those of a sieve at rank 0, bit for bit (check=FAILED and exit
      status 1 if not), and how often the job recovered from a failure.
      """;

  private static final int MOST_NUMBERS = 1_000_000_000; // the sieve has a byte for each

  private Farm() {}

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
    int tasks = options.integer("--tasks", 40, 1, 1_000_000);
    int width = options.integer("--width", 500, 1, 1_000_000);
    if ((double) rounds * tasks * width > MOST_NUMBERS) {
      throw options.refuse("--rounds times --tasks times --width must be at most " + MOST_NUMBERS);
    }

    double[] totals = new double[2]; // the number of primes, the sum of their reciprocals
    Master master = new Master(world, tasks, width);
    Worker worker = new Worker(world, width);
    fmi.loop(
        rounds,
        round -> {
          if (world.rank() == 0) {
            master.round(round, totals);
          } else {
            worker.round();
          }
          world.bcast(totals, 0); // no rank asks for the next round's tasks before this one is over
        },
        totals);

    if (world.rank() != 0) {
      return "";
    }
    Primes found = new Primes((long) totals[0], totals[1]);
    return Outcome.of(
        fmi,
        found.equals(Primes.bySieve(rounds * tasks, width)),
        String.format("primes=%d sum=%s", found.count(), Double.toHexString(found.reciprocals())));
  }
}
