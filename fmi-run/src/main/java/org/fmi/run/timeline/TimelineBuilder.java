package org.fmi.run.timeline;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.fmi.run.options.UsageException;
import org.fmi.run.timeline.Timeline.Attempt;
import org.fmi.run.timeline.Timeline.Back;
import org.fmi.run.timeline.Timeline.Checkpoint;
import org.fmi.run.timeline.Timeline.Ending;
import org.fmi.run.timeline.Timeline.Failure;
import org.fmi.run.timeline.Timeline.Flow;
import org.fmi.run.timeline.Timeline.Join;
import org.fmi.run.timeline.Timeline.Node;
import org.fmi.run.timeline.Timeline.Notice;
import org.fmi.run.timeline.Timeline.Onward;
import org.fmi.run.timeline.Timeline.Recovery;
import org.fmi.run.timeline.Timeline.Remark;
import org.fmi.run.timeline.Timeline.Scope;
import org.fmi.run.timeline.Timeline.Spawn;
import org.fmi.run.timeline.Timeline.Stay;
import org.fmi.run.timeline.Timeline.Stop;
import org.jspecify.annotations.Nullable;

/**
 * Builds a timeline from events. Events of one decision have the same time, which links a failure
 * to the recovery that begins with it.
 */
final class TimelineBuilder {
  private static final long NEVER = Timeline.NEVER;

  private final List<Node> nodes = new ArrayList<>();
  private final List<Stay> stays = new ArrayList<>();
  private final List<Recovery> recoveries = new ArrayList<>();
  private final List<Failure> others = new ArrayList<>();
  private final List<Checkpoint> checkpoints = new ArrayList<>();
  private final List<Remark> remarks = new ArrayList<>();
  private final FileWrites fileWrites = new FileWrites(remarks);

  /** The index in {@link #stays} of a rank's newest process. */
  private final Map<Integer, Integer> stayOf = new HashMap<>();

  /** The index in {@link #nodes} of a node's newest life. */
  private final Map<Integer, Integer> nodeAt = new HashMap<>();

  /** Failures at {@link #now} that may begin a recovery. */
  private final List<Failure> fresh = new ArrayList<>();

  private final List<Notice> freshNotified = new ArrayList<>();

  private boolean begun;
  private long firstNanos;
  private long firstMillis;
  private long now;
  private String job = "";
  private String program = "";
  private int ranks;
  private @Nullable Ending ending;

  /** Null while all ranks run, and before the start. */
  private @Nullable Open open;

  /** The time at which all ranks last started to run after a start or a rollback of all. */
  private long lastRunning;

  /** The time at which each rank ran again after a local rollback, since then. */
  private final Map<Integer, Long> ranAgain = new HashMap<>();

  /** A current recovery. */
  private static final class Open {
    final long noticed;
    final List<Failure> failures = new ArrayList<>();
    final List<Attempt> attempts = new ArrayList<>();

    /** The ranks that roll back in the last attempt; null if all do. */
    @Nullable List<Integer> back;

    /** Why other ranks roll back as well, or why all do. */
    String why = "";

    final List<Onward> onward = new ArrayList<>();
    @Nullable Flow flow;

    /** Reports of ranks that caught up before all ran. */
    final Map<Integer, Back> caughtUp = new HashMap<>();

    Open(long noticed) {
      this.noticed = noticed;
    }

    Attempt last() {
      return attempts.getLast();
    }

    void change(Attempt changed) {
      attempts.set(attempts.size() - 1, changed);
    }

    void begin(Attempt next) {
      attempts.add(next);
      back = null;
      why = "";
      onward.clear();
      flow = null;
      caughtUp.clear();
    }
  }

  /**
   * Reads the timeline of an event file.
   *
   * @throws UsageException if it is not one
   * @throws IOException if it cannot be read
   */
  static Timeline read(Path path) throws UsageException, IOException {
    TimelineBuilder builder = new TimelineBuilder();
    try (EventFile file = new EventFile(path)) {
      for (Event event = file.next(); event != null; event = file.next()) {
        builder.on(event);
      }
      return builder.build(file.isCut());
    }
  }

