package org.fmi.examples.cg;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.examples.Displacements;
import org.fmi.examples.Share;

/**
 * Receives a vector's foreign elements from the ranks that compute them. The ranks agree on them
 * once, before the loop: what a rank receives there is replayed to a replacement.
 */
public final class Exchange {
  private static final int TAG = 1;

  private final Comm world;
  private final int own;

  /** Number of elements that this rank needs of each rank, and the place of the first one. */
  private final long[] needed;

  private final long[] neededAt;

  /** Number of elements that each rank needs of this one, and their beginning in {@link #lent}. */
  private final long[] asked;

  private final long[] askedAt;

  /** Places in a vector of the elements that other ranks need. */
  private final int[] lent;

  private final double[] outgoing;

  Exchange(Comm world, int n, Rows rows) {
    this.world = world;
    own = rows.own.count();
    needed = new long[world.size()];
    for (int column : rows.foreign) {
      needed[Share.partOf(n, world.size(), column)]++;
    }
    asked = new long[world.size()];
    world.allToAll(needed, asked);
    neededAt = Displacements.of(needed).at();
    Displacements places = Displacements.of(asked);
    askedAt = places.at();
    lent = new int[places.total()];
    world.allToAllv(rows.foreign, needed, neededAt, lent, asked, askedAt);
    for (int i = 0; i < lent.length; i++) {
      lent[i] -= rows.own.first();
    }
    outgoing = new double[lent.length];
  }

  /** Sets the foreign elements of {@code v} to what their ranks have. */
  void update(double[] v) {
    for (int i = 0; i < lent.length; i++) {
      outgoing[i] = v[lent[i]];
    }
    List<Request> requests = new ArrayList<>();
    for (int r = 0; r < world.size(); r++) {
      if (needed[r] > 0) {
        requests.add(world.irecv(Slice.of(v, own + neededAt[r], needed[r]), r, TAG));
      }
      if (asked[r] > 0) {
        requests.add(world.isend(Slice.of(outgoing, askedAt[r], asked[r]), r, TAG));
      }
    }
    Request.waitAll(requests); // none may be left when an iteration ends
  }
}
