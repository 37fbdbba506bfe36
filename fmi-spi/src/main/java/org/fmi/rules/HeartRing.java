package org.fmi.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The heartbeat ring's logic at one rank, as a pure state machine. A rank observes the nearest
 * living rank before it, and sends a beat per period to the one after it, its observer.
 *
 * <pre>
 *                  beats                     beats
 *   ... rank a -----------> rank b (here) -----------> rank c ...
 *          ^                  |      ^                   |
 *          +---- observes ----+      +---- observes -----+
 *
 *   LIVING --silent for a timeout--> SUSPECTED --dead()--> DEAD     here b observes the one before a
 *     ^                                  |
 *     +------- beat(), alive() ----------+                          and a again
 * </pre>
 *
 * An event produces actions, which its caller carries out in their order.
 */
public final class HeartRing {
  /** No rank. */
  public static final int NOBODY = -1;

  /** The first step of a rank that begins to observe another one. */
  public enum Form {
    /** Asks for a beat: k dead ranks in a row take k timeouts. */
    ASKING,
    /**
     * Waits two timeouts, as the other one first has to learn whom it sends its beats to: k dead
     * ranks in a row take 2 (k - 1) + 1 timeouts.
     */
    PAPER
  }

  /** A command for the caller. */
  public enum Kind {
    /** Send the rank a beat. */
    BEAT,
    /** Ask the rank for a beat, and exchange what both know. */
    OBSERVE,
    /** The rank was silent for a timeout. */
    SUSPECT,
    /** The suspected rank was heard. */
    HEARD
  }

  /** An action that concerns a rank. */
  public record Action(Kind kind, int rank) {}

  private enum State {
    LIVING,
    SUSPECTED,
    DEAD,
    LEFT
  }

  private final RingOrder order;
  private final int here;
  private final int rank;
  private final Form form;
  private final long period;
  private final IntToLongFunction timeout;
  private final State[] states;

  /** The rank that is observed. */
  private int observed;

  /** The time at which it was heard, or at which this rank began to observe it. */
  private long heardAt;

  /** The timeouts that it has now. */
  private int patience = 1;

  /** The last rank that has asked for beats. */
  private int asker = NOBODY;

  private long ticked;

  /**
   * A ring at its start: all ranks live.
   *
   * @param period the time from tick to tick
   * @param timeout the time for which each rank may be silent
   */
  public HeartRing(
      RingOrder order, int rank, Form form, long period, IntToLongFunction timeout, long now) {
    this.order = order;
    this.here = order.position(rank);
    this.rank = rank;
    this.form = form;
    this.period = period;
    this.timeout = timeout;
    this.states = new State[order.size()];
    Arrays.fill(states, State.LIVING);
    this.observed = before();
    this.heardAt = now;
    this.ticked = now;
  }

  /** The rank that is observed; {@link #NOBODY} if there is none. */
  public int observed() {
    return observed;
  }

  /** The nearest rank before this one that is not suspected. */
  private int before() {
    for (int distance = 1; distance < order.size(); distance++) {
      int other = order.rank(here - distance);
      switch (states[other]) {
        case LIVING -> {
          return other;
        }
        case LEFT -> {
          return NOBODY;
        }
        case SUSPECTED, DEAD -> {}
      }
    }
    return NOBODY;
  }

  /** The nearest rank after this one that is not dead: it observes this one, if it lives. */
  public int observer() {
    for (int distance = 1; distance < order.size(); distance++) {
      int other = order.rank((here + distance) % order.size());
      if (states[other] != State.DEAD) {
        return states[other] == State.LEFT ? NOBODY : other;
      }
    }
    return NOBODY;
  }

  /**
   * A period is over. Time by which the tick is late does not count as another rank's silence: this
   * process was stopped or starved.
   */
  public List<Action> tick(long now) {
    long late = now - ticked - period;
    if (late > 0) {
      heardAt += Math.min(late, now - heardAt);
    }
    ticked = now;
    List<Action> actions = new ArrayList<>();
    int observer = observer();
    beat(observer, actions);
    if (asker != observer) {
      beat(asker, actions);
    }
    if (observed != NOBODY && now - heardAt >= patience * timeout.applyAsLong(observed)) {
      states[observed] = State.SUSPECTED;
      actions.add(new Action(Kind.SUSPECT, observed));
      observe(now, actions);
    }
    return actions;
  }

  private static void beat(int to, List<Action> actions) {
    if (to != NOBODY) {
      actions.add(new Action(Kind.BEAT, to));
    }
  }

  /** Observes the nearest living rank before this one, if that is another than until now. */
  private void observe(long now, List<Action> actions) {
    int next = before();
    if (next == observed) {
      return;
    }
    observed = next;
    heardAt = now;
    patience = form == Form.PAPER ? 2 : 1;
    if (next != NOBODY && form == Form.ASKING) {
      actions.add(new Action(Kind.OBSERVE, next));
    }
  }

  /** A beat has arrived. */
  public List<Action> beat(int from, long now) {
    List<Action> actions = new ArrayList<>();
    if (states[from] == State.SUSPECTED) {
      states[from] = State.LIVING;
      actions.add(new Action(Kind.HEARD, from));
      observe(now, actions);
    }
    if (from == observed) {
      heardAt = now;
      patience = 1;
    }
    return actions;
  }

  /** A rank that observes this one from now on has asked for a beat. */
  public List<Action> asked(int by, long now) {
    List<Action> actions = beat(by, now);
    if (states[by] == State.LIVING) {
      asker = by;
      actions.add(new Action(Kind.BEAT, by));
    }
    return actions;
  }

  /** A rank is dead, which is final. */
  public List<Action> dead(int failed, long now) {
    List<Action> actions = new ArrayList<>();
    if (failed == rank || states[failed] == State.DEAD) {
      return actions;
    }
    int before = observer();
    states[failed] = State.DEAD;
    if (asker == failed) {
      asker = NOBODY;
    }
    int after = observer();
    if (after != before) {
      beat(after, actions);
    }
    observe(now, actions);
    return actions;
  }

  /** A rank that was suspected, here or elsewhere, lives. */
  public List<Action> alive(int found, long now) {
    List<Action> actions = new ArrayList<>();
    if (found == rank || states[found] == State.DEAD || states[found] == State.LEFT) {
      return actions;
    }
    states[found] = State.LIVING;
    if (asker != NOBODY && distanceTo(found) < distanceTo(asker)) {
      asker = NOBODY; // it observes the one that was found
    }
    observe(now, actions);
    return actions;
  }

  private int distanceTo(int other) {
    return Math.floorMod(order.position(other) - here, order.size());
  }

  /** A rank has left the ring, which ends: no rank observes in its place. */
  public void left(int other) {
    if (states[other] != State.DEAD) {
      states[other] = State.LEFT;
    }
    if (observed == other) {
      observed = NOBODY;
    }
    if (asker == other) {
      asker = NOBODY;
    }
  }
}
