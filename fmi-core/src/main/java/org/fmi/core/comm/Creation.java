package org.fmi.core.comm;

import static org.fmi.core.p2p.CollectiveCall.NONE;

import java.util.Arrays;
import java.util.BitSet;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.Op;
import org.fmi.core.coll.Channel;
import org.fmi.core.coll.Collectives;
import org.fmi.core.coll.Location;
import org.fmi.core.coll.Reducer;
import org.fmi.core.coll.Reductions;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.CollectiveCall.Name;
import org.jspecify.annotations.Nullable;

/** Agrees with the members of a communicator on new ones: on their ids and their members. */
final class Creation {
  private final Channel channel;
  private final ContextIds ids;
  private final RankGroup group;

  /** The world rank of this process. */
  private final int self;

  /** The id and members of a new communicator. */
  record Agreed(int id, RankGroup group) {}

  /** Makes communicators from the one that {@code channel} and {@code group} belong to. */
  Creation(Channel channel, ContextIds ids, RankGroup group, int self) {
    this.channel = channel;
    this.ids = ids;
    this.group = group;
    this.self = self;
  }

  /** Agrees on a communicator of the same ranks. */
  Agreed dup() {
    return new Agreed(agreeOnId(Name.DUP), group);
  }

  /** Agrees on a communicator of the ranks with the same colour; null for UNDEFINED. */
  @Nullable Agreed split(int color, int key) {
    if (color < 0 && color != Comm.UNDEFINED) {
      throw new FmiException(
          ErrorClass.ARG,
          "colour " + color + " is negative: use 0 or more, or Comm.UNDEFINED for no communicator");
    }
    int size = group.size();
    int[] mine = {color, key, ids.state()};
    int[] all = new int[3 * size];
    channel.begin(CollectiveCall.of(Name.SPLIT, null, NONE, NONE));
    orSkipId(
        () ->
            Collectives.allGather(
                channel, new Location(mine, 0), 3L * Integer.BYTES, new Location(all, 0)));
    channel.end();
    int agreed = 0;
    long[] members = new long[size];
    int n = 0;
    for (int r = 0; r < size; r++) {
      agreed = Math.max(agreed, all[3 * r + 2]);
      if (all[3 * r] == color) {
        members[n++] = ((long) all[3 * r + 1] << Integer.SIZE) | r; // sorts by key, then by rank
      }
    }
    ids.take(agreed);
    if (color == Comm.UNDEFINED) {
      return null;
    }
    Arrays.sort(members, 0, n);
    int[] ranks = new int[n];
    for (int i = 0; i < n; i++) {
      ranks[i] = group.worldRanks()[(int) members[i]];
    }
    return new Agreed(agreed, new RankGroup(ranks, self));
  }

  /** Agrees on a communicator of a group's ranks; null at other ranks. */
  @Nullable Agreed create(Group subset) {
    RankGroup members = RankGroup.of(subset);
    if (!group.containsAll(members)) {
      throw new FmiException(
          ErrorClass.GROUP,
          members
              + " is not a subset of this communicator's "
              + group
              + ": use Comm.group().incl(...)");
    }
    int agreed = agreeOnId(Name.CREATE);
    return members.rank() == Comm.UNDEFINED ? null : new Agreed(agreed, members);
  }

  /**
   * The communicator of the living.
   *
   * @param id the highest of the members' next free ids
   * @param dead the world ranks that are left out
   */
  Agreed shrunk(int id, BitSet dead) {
    ids.take(id);
    int[] living = Arrays.stream(group.worldRanks()).filter(r -> !dead.get(r)).toArray();
    return new Agreed(id, new RankGroup(living, self));
  }

  /** The rank's next free id. */
  int nextId() {
    return ids.state();
  }

  /** Runs a collective. If a loss ends it here, other members may have made the communicator. */
  private void orSkipId(Runnable collective) {
    try {
      collective.run();
    } catch (FmiException e) {
      ids.skip();
      throw e;
    }
  }

  /** Agrees on an id that is new to all ranks of this communicator. Collective. */
  private int agreeOnId(Name name) {
    int[] id = {ids.state()};
    Location place = new Location(id, 0);
    channel.begin(CollectiveCall.of(name, null, NONE, NONE));
    orSkipId(
        () -> Reductions.allReduce(channel, Reducer.of(Op.MAX, Datatype.INT), place, place, 1));
    channel.end();
    ids.take(id[0]);
    return id[0];
  }
}
