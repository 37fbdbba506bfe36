package org.fmi.core.rollback;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.core.epoch.AllRanks;
import org.fmi.rules.Holdings;
import org.fmi.rules.SeenInFiles;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.FileVersion;
import org.fmi.spi.RankConfig;

/**
 * The checkpoints that ranks hold, as one rank knows them: exactly, by member, within its own
 * group; summed up for all other groups.
 */
final class AllHoldings {
  private static final int NUMBERS_OF_ID = 4;

  private final int me;
  private final int[] group;
  private final int tolerance;

  /** The complete checkpoints of each member of the group, in member order. */
  private final List<List<CheckpointId>> complete;

  private final Holdings all;

  private AllHoldings(
      int me, int[] group, int tolerance, List<List<CheckpointId>> complete, Holdings all) {
    this.me = me;
    this.group = group;
    this.tolerance = tolerance;
    this.complete = complete;
    this.all = all;
  }

  /** Gathers what all ranks hold; collective over all ranks. */
  static AllHoldings gather(RankConfig config, Comm system, CheckpointStore store) {
    int[] group = config.group();
    int me = Arrays.binarySearch(group, config.rank());
    long[] ofGroup =
        AllRanks.combine(
            system, group.length, me, i -> group[i], packed(me, store.held()), AllHoldings::both);
    List<List<CheckpointId>> complete = List.copyOf(unpacked(ofGroup).values());
    Holdings mine = Holdings.of(group, store.tolerance(), complete);
    long[] ofAll =
        AllRanks.combine(
            system,
            config.size(),
            config.rank(),
            rank -> rank,
            mine.pack(),
            (one, other) -> Holdings.unpack(one).with(Holdings.unpack(other)).pack());
    return new AllHoldings(me, group, store.tolerance(), complete, Holdings.unpack(ofAll));
  }

  /** The holdings of all ranks. */
  Holdings all() {
    return all;
  }

  /** Whether this rank holds a checkpoint. */
  boolean isHere(CheckpointId id) {
    return complete.get(me).contains(id);
  }

  /** The ranks of this group that do not hold a checkpoint, ascending. */
  int[] lost(CheckpointId id) {
    return IntStream.range(0, group.length)
        .filter(i -> !complete.get(i).contains(id))
        .map(i -> group[i])
        .toArray();
  }

  /** Whether this rank's group has lost more parts of a checkpoint than its code can rebuild. */
  boolean isBeyondCode(CheckpointId id) {
    return lost(id).length > tolerance;
  }

  /**
   * The versions in files that all ranks see; collective over all ranks.
   *
   * @param seen the versions that this rank sees
   */
  static List<FileVersion> common(RankConfig config, Comm system, List<FileVersion> seen) {
    long[] common =
        AllRanks.combine(
            system,
            config.size(),
            config.rank(),
            rank -> rank,
            pack(new SeenInFiles(config.rank(), seen)),
            (one, other) -> pack(files(one).with(files(other))));
    return files(common).versions();
  }

  // ---- encoding as numbers

  private static long[] packed(int member, List<CheckpointId> ids) {
    List<Long> packed = new ArrayList<>(List.of((long) member));
    put(packed, ids);
    return numbers(packed);
  }

  private static SortedMap<Long, List<CheckpointId>> unpacked(long[] packed) {
    SortedMap<Long, List<CheckpointId>> byMember = new TreeMap<>();
    for (int at = 0; at < packed.length; ) {
      List<CheckpointId> ids = ids(packed, at + 1);
      byMember.put(packed[at], ids);
      at += 2 + NUMBERS_OF_ID * ids.size();
    }
    return byMember;
  }

  /** Merges the knowledge of two members about their group. */
  private static long[] both(long[] one, long[] other) {
    SortedMap<Long, List<CheckpointId>> both = unpacked(one);
    both.putAll(unpacked(other));
    List<Long> packed = new ArrayList<>();
    both.forEach(
        (member, ids) -> {
          packed.add(member);
          put(packed, ids);
        });
    return numbers(packed);
  }

  private static long[] pack(SeenInFiles seen) {
    List<Long> packed = new ArrayList<>(List.of((long) seen.rank()));
    for (FileVersion version : seen.versions()) {
      packed.add(version.token());
      put(packed, version.needed());
    }
    return numbers(packed);
  }

  private static SeenInFiles files(long[] packed) {
    List<FileVersion> versions = new ArrayList<>();
    for (int at = 1; at < packed.length; ) {
      List<CheckpointId> needed = ids(packed, at + 1);
      versions.add(new FileVersion(packed[at], needed));
      at += 2 + NUMBERS_OF_ID * needed.size();
    }
    return new SeenInFiles((int) packed[0], versions);
  }

  private static long[] numbers(List<Long> packed) {
    return packed.stream().mapToLong(Long::longValue).toArray();
  }

  private static void put(List<Long> packed, List<CheckpointId> ids) {
    packed.add((long) ids.size());
    for (CheckpointId id : ids) {
      packed.addAll(List.of(id.version(), id.loop(), id.iteration(), id.last() ? 1L : 0L));
    }
  }

  /** Reads ids that {@link #put} has written. */
  private static List<CheckpointId> ids(long[] packed, int at) {
    List<CheckpointId> ids = new ArrayList<>();
    for (int i = 0; i < packed[at]; i++) {
      int p = at + 1 + NUMBERS_OF_ID * i;
      ids.add(new CheckpointId(packed[p], packed[p + 1], packed[p + 2], packed[p + 3] != 0));
    }
    return ids;
  }
}
