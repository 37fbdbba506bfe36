package org.fmi.sim.detection;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import org.fmi.rules.HeartRing;
import org.fmi.rules.HeartRing.Action;
import org.fmi.rules.RingOrder;
import org.fmi.rules.Spread;

/**
 * Lets ranks of a heart ring die at the same time, and counts the timeouts until all living ranks
 * know. Messages take no time.
 */
public final class HeartRun {
  /** The time in which a rank sends this many heartbeats. */
  private static final int TIMEOUT = 4;

  private final RingOrder order;
  private final BitSet dead;
  private final HeartRing.Form form;
  private final HeartRing[] rings;
  private final Spread[] spreads;
  private final ArrayDeque<Runnable> inFlight = new ArrayDeque<>();
  private long now;

  /** The number of pairs of a living and a dead rank of which the one does not know the other. */
  private long open;

  private HeartRun(RingOrder order, HeartRing.Form form, BitSet dead) {
    int size = order.size();
    this.order = order;
    this.dead = dead;
    this.form = form;
    this.rings = new HeartRing[size];
    this.spreads = new Spread[size];
    this.open = (long) (size - dead.cardinality()) * dead.cardinality();
    for (int rank = 0; rank < size; rank++) {
      rings[rank] = new HeartRing(order, rank, form, 1, _ -> TIMEOUT, 0);
      spreads[rank] = new Spread(Spread.Kind.CHORD, order, rank, 2);
    }
  }

  /**
   * The timeouts until each living rank knows of each dead one.
   *
   * @throws IllegalArgumentException if news of the dead do not reach all: too many are dead
   */
  public static double timeouts(RingOrder order, HeartRing.Form form, BitSet dead) {
    HeartRun run = new HeartRun(order, form, dead);
    while (run.open > 0) {
      if (run.now > 2L * TIMEOUT * (dead.cardinality() + 1)) {
        throw new IllegalArgumentException(
            dead.cardinality()
                + " dead of "
                + order.size()
                + " ranks: news of them do not reach all others; use fewer");
      }
      run.tick();
    }
    return (double) run.now / TIMEOUT;
  }

  private void tick() {
    now++;
    for (int rank = 0; rank < rings.length; rank++) {
      if (!dead.get(rank)) {
        act(rank, rings[rank].tick(now));
        for (Runnable next; (next = inFlight.poll()) != null; ) {
          next.run();
        }
      }
    }
  }

  private void send(int to, Runnable message) {
    if (!dead.get(to)) {
      inFlight.add(message);
    }
  }

  private void act(int rank, List<Action> actions) {
    for (Action action : actions) {
      int to = action.rank();
      switch (action.kind()) {
        case BEAT -> send(to, () -> act(to, rings[to].beat(rank, now)));
        case OBSERVE -> {
          tellAll(rank, to);
          send(
              to,
              () -> {
                tellAll(to, rank);
                act(to, rings[to].asked(rank, now));
              });
        }
        case SUSPECT -> learn(rank, to, Spread.NOBODY);
        case HEARD -> {} // no living rank is suspected
      }
    }
  }

  private void tellAll(int rank, int to) {
    spreads[rank].known().stream().forEach(failed -> send(to, () -> learn(to, failed, rank)));
  }

  private void learn(int rank, int failed, int from) {
    List<Integer> targets = spreads[rank].learn(failed, from);
    if (targets == null) {
      return;
    }
    open -= dead.get(failed) ? 1 : 0;
    targets.forEach(to -> send(to, () -> learn(to, failed, rank)));
    if (form == HeartRing.Form.ASKING) {
      tell(rank, rings[rank].observer(), failed);
      tell(rank, rings[rank].observed(), failed);
    }
    act(rank, rings[rank].dead(failed, now));
  }

  private void tell(int rank, int to, int failed) {
    if (to != HeartRing.NOBODY && to != failed) {
      send(to, () -> learn(to, failed, rank));
    }
  }

  @Override
  public String toString() {
    return form + " of " + order.size() + ", dead " + dead;
  }
}
