package org.fmi.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints that the ranks of some checkpoint groups hold in memory, reduced to what the
 * choice of a recovery line needs. The holdings of several groups combine in any order, and
 * repetitions do no harm: all ranks learn all holdings in a number of steps logarithmic in the
 * job's size.
 *
 * <p>Grows with the number of checkpoints, not with the number of ranks.
 */
public final class Holdings {
  private static final Comparator<CheckpointId> ORDER =
      Comparator.comparingLong(CheckpointId::version)
          .thenComparingLong(CheckpointId::loop)
          .thenComparingLong(CheckpointId::iteration)
          .thenComparing(CheckpointId::last);

  /**
   * Ranks of one group that have lost a checkpoint, more of them than its code can rebuild.
   *
   * @param tolerance the number of losses that the code can rebuild
   * @param ranks ascending
   */
  private record Loss(int tolerance, List<Integer> ranks) {
    Loss {
      ranks = List.copyOf(ranks);
    }

    /**
     * Chooses the loss with the lower ranks, so that all ranks choose alike. Two losses of one
     * group are equal.
     */
    private static Loss first(Loss one, Loss other) {
      return one.ranks.getFirst() <= other.ranks.getFirst() ? one : other;
    }
  }

  /**
   * The ranks that hold a checkpoint.
   *
   * @param lowest the lowest of these ranks
   * @param highest the highest of them
   * @param loss the first group that cannot rebuild it; null if all can
   */
  private record Holders(int lowest, int highest, @Nullable Loss loss) {
    /**
     * Combines holders of different groups.
     *
     * @param others null if none of the other groups holds the checkpoint
     * @param absent the loss of the other groups in that case
     */
    Holders with(@Nullable Holders others, Loss absent) {
      if (others == null) {
        return new Holders(lowest, highest, loss == null ? absent : Loss.first(loss, absent));
      }
      Loss first = loss == null ? others.loss : loss;
      return new Holders(
          Math.min(lowest, others.lowest),
          Math.max(highest, others.highest),
          first == null || others.loss == null ? first : Loss.first(first, others.loss));
    }
  }

  private final SortedMap<CheckpointId, Holders> holders = new TreeMap<>(ORDER);

  /** All members of the first group: the loss of a checkpoint that none of the groups holds. */
  private final Loss all;

  private Holdings(Loss all) {
    this.all = all;
  }

  /**
   * The holdings of one group.
   *
   * @param members its ranks, ascending
   * @param tolerance the number of members that may lose a checkpoint, less than the number of
   *     members
   * @param complete per member, its complete checkpoints
   */
  public static Holdings of(int[] members, int tolerance, List<List<CheckpointId>> complete) {
    List<Integer> ranks = new ArrayList<>();
    for (int member : members) {
      ranks.add(member);
    }
    Holdings group = new Holdings(new Loss(tolerance, ranks));
    for (List<CheckpointId> each : complete) {
      for (CheckpointId id : each) {
        group.holders.computeIfAbsent(id, _ -> holders(id, ranks, tolerance, complete));
      }
    }
    return group;
  }

  private static Holders holders(
      CheckpointId id, List<Integer> ranks, int tolerance, List<List<CheckpointId>> complete) {
    List<Integer> have = new ArrayList<>();
    List<Integer> lack = new ArrayList<>();
    for (int i = 0; i < ranks.size(); i++) {
      (complete.get(i).contains(id) ? have : lack).add(ranks.get(i));
    }
    Loss loss = lack.size() > tolerance ? new Loss(tolerance, lack) : null;
    return new Holders(have.getFirst(), have.getLast(), loss);
  }

  /** Combines the holdings of two sets of groups. */
  public Holdings with(Holdings other) {
    Holdings both = new Holdings(Loss.first(all, other.all));
    both.holders.putAll(holders);
    both.holders.replaceAll((id, mine) -> mine.with(other.holders.get(id), other.all));
    other.holders.forEach(
        (id, theirs) -> both.holders.computeIfAbsent(id, _ -> theirs.with(null, all)));
    return both;
  }