  /**
   * Takes the next event.
   *
   * @throws UsageException if it lacks a field, or belongs to another job
   */
  void on(Event event) throws UsageException {
    long nanos = event.number("nanos");
    if (!begun) {
      begun = true;
      firstNanos = nanos;
      firstMillis = event.number("time");
    } else if (event.name().equals("Submitted")) {
      throw new UsageException(
          event.where()
              + ": the events of another job start here; use a file with the events of one job");
    }
    long at = Math.max(now, TimeUnit.NANOSECONDS.toMicros(nanos - firstNanos));
    if (at > now) {
      withoutRecovery();
      now = at;
    }
    switch (event.name()) {
      case "Submitted" -> {
        job = event.text("job");
        program = event.text("program");
      }
      case "NodeReady" -> nodeReady(event.integer("node"), event.text("name"));
      case "Started" -> {
        ranks = event.integer("ranks");
        open = new Open(now);
        open.attempts.add(attempt(0, ""));
      }
      case "Spawned" -> spawned(event, 0);
      case "Respawned" -> spawned(event, event.integer("incarnation"));
      case "RankFailed" -> rankFailed(event);
      case "NodeFailed" -> nodeFailed(event);
      case "FalsePositive" -> falsePositive(event.integer("rank"));
      case "CauseKnown" -> causeKnown(event.integer("rank"), event.text("reason"));
      case "Notified" -> notified(event);
      case "RecoveryBegun" -> recoveryBegun(event);
      case "Degraded", "Warned" -> remarks.add(new Remark(now, event.text("what")));
      case "CheckpointCommitted" -> checkpoints.add(checkpoint(event));
      case "Level2Begun", "Level2Committed", "Level2Failed", "Level2Restored" ->
          fileWrites.on(event, now);
      case "Shrunk" ->
          remarks.add(
              new Remark(now, "the program continues with " + event.integer("ranks") + " ranks"));
      case "Finished" ->
          ending =
              new Ending(
                  event.integer("status"), event.integer("recoveries"), event.text("message"));
      case "Left", "Joined", "AllJoined", "AllConnected", "AllRunning" -> inRecovery(event);
      case "RollbackDecided", "Continued", "FlowBegun", "FlowImpossible" -> scope(event);
      case "CaughtUp" -> caughtUp(event);
      default -> {
        // From a newer version.
      }
    }
  }

  /** Returns the timeline up to now. */
  Timeline build(boolean cut) {
    withoutRecovery();
    List<Recovery> all = new ArrayList<>(recoveries);
    Open unfinished = open;
    if (unfinished != null) {
      all.add(closed(unfinished, NEVER, -1, -1, 0));
    }
    return new Timeline(
        job,
        program,
        firstMillis,
        now,
        ranks,
        ending,
        cut,
        List.copyOf(nodes),
        List.copyOf(stays),
        List.copyOf(all),
        List.copyOf(others),
        List.copyOf(checkpoints),
        fileWrites.all(),
        List.copyOf(remarks));
  }

  // ---- nodes and processes

  private void nodeReady(int node, String name) {
    nodeAt.put(node, nodes.size());
    nodes.add(new Node(node, name, now, NEVER));
  }

  private void spawned(Event event, int incarnation) throws UsageException {
    int rank = event.integer("rank");
    int node = event.integer("node");
    processGone(rank);
    stayOf.put(rank, stays.size());
    stays.add(new Stay(rank, node, incarnation, now, NEVER));
    Open current = open;
    if (current != null) {
      current.last().spawned().add(new Spawn(rank, now, node));
    }
  }

  private void processGone(int rank) {
    Integer at = stayOf.remove(rank);
    if (at != null) {
      Stay stay = stays.get(at);
      stays.set(at, new Stay(rank, stay.node(), stay.incarnation(), stay.from(), now));
    }
  }

  // ---- failures

  private void rankFailed(Event event) throws UsageException {
    int rank = event.integer("rank");
    processGone(rank);
    failed(new Failure(now, rank, -1, "", event.text("by"), event.text("reason"), null));
  }

  /** The process of the rank has never stopped. */
  private void falsePositive(int rank) {
    for (int i = stays.size() - 1; i >= 0 && !stayOf.containsKey(rank); i--) {
      Stay stay = stays.get(i);
      if (stay.rank() == rank) {
        stays.set(i, new Stay(rank, stay.node(), stay.incarnation(), stay.from(), NEVER));
        stayOf.put(rank, i);
      }
    }
  }

  private void nodeFailed(Event event) throws UsageException {
    int number = event.integer("node");
    String name = event.text("name");
    Integer at = nodeAt.remove(number);
    Node node = at == null ? new Node(number, name, now, now) : nodes.get(at);
    Node lost = new Node(number, name, node.from(), now);
    if (at == null) {
      nodes.add(lost);
    } else {
      nodes.set(at, lost);
    }
    for (Stay stay : List.copyOf(stays)) {
      if (stay.node() == number && stay.to() == NEVER) {
        processGone(stay.rank());
      }
    }
    failed(new Failure(now, -1, number, name, event.text("by"), event.text("reason"), null));
  }

  private void failed(Failure failure) {
    Open current = open;
    (current == null ? fresh : current.failures).add(failure);
  }

  private void notified(Event event) throws UsageException {
    Notice notice = new Notice(event.integer("rank"), now, event.integer("hops"));
    Open current = open;
    (current == null ? freshNotified : current.last().notified()).add(notice);
  }

