package org.fmi.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The way of notices round a ring, at one rank, as a pure state machine: each rank sends each
 * notice on once, when it learns of the failure first.
 *
 * <p>Whether a notice reaches all living ranks depends on the dead. A rank gets it if one of the
 * ranks that send to it gets it, so fewer dead than a rank has links never stop it; more of them
 * can, if they are all the ranks that send to a part of the ring. {@link HeartRing} closes the gap:
 * a rank that begins to observe another exchanges with it what both know, so notices also travel
 * from each living rank to the next.
 */
public final class Spread {
  /** No rank: the news did not arrive over a link. */
  public static final int NOBODY = -1;

  /** The links of a rank, as distances round the ring of n positions. */
  public enum Kind {
    /** +2<sup>i</sup> &lt; n (Rosso and Francesquini). */
    CHORD,
    /** &plusmn;2<sup>i</sup> &lt; n: a binomial graph (Zhong et al.). */
    BMG,
    /** &plusmn;1 to &plusmn;log<sub>2</sub> n (Bosilca et al., in ULFM). */
    HBA,
    /** &plusmn;k<sup>i</sup> &lt; n, and never back to the sender: {@link LogRing}. */
    LOGRING
  }

  private final Kind kind;
  private final Set<Integer> targets;
  private final BitSet known = new BitSet();

  /**
   * @param base k of the log-ring; the others have none
   */
  public Spread(Kind kind, RingOrder order, int rank, int base) {
    this.kind = kind;
    this.targets = targets(kind, order, rank, base);
  }

  private static Set<Integer> targets(Kind kind, RingOrder order, int rank, int base) {
    int size = order.size();
    int here = order.position(rank);
    Set<Integer> targets = new LinkedHashSet<>();
    switch (kind) {
      case CHORD, BMG -> {
        for (long distance = 1; distance < size; distance *= 2) {
          targets.add(order.rank((int) ((here + distance) % size)));
          if (kind == Kind.BMG) {
            targets.add(order.rank((int) (here - distance)));
          }
        }
      }
      case HBA -> {
        int most = 31 - Integer.numberOfLeadingZeros(size);
        for (int distance = 1; distance <= most; distance++) {
          targets.add(order.rank((here + distance) % size));
          targets.add(order.rank(here - distance));
        }
      }
      case LOGRING ->
          new LogRing(size, here, base)
              .neighbours()
              .forEach(position -> targets.add(order.rank(position)));
    }
    targets.remove(rank);
    return targets;
  }

  /** The ranks that notices are sent to. */
  public Set<Integer> targets() {
    return targets;
  }

  /** The failed ranks that are known here. */
  public BitSet known() {
    return (BitSet) known.clone();
  }

  /**
   * A failure was detected here, or a notice of it arrived.
   *
   * @param from the rank that sent the notice, or {@link #NOBODY}
   * @return the ranks to send it to; null if the failure is already known
   */
  public @Nullable List<Integer> learn(int failed, int from) {
    if (known.get(failed)) {
      return null;
    }
    known.set(failed);
    List<Integer> to = new ArrayList<>(targets);
    to.removeIf(target -> target == failed || (kind == Kind.LOGRING && target == from));
    return to;
  }
}
