package org.fmi.examples.ring;

import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FaultEvent;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.ProcessState;
import org.fmi.State;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;

/**
 * Ranks in a ring pass their numbers on. When one dies, the others close the ring again and repeat
 * the step: no rank is replaced, and none rolls back.
 */
public final class ShrinkRing {
  private static final String HELP =
      """
      shrink-ring - a ring of ranks that continues without those that die

      usage: fmirun -n N --on-failure shrink shrink-ring.jar [options]

        --iterations I   steps (100)
        --help           show this and end

      The last line is "result ranks=L steps=I check=ok": how many ranks are left, and how often
      each number was passed on. With --on-failure replace no rank is ever missing.
      """;

  private final Comm world;

  /** The ring: the living ranks, as far as they have agreed. */
  private Comm ring;

  private final long[] steps = {0};

  private ShrinkRing(Comm world) {
    this.world = world;
    this.ring = world;
  }

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; the lowest living rank alone has one. */
  static String run(Fmi fmi, String... args) {
    Comm world = fmi.world();
    Options options = Options.parse(world, HELP, args);
    if (options == null) {
      return "";
    }
    int self = world.rank();
    Fmi.Listening _ =
        fmi.listen(
            event -> {
              if (event instanceof FaultEvent.Failed f) {
                System.err.println("rank " + self + " hears from " + f.by() + ": lost " + f.rank());
              }
            });
    ShrinkRing program = new ShrinkRing(world);
    long iterations = options.integer("--iterations", 100, 1, Integer.MAX_VALUE);
    fmi.loop(iterations, _ -> program.step(), State.of("steps", program.steps));
    return program.finish(fmi, iterations);
  }

  /** Passes the numbers on, until all ranks of the ring have got theirs. */
  private void step() {
    boolean done = false;
    while (!done) {
      boolean well = true;
      try {
        pass();
      } catch (FmiException e) {
        well = false;
        leave(e);
      }
      done = agree(well);
    }
    steps[0]++;
  }

  /** Leaves a step in which a rank is missing: neighbours may wait for this one. */
  private void leave(FmiException e) {
    if (e.errorClass() != ErrorClass.PROC_FAILED && e.errorClass() != ErrorClass.REVOKED) {
      throw e;
    }
    ring.revoke();
  }

  /** Whether all ranks that live have done it; if not, they make a ring without the dead. */
  private boolean agree(boolean well) {
    boolean all = ring.agree(well ? 1 : 0) == 1;
    if (!all) {
      ring = ring.shrink();
    }
    return all;
  }

  private void pass() {
    int size = ring.size();
    int left = (ring.rank() + size - 1) % size;
    long[] from = {-1};
    ring.sendRecv(new long[] {world.rank()}, (ring.rank() + 1) % size, 1, from, left, 1);
    int expected = ring.group().translateRanks(new int[] {left}, world.group())[0];
    if (from[0] != expected) {
      throw new IllegalStateException("got " + from[0] + " from rank " + expected);
    }
  }

  /** Counts the living, and checks that they are those that {@link Fmi#state} says. */
  private String finish(Fmi fmi, long iterations) {
    long[] sums = {};
    boolean done = false;
    while (!done) {
      boolean well = true;
      sums = new long[] {world.rank(), steps[0]};
      try {
        ring.allReduce(sums, Op.SUM);
      } catch (FmiException e) {
        well = false;
        leave(e);
      }
      done = agree(well);
    }
    long living =
        IntStream.range(0, world.size()).filter(r -> fmi.state(r) != ProcessState.DEAD).sum();
    boolean right = sums[0] == living && sums[1] == iterations * ring.size();
    return Outcome.of(fmi, ring.rank() == 0, right, "ranks=" + ring.size() + " steps=" + steps[0]);
  }
}