  /** The checkpoint of each version; if a version has several, the one of the highest rank. */
  SortedMap<Long, CheckpointId> versions() {
    SortedMap<Long, CheckpointId> versions = new TreeMap<>();
    long version = -1;
    int highest = -1;
    for (Map.Entry<CheckpointId, Holders> each : holders.entrySet()) {
      CheckpointId id = each.getKey();
      if (id.version() != version || each.getValue().highest > highest) {
        version = id.version();
        highest = each.getValue().highest;
        versions.put(version, id);
      }
    }
    return versions;
  }

  /** Whether some group has lost more of a checkpoint than its code can rebuild. */
  public boolean needFiles(CheckpointId id) {
    Holders who = holders.get(id);
    return who == null || who.loss != null;
  }

  /** The reason why a checkpoint cannot be brought back; null if it can. */
  @Nullable String lost(CheckpointId id) {
    String another = another(id);
    if (another != null) {
      return another;
    }
    Holders who = holders.get(id);
    Loss loss = who == null ? all : who.loss;
    return loss == null
        ? null
        : "the checkpoint of iteration "
            + id.iteration()
            + " is lost for good: ranks "
            + loss.ranks
            + " of one checkpoint group lost their parts or found them damaged, and the group's"
            + " code rebuilds "
            + loss.tolerance;
  }

  /**
   * The reason that another checkpoint of the same version belongs to a different place of the
   * program; null if there is none. The two were never committed, and do not belong together.
   */
  private @Nullable String another(CheckpointId id) {
    CheckpointId first = null;
    int lowest = Integer.MAX_VALUE;
    for (Map.Entry<CheckpointId, Holders> each : holders.entrySet()) {
      CheckpointId other = each.getKey();
      if (other.version() == id.version()
          && (other.loop() != id.loop() || other.last() != id.last())
          && each.getValue().lowest < lowest) {
        first = other;
        lowest = each.getValue().lowest;
      }
    }
    return first == null
        ? null
        : "the checkpoint of iteration "
            + id.iteration()
            + " of loop "
            + id.loop()
            + " was taken together with the checkpoint of iteration "
            + first.iteration()
            + " of loop "
            + first.loop()
            + " at rank "
            + lowest;
  }

  // ---- as numbers

  /** Encodes the holdings for {@link #unpack}. */
  public long[] pack() {
    LongStream.Builder packed = LongStream.builder();
    put(packed, all);
    holders.forEach(
        (id, who) -> {
          packed.add(id.version()).add(id.loop()).add(id.iteration()).add(id.last() ? 1 : 0);
          packed.add(who.lowest).add(who.highest);
          put(packed, who.loss);
        });
    return packed.build().toArray();
  }

  private static void put(LongStream.Builder packed, @Nullable Loss loss) {
    if (loss == null) {
      packed.add(0);
      return;
    }
    packed.add(loss.ranks.size()).add(loss.tolerance);
    loss.ranks.forEach(packed::add);
  }

  /** Decodes the result of {@link #pack}. */
  public static Holdings unpack(long[] packed) {
    PrimitiveIterator.OfLong in = Arrays.stream(packed).iterator();
    Loss all = loss(in);
    if (all == null) {
      throw new IllegalArgumentException("a group without members");
    }
    Holdings holdings = new Holdings(all);
    while (in.hasNext()) {
      CheckpointId id =
          new CheckpointId(in.nextLong(), in.nextLong(), in.nextLong(), in.nextLong() != 0);
      holdings.holders.put(id, new Holders((int) in.nextLong(), (int) in.nextLong(), loss(in)));
    }
    return holdings;
  }

  private static @Nullable Loss loss(PrimitiveIterator.OfLong in) {
    long count = in.nextLong();
    if (count == 0) {
      return null;
    }
    int tolerance = (int) in.nextLong();
    List<Integer> ranks = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      ranks.add((int) in.nextLong());
    }
    return new Loss(tolerance, ranks);
  }
}
