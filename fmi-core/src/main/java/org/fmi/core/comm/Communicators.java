package org.fmi.core.comm;

import java.io.InvalidObjectException;
import java.io.Serializable;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.core.object.StandIns;
import org.fmi.core.p2p.PointToPoint;
import org.jspecify.annotations.Nullable;

/**
 * The communicators of a process: makes them, and finds them again when a loop's state refers to
 * one.
 *
 * <p>The state contains a communicator's id and members. A process that has this communicator uses
 * the existing object. A replacement process that does not have it gets a new one, without
 * communication with the other members. All references in a process must lead to the same object,
 * which counts the communicator's collectives.
 */
final class Communicators implements StandIns {
  private final PointToPoint p2p;
  private final ContextIds ids;
  private final JobCalls job;

  /** The communicators by id, without dropped ones. */
  private final Map<Integer, Known> known = new HashMap<>();

  private final ReferenceQueue<Communicator> dropped = new ReferenceQueue<>();

  /** A communicator, as long as the program refers to it. */
  private static final class Known extends WeakReference<Communicator> {
    final int id;

    Known(Communicator communicator, ReferenceQueue<Communicator> dropped) {
      super(communicator, dropped);
      this.id = communicator.members.id;
    }
  }

  /**
   * The stand-in for a communicator.
   *
   * @param members the members' world ranks, in order
   * @param worldSize the size of the job; a job of another size has other communicators
   */
  private record Written(int id, int[] members, int worldSize) implements Serializable {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Written w
          && id == w.id
          && worldSize == w.worldSize
          && Arrays.equals(members, w.members);
    }

    @Override
    public int hashCode() {
      return 31 * id + Arrays.hashCode(members);
    }
  }

  Communicators(PointToPoint p2p, ContextIds ids, JobCalls job) {
    this.p2p = p2p;
    this.ids = ids;
    this.job = job;
  }

  /** Makes a communicator whose members have agreed on it. */
  Communicator make(int id, RankGroup group) {
    for (Reference<?> gone = dropped.poll(); gone != null; gone = dropped.poll()) {
      known.remove(((Known) gone).id, gone);
    }
    Communicator made = new Communicator(p2p, ids, this, id, group);
    known.put(id, new Known(made, dropped));
    return made;
  }

  /** The questions of communicators to the job. */
  JobCalls job() {
    return job;
  }

  // ---- in a loop's state

  @Override
  public Object of(Object object) {
    if (object instanceof Request) {
      throw new IllegalArgumentException(
          "it refers to a request, which only the state of a loop or loopWhile can hold");
    }
    return object instanceof Communicator c
        ? new Written(c.members.id, c.members.group.worldRanks(), p2p.size())
        : object;
  }

  @Override
  public Object find(Object read) throws InvalidObjectException {
    return read instanceof Written written ? find(written) : read;
  }

  private Communicator find(Written written) throws InvalidObjectException {
    if (written.worldSize != p2p.size()) {
      throw new InvalidObjectException(
          "it refers to a communicator of a job of %d ranks, and this one has %d: make it before the loop"
              .formatted(written.worldSize, p2p.size()));
    }
    Known entry = known.get(written.id);
    Communicator here = entry == null ? null : entry.get();
    if (here == null || !here.members.survives()) {
      RankGroup members = new RankGroup(written.members, p2p.rank());
      if (members.rank() == Comm.UNDEFINED) {
        throw new InvalidObjectException("it refers to a communicator that this rank is not in");
      }
      return make(written.id, members);
    }
    if (!Arrays.equals(here.members.group.worldRanks(), written.members)) {
      throw new InvalidObjectException(
          "it refers to communicator %d of ranks %s, which has ranks %s in this run: make the same communicators before the loop in every run"
              .formatted(
                  written.id,
                  Arrays.toString(written.members),
                  Arrays.toString(here.members.group.worldRanks())));
    }
    return here;
  }
}
