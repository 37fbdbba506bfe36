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
 * The process of each rank, and counts of ranks per stage, so that no event has to visit all ranks.
 */
final class Ranks {
  /** The state of a rank's newest process. */
  enum Life {
    /** None: the first was not started yet, or the last was lost and not replaced yet. */
    NONE,
    ALIVE,
    /** Being killed; its exit is awaited. */
    DYING,
    /** Exited after all ranks were released, or without ever having joined. */
    GONE,
    /** Lost, and not replaced. */
    DEAD
  }

  /** The stage of a rank in the epoch. */
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
    private boolean late;

    /** The message with which it joined the epoch, without its addresses. */
    private RankMessage.@Nullable Joined joined;

    private Rank(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    /** Returns the number of its newest process; -1 before the first. */
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

    /** Whether this process received Start in some epoch: it has run the program's code. */
    boolean started() {
      return started;
    }

    /** Whether the process of this incarnation is the newest one, and lives. */
    boolean lives(int process) {
      return process == incarnation && life == Life.ALIVE;
    }
  }

  private final List<Rank> ranks;

  /** Number of ranks at each stage. */
  private final Map<Stage, Integer> at = new EnumMap<>(Stage.class);

  /** Addresses of the ranks that have joined the epoch. */
  private AddressTable.Builder addresses;

  private int knownCount;
  private int goneCount;
  private int deadCount;

  /**
   * @param ranks an empty list, which may count accesses to ranks
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

  /** Notes a process started for a rank without one. */
  void started(Rank rank) {
    assert rank.life == Life.NONE : "two processes of one rank";
    assert rank.stage == Stage.AWAITED;
    rank.incarnation++;
    rank.life = Life.ALIVE;
    rank.started = false;
    rank.late = false;
  }

  /** Notes that a rank's process takes too long to join. */
  void late(Rank rank) {
    rank.late = true;
  }

  /**
   * Returns the ranks whose processes take too long to join, if all others have joined; otherwise
   * none.
   */
  List<Rank> allThatAreAwaited() {
    List<Rank> late = ranks.stream().filter(Ranks::isLate).toList();
    return atStage(Stage.JOINED) > 0 && late.size() == atStage(Stage.AWAITED) ? late : List.of();
  }

  private static boolean isLate(Rank rank) {
    return rank.late && rank.life == Life.ALIVE && rank.stage == Stage.AWAITED;
  }

  /** Notes that a rank's process is being killed. */
  void dying(Rank rank) {
    assert rank.life == Life.ALIVE : "only what lives can be killed";
    rank.life = Life.DYING;
    fallBack(rank);
  }

  /** Notes that a rank's process is lost, and will be replaced. */
  void lost(Rank rank) {
    assert rank.life == Life.ALIVE || rank.life == Life.DYING;
    rank.life = Life.NONE;
    fallBack(rank);
  }

  /** Notes that a rank's process has ended, and needs no replacement. */
  void gone(Rank rank) {
    assert rank.life == Life.ALIVE || rank.life == Life.DYING;
    rank.life = Life.GONE;
    goneCount++;
    assert goneCount <= ranks.size();
  }

  /** Notes that a rank has lost its process, or is losing it, and gets no other one. */
  void dead(Rank rank) {
    assert rank.life == Life.NONE || rank.life == Life.DYING;
    rank.life = Life.DEAD;
    at.merge(rank.stage, -1, Integer::sum);
    deadCount++;
  }

  boolean allDead() {
    return deadCount == ranks.size();
  }

  /** Whether each rank has ended by itself, but for those that are dead. */
  boolean allGone() {
    return goneCount > 0 && goneCount + deadCount == ranks.size();
  }

  /** Returns the first rank that needs no process any more; null if there is none. */
  @Nullable Rank firstGone() {
    return goneCount == 0 ? null : first(r -> r.life == Life.GONE);
  }

  void known(Rank rank) {
    if (!rank.known) {
      rank.known = true;
      knownCount++;
    }
  }

  /** Returns the first rank known to use the library; null if there is none. */
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

  /** Begins an epoch: all ranks are before its first stage. */
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

  /** Notes that a rank has joined. */
  void joined(Rank rank, RankMessage.Joined message) {
    rank.joined = message.withoutAddresses();
    addresses.put(rank.number, message.addresses());
    boolean _ = reach(rank, Stage.JOINED);
  }

  /** Returns the addresses of all ranks, once all have joined. */
  AddressTable addresses() {
    assert allAt(Stage.JOINED);
    return addresses.build();
  }

  /** Whether all ranks have reached a stage. */
  boolean allAt(Stage stage) {
    for (Stage earlier : Stage.values()) {
      if (earlier.compareTo(stage) < 0 && atStage(earlier) > 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Notes that a rank has reached a stage.
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
   * Starts all joined ranks: from now on they run the program's code.
   *
   * @return the messages with which they joined, by rank, without their addresses
   */
  List<RankMessage.Joined> start() {
    List<RankMessage.Joined> all = new ArrayList<>(ranks.size());
    addresses =
        new AddressTable.Builder(ranks.size()); // the old one takes memory, and has been sent
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