  /** Files earlier failures as failures without a recovery. */
  private void withoutRecovery() {
    others.addAll(fresh);
    fresh.clear();
    freshNotified.clear();
  }

  private void causeKnown(int rank, String cause) {
    Open current = open;
    if (current != null && correct(current.failures, rank, cause)) {
      return;
    }
    if (!correct(fresh, rank, cause)) {
      boolean _ = correct(others, rank, cause);
    }
  }

  private static boolean correct(List<Failure> failures, int rank, String cause) {
    for (int i = failures.size() - 1; i >= 0; i--) {
      if (failures.get(i).rank() == rank) {
        failures.set(i, failures.get(i).withCause(cause));
        return true;
      }
    }
    return false;
  }

  // ---- recoveries

  private Attempt attempt(int epoch, String reason) {
    return new Attempt(
        epoch,
        now,
        reason,
        NEVER,
        NEVER,
        NEVER,
        "",
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  private void recoveryBegun(Event event) throws UsageException {
    int epoch = event.integer("epoch");
    String reason = event.text("reason");
    Open current = open;
    if (current != null && event.flag("restartAll")) {
      Attempt a = current.last();
      current.change(
          new Attempt(
              a.epoch(),
              a.begun(),
              a.reason().isEmpty() ? reason : a.reason(),
              now,
              a.allJoined(),
              a.allConnected(),
              a.overlay(),
              a.notified(),
              a.stopped(),
              a.spawned(),
              a.joined()));
      return;
    }
    if (current == null) {
      current = new Open(now);
      open = current;
    }
    current.failures.addAll(fresh);
    fresh.clear();
    Attempt attempt = attempt(epoch, reason);
    attempt.notified().addAll(freshNotified);
    freshNotified.clear();
    current.begin(attempt);
  }

  private void inRecovery(Event event) throws UsageException {
    Open current = open;
    if (current == null) {
      return;
    }
    Attempt a = current.last();
    switch (event.name()) {
      case "Left" ->
          a.stopped()
              .add(
                  new Stop(
                      event.integer("rank"), now, event.number("loop"), event.number("iteration")));
      case "Joined" -> a.joined().add(new Join(event.integer("rank"), now));
      case "AllJoined" -> current.change(stage(a, now, NEVER, ""));
      case "AllConnected" -> current.change(stage(a, a.allJoined(), now, event.text("overlay")));
      default -> {
        recoveries.add(
            closed(
                current,
                now,
                event.number("loop"),
                event.number("iteration"),
                event.integer("rebuilt")));
        List<Integer> back = current.back;
        if (back == null) {
          lastRunning = now;
          ranAgain.clear();
        } else {
          back.forEach(rank -> ranAgain.put(rank, now));
        }
        open = null;
      }
    }
  }

  private static Attempt stage(Attempt a, long allJoined, long allConnected, String overlay) {
    return new Attempt(
        a.epoch(),
        a.begun(),
        a.reason(),
        a.restartAll(),
        allJoined,
        allConnected,
        overlay,
        a.notified(),
        a.stopped(),
        a.spawned(),
        a.joined());
  }

  /** Takes the set of ranks that roll back. */
  private void scope(Event event) throws UsageException {
    Open current = open;
    if (current == null) {
      return;
    }
    switch (event.name()) {
      case "RollbackDecided" -> {
        List<Integer> back = ranks(event, "ranks");
        current.back = back.isEmpty() ? null : back;
        current.why = event.text("reason");
      }
      case "Continued" ->
          current.onward.add(
              new Onward(
                  event.integer("rank"),
                  event.number("loop"),
                  event.number("iteration"),
                  event.number("messages"),
                  event.number("bytes")));
      case "FlowBegun" -> {
        current.back = ranks(event, "lost");
        current.why = "";
        current.flow =
            new Flow(
                event.number("from"),
                event.number("to"),
                event.text("helpers"),
                event.number("computed"));
      }
      default -> current.why = event.text("reason");
    }
  }

  /** Parses a list of ranks, as "[1, 4]". */
  private static List<Integer> ranks(Event event, String field) throws UsageException {
    List<Integer> ranks = new ArrayList<>();
    for (String each : event.text(field).split("[^0-9]+", -1)) {
      if (!each.isEmpty()) {
        ranks.add(Integer.valueOf(each));
      }
    }
    return ranks;
  }

  /**
   * Takes a report that a rank has caught up, which may precede the end of the recovery, or follow
   * another failure.
   */
  private void caughtUp(Event event) throws UsageException {
    int rank = event.integer("rank");
    Back report = new Back(rank, NEVER, event.number("from"), now, event.number("repeated"));
    Open current = open;
    if (current != null && current.back != null && current.back.contains(rank)) {
      current.caughtUp.put(rank, report);
      return;
    }
    for (int i = recoveries.size() - 1; i >= 0; i--) {
      Scope scope = recoveries.get(i).scope();
      if (scope == null) {
        return; // it rolled back with all other ranks after that
      }
      if (scope.has(rank)) {
        long since = since(scope, rank);
        recoveries.set(
            i,
            recoveries.get(i).with(new Back(rank, since, report.from(), now, report.repeated())));
        return;
      }
    }
  }

  private static long since(Scope scope, int rank) {
    return scope.back().stream().filter(b -> b.rank() == rank).findFirst().orElseThrow().since();
  }

  private Recovery closed(Open from, long running, long loop, long iteration, int rebuilt) {
    Flow flow = from.flow;
    long line = flow == null ? iteration : flow.from();
    // The place of the rollback is known only at its end.
    long checkpoint = running == NEVER ? lastCheckpoint() : checkpointAt(loop, line, from.noticed);
    boolean start = recoveries.isEmpty();
    long since = start ? from.noticed : Math.clamp(checkpoint, lastRunning, from.noticed);
    List<Integer> all = IntStream.range(0, ranks).boxed().toList();
    List<Integer> rolledBack = from.back == null ? all : from.back;
    List<Back> back = new ArrayList<>();
    long lost = 0;
    for (int rank : rolledBack) {
      long own = Math.max(since, Math.min(ranAgain.getOrDefault(rank, since), from.noticed));
      lost += computed(own, from.noticed);
      Back report = from.caughtUp.get(rank);
      back.add(
          report == null
              ? new Back(rank, own, line, NEVER, -1)
              : new Back(rank, own, report.from(), report.caughtUp(), report.repeated()));
    }
    Scope scope =
        from.back == null
            ? null
            : new Scope(from.why, List.copyOf(back), List.copyOf(from.onward), flow);
    return new Recovery(
        from.noticed,
        List.copyOf(from.failures),
        List.copyOf(from.attempts),
        running,
        loop,
        iteration,
        rebuilt,
        scope,
        scope == null ? from.why : "",
        since,
        lost / Math.max(1, ranks),
        running == NEVER ? -1 : lostIterations(from, scope, loop, line));
  }

  /** Returns the computing time of ranks between two times. */
  private long computed(long since, long until) {
    long all = until - since;
    for (int i = recoveries.size() - 1; i >= 0 && recoveries.get(i).noticed() >= since; i--) {
      all -= Math.min(until, recoveries.get(i).running()) - recoveries.get(i).noticed();
    }
    return Math.max(0, all);
  }

  /**
   * Returns the time of the checkpoint that the next recovery will use, as far as that is known.
   */
  private long lastCheckpoint() {
    return checkpoints.isEmpty() ? lastRunning : checkpoints.getLast().at();
  }

  /** Returns the time of the commit of the checkpoint that a recovery uses. */
  private long checkpointAt(long loop, long iteration, long noticed) {
    if (iteration < 0) {
      return 0;
    }
    for (int i = checkpoints.size() - 1; i >= 0; i--) {
      Checkpoint checkpoint = checkpoints.get(i);
      if (checkpoint.loop() == loop && checkpoint.iteration() == iteration) {
        return checkpoint.at();
      }
      if (checkpoint.loop() < loop
          || (checkpoint.loop() == loop && checkpoint.iteration() < iteration)) {
        break;
      }
    }
    // It was being committed at the time of the failure, so rank 0 did not report it.
    return noticed;
  }

  /**
   * Returns the iterations between the checkpoint and the furthest rank that reported its place.
   */
  private static long lostIterations(Open from, @Nullable Scope scope, long loop, long iteration) {
    if (scope != null) {
      Flow flow = scope.flow();
      long reported = scope.back().stream().mapToLong(Back::repeated).max().orElse(-1);
      long farthest = scope.onward().stream().mapToLong(Onward::iteration).max().orElse(-1);
      return flow != null
          ? flow.to() - flow.from()
          : reported >= 0 ? reported : Math.max(-1, farthest - iteration);
    }
    long most = -1;
    for (Attempt attempt : from.attempts) {
      for (Stop stop : attempt.stopped()) {
        // In a later loop than the checkpoint: at least the iterations of this loop.
        long line = stop.loop() == loop ? Math.max(0, iteration) : 0;
        most = Math.max(most, stop.iteration() - line);
      }
    }
    return most;
  }

  private Checkpoint checkpoint(Event event) throws UsageException {
    return new Checkpoint(
        now,
        event.integer("epoch"),
        event.number("version"),
        event.number("loop"),
        event.number("iteration"),
        event.number("bytes"),
        event.number("codedBytes"),
        TimeUnit.NANOSECONDS.toMicros(event.number("copyNanos")),
        TimeUnit.NANOSECONDS.toMicros(event.number("encodeNanos")),
        TimeUnit.NANOSECONDS.toMicros(event.number("commitNanos")));
  }
}
