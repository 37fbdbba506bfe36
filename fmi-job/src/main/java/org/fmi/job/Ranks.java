package org.fmi.job;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.fmi.control.AddressTable;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/**
 * Knows the process of each rank, and counts how many have come how far, so that no event has to
 * look at all of them.
 */
final class Ranks {
  /** What is known of a rank's newest process. */
  enum Life {
    /** There is none: the first was not started yet, or the last is lost and not replaced yet. */
    NONE,
    ALIVE,
    /** Is being killed; its exit is awaited. */
    DYING,
    /** Has exited after all ranks were released, or without ever having joined. */
    GONE
  }

  /** How far a rank has come in the epoch. */
  enum Stage {
    AWAITED,
    JOINED,
    CONNECTED,
    RUNNING,
    FINISHED
  }

  /** One rank and its newest process. Changed by {@link Ranks} alone. */
  static final class Rank {
    private final int number;
    private int incarnation = -1;
    private Life life = Life.NONE;
    private Stage stage = Stage.AWAITED;
    private boolean known;
    private boolean started;

    /** What it said when it joined the epoch, but for its addresses. */
    private RankMessage.@Nullable Joined joined;

    private Rank(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    /** The number of its newest process; -1 before the first. */
    int incarnation() {
      return incarnation;
    }

    Life life() {
      return life;
    }

    Stage stage() {
      return stage;
    }

    /** Whether some process of it has joined: its program uses the library. */
    boolean known() {
      return known;
    }

    /** Whether this process was told to start in some epoch: it has run the program's code. */
    boolean started() {
      return started;
    }

    /** Whether the process of this incarnation is the newest one, and lives. */
    boolean lives(int process) {
      return process == incarnation && life == Life.ALIVE;
    }
  }

  private final List<Rank> ranks;

  /** How many ranks are at each stage. */
  private final Map<Stage, Integer> at = new EnumMap<>(Stage.class);

  /** Where those can be reached that have joined the epoch. */
  private AddressTable.Builder addresses;

  private int knownCount;
  private int goneCount;

  /**
   * @param ranks an empty list, which may count how often a rank is looked at
   */
  Ranks(int size, List<Rank> ranks) {
    this.ranks = ranks;
    for (int r = 0; r < size; r++) {
      ranks.add(new Rank(r));
    }
    at.put(Stage.AWAITED, size);
    addresses = new AddressTable.Builder(size);
  }

  int size() {
    return ranks.size();
  }

  Rank get(int rank) {
    return ranks.get(rank);
  }

  boolean isRank(int number) {
    return number >= 0 && number < ranks.size();
  }

  // ---- processes

  /** A process is started for a rank that has none. */
  void started(Rank rank) {
    assert rank.life == Life.NONE : "two processes of one rank";
    assert rank.stage == Stage.AWAITED;
    rank.incarnation++;
    rank.life = Life.ALIVE;
    rank.started = false;
  }

  /** A rank's process is being killed. */
  void dying(Rank rank) {
    assert rank.life == Life.ALIVE : "only what lives can be killed";
    rank.life = Life.DYING;
    fallBack(rank);
  }

  /** A rank's process is lost, and will be replaced. */
  void lost(Rank rank) {
    assert rank.life == Life.ALIVE || rank.life == Life.DYING;
    rank.life = Life.NONE;
    fallBack(rank);
  }

  /** A rank's process has ended, and needs no other one. */
  void gone(Rank rank) {
    assert rank.life == Life.ALIVE || rank.life == Life.DYING;
    rank.life = Life.GONE;
    goneCount++;
    assert goneCount <= ranks.size();
  }

  boolean allGone() {
    return goneCount == ranks.size();
  }

  /** The first rank that needs no process any more; null if there is none. */
  @Nullable Rank firstGone() {
    return goneCount == 0 ? null : first(r -> r.life == Life.GONE);
  }

  void known(Rank rank) {
    if (!rank.known) {
      rank.known = true;
      knownCount++;
    }
  }

  /** The first rank that is known to use the library; null if there is none. */
  @Nullable Rank firstKnown() {
    return knownCount == 0 ? null : first(r -> r.known);
  }

  private @Nullable Rank first(Predicate<Rank> wanted) {
    for (Rank rank : ranks) {
      if (wanted.test(rank)) {
        return rank;
      }
    }
    return null;
  }

  // ---- stages

  /** A new epoch: nobody has come to it yet. */
  void beginEpoch() {
    for (Rank rank : ranks) {
      rank.stage = Stage.AWAITED;
      rank.joined = null;
    }
    at.clear();
    at.put(Stage.AWAITED, ranks.size());
    addresses = new AddressTable.Builder(ranks.size());
  }

  private void fallBack(Rank rank) {
    move(rank, Stage.AWAITED);
    rank.joined = null;
  }

  private void move(Rank rank, Stage to) {
    at.merge(rank.stage, -1, Integer::sum);
    at.merge(to, 1, Integer::sum);
    assert atStage(rank.stage) >= 0 && atStage(to) <= ranks.size();
    rank.stage = to;
  }

  private int atStage(Stage stage) {
    return at.getOrDefault(stage, 0);
  }

  /** A rank has joined. */
  void joined(Rank rank, RankMessage.Joined message) {
    rank.joined = message.withoutAddresses();
    addresses.put(rank.number, message.addresses());
    boolean _ = reach(rank, Stage.JOINED);
  }

  /** Where all can be reached, once all have joined. */
  AddressTable addresses() {
    assert allAt(Stage.JOINED);
    return addresses.build();
  }

  /** Whether all ranks have come to a stage, or beyond it. */
  boolean allAt(Stage stage) {
    for (Stage earlier : Stage.values()) {
      if (earlier.compareTo(stage) < 0 && atStage(earlier) > 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * A rank has come to a stage.
   *
   * @return whether it was the last one
   */
  boolean reach(Rank rank, Stage stage) {
    assert rank.life == Life.ALIVE;
    if (rank.stage.compareTo(stage) >= 0) {
      return false;
    }
    move(rank, stage);
    return allAt(stage);
  }

  /**
   * All have joined and are told to start: from now on they run the program's code.
   *
   * @return what they said when they joined, by rank, without their addresses
   */
  List<RankMessage.Joined> start() {
    List<RankMessage.Joined> all = new ArrayList<>(ranks.size());
    addresses =
        new AddressTable.Builder(ranks.size()); // what was there takes memory, and has been sent
    for (Rank rank : ranks) {
      RankMessage.Joined message = rank.joined;
      if (message == null) {
        throw new IllegalStateException("rank " + rank.number + " has not joined");
      }
      all.add(message);
      rank.started = true;
      rank.joined = null;
    }
    return all;
  }
}
