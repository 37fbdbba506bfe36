package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The combined holdings of all groups give the same recovery line as each rank's holdings, in
 * whatever order they were combined.
 */
final class HoldingsTest {
  /** Ranks in groups, some of which have lost or replaced checkpoints that their peers hold. */
  private static final class World {
    final List<int[]> groups = new ArrayList<>();
    final List<Integer> tolerances = new ArrayList<>();
    final List<List<CheckpointId>> byRank = new ArrayList<>();

    World(Random random) {
      int count = 1 + random.nextInt(4);
      List<Integer> ranks = new ArrayList<>();
      int[] sizes = random.ints(count, 1, 5).toArray();
      for (int size : sizes) {
        for (int i = 0; i < size; i++) {
          ranks.add(ranks.size());
        }
      }
      Collections.shuffle(ranks, random);
      int next = 0;
      for (int size : sizes) {
        groups.add(ranks.subList(next, next + size).stream().mapToInt(r -> r).sorted().toArray());
        tolerances.add(random.nextInt(size));
        next += size;
      }
      List<CheckpointId> all = new ArrayList<>();
      long loop = 0;
      for (int version = 0; version < random.nextInt(5); version++) {
        boolean last = random.nextInt(3) == 0;
        all.add(new CheckpointId(version, loop, 10L * version, last));
        loop += last ? 1 : 0;
      }
      int oneIn = 2 + random.nextInt(8);
      for (int rank = 0; rank < ranks.size(); rank++) {
        boolean isNew = random.nextInt(oneIn) == 0;
        List<CheckpointId> mine = new ArrayList<>();
        for (CheckpointId id : all) {
          if (!isNew && random.nextInt(oneIn) > 0) {
            mine.add(random.nextInt(4 * oneIn) > 0 ? id : another(id, random));
          }
        }
        byRank.add(mine);
      }
    }

    private static CheckpointId another(CheckpointId id, Random random) {
      return switch (random.nextInt(3)) {
        case 0 -> new CheckpointId(id.version(), id.loop() + 1, id.iteration(), id.last());
        case 1 -> new CheckpointId(id.version(), id.loop(), id.iteration(), !id.last());
        default -> new CheckpointId(id.version(), id.loop(), id.iteration() + 1, id.last());
      };
    }

    Holdings ofGroup(int group) {
      List<List<CheckpointId>> complete = new ArrayList<>();
      for (int rank : groups.get(group)) {
        complete.add(byRank.get(rank));
      }
      return Holdings.of(groups.get(group), tolerances.get(group), complete);
    }

    /** Combines holdings in any order, some groups more than once, some in advance. */
    Holdings all(Random random) {
      List<Holdings> parts = new ArrayList<>();
      for (int g = 0; g < groups.size(); g++) {
        parts.add(ofGroup(g));
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        parts.add(
            parts.get(random.nextInt(parts.size())).with(parts.get(random.nextInt(parts.size()))));
      }
      Collections.shuffle(parts, random);
      return parts.stream()
          .map(part -> Holdings.unpack(part.pack()))
          .reduce(Holdings::with)
          .orElseThrow();
    }

    // ---- the definition

    /**
     * The ranks of the first group that cannot rebuild the checkpoint, with respect to all ranks.
     */
    List<Integer> lost(CheckpointId id) {
      List<Integer> first = List.of();
      for (int g = 0; g < groups.size(); g++) {
        List<Integer> lack = new ArrayList<>();
        for (int rank : groups.get(g)) {
          if (!byRank.get(rank).contains(id)) {
            lack.add(rank);
          }
        }
        boolean beyond = lack.size() > tolerances.get(g);
        if (beyond && (first.isEmpty() || lack.getFirst() < first.getFirst())) {
          first = lack;
        }
      }
      return first;
    }

    /**
     * The first rank that holds a checkpoint of the same version at another place; -1 if none does.
     */
    int another(CheckpointId id) {
      for (int rank = 0; rank < byRank.size(); rank++) {
        for (CheckpointId other : byRank.get(rank)) {
          if (other.version() == id.version()
              && (other.loop() != id.loop() || other.last() != id.last())) {
            return rank;
          }
        }
      }
      return -1;
    }

    SortedMap<Long, CheckpointId> versions() {
      SortedMap<Long, CheckpointId> versions = new TreeMap<>();
      byRank.forEach(ids -> ids.forEach(id -> versions.put(id.version(), id)));
      return versions;
    }

    private boolean isBack(CheckpointId id) {
      return another(id) < 0 && lost(id).isEmpty();
    }

    /** The recovery line by definition; null for the program's start; throws if there is none. */
    @Nullable CheckpointId line(boolean restart) throws UnrecoverableException {
      SortedMap<Long, CheckpointId> versions = versions();
      for (CheckpointId id : List.copyOf(versions.values()).reversed()) {
        if (isBack(id)
            && versions.headMap(id.version()).values().stream()
                .allMatch(before -> !before.last() || isBack(before))) {
          return id;
        }
      }
      if (versions.isEmpty() || (restart && versions.lastKey() == 0)) {
        return null;
      }
      throw new UnrecoverableException("none");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {20_000})
  void saysWhatALookAtEachRankWould(int worlds) throws UnrecoverableException {
    int lines = 0;
    int starts = 0;
    int losses = 0;
    for (int seed = 0; seed < worlds; seed++) {
      Random random = new Random(seed);
      World world = new World(random);
      Holdings all = world.all(random);
      assertThat(all.versions()).as("seed %d", seed).isEqualTo(world.versions());
      for (CheckpointId id : world.versions().values()) {
        List<Integer> lost = world.lost(id);
        int another = world.another(id);
        assertThat(all.needFiles(id)).as("seed %d", seed).isEqualTo(!lost.isEmpty());
        if (another >= 0) {
          assertThat(all.lost(id)).as("seed %d", seed).endsWith("at rank " + another);
        } else if (lost.isEmpty()) {
          assertThat(all.lost(id)).as("seed %d", seed).isNull();
        } else {
          assertThat(all.lost(id)).as("seed %d", seed).contains("ranks " + lost + " of");
        }
      }
      boolean restart = random.nextBoolean();
      try {
        CheckpointId line = world.line(restart);
        assertThat(RecoveryLine.choose(all, restart).checkpoint())
            .as("seed %d", seed)
            .isEqualTo(line);
        lines += line == null ? 0 : 1;
        starts += line == null ? 1 : 0;
      } catch (UnrecoverableException e) {
        losses++;
        assertThatThrownBy(() -> RecoveryLine.choose(all, restart))
            .as("seed %d", seed)
            .isInstanceOf(UnrecoverableException.class);
      }
    }
    assertThat(List.of(lines, starts, losses)).allMatch(count -> count > worlds / 50);
  }
}
