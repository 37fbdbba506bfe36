package org.fmi.run.timeline;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.fmi.run.options.UsageException;
import org.fmi.run.timeline.Timeline.Attempt;
import org.fmi.run.timeline.Timeline.Checkpoint;
import org.fmi.run.timeline.Timeline.Ending;
import org.fmi.run.timeline.Timeline.Failure;
import org.fmi.run.timeline.Timeline.Join;
import org.fmi.run.timeline.Timeline.Node;
import org.fmi.run.timeline.Timeline.Notice;
import org.fmi.run.timeline.Timeline.Recovery;
import org.fmi.run.timeline.Timeline.Remark;
import org.fmi.run.timeline.Timeline.Spawn;
import org.fmi.run.timeline.Timeline.Stay;
import org.fmi.run.timeline.Timeline.Stop;
import org.jspecify.annotations.Nullable;

/**
 * Makes a timeline of events. The events that one decision has led to have the same time: by that a
 * failure is known to belong to the recovery that begins with it.
 */
final class TimelineBuilder {
  private static final long NEVER = Timeline.NEVER;

  private final List<Node> nodes = new ArrayList<>();
  private final List<Stay> stays = new ArrayList<>();
  private final List<Recovery> recoveries = new ArrayList<>();
  private final List<Failure> others = new ArrayList<>();
  private final List<Checkpoint> checkpoints = new ArrayList<>();
  private final List<Remark> remarks = new ArrayList<>();

  /** Where in {@link #stays} the newest process of a rank is. */
  private final Map<Integer, Integer> stayOf = new HashMap<>();

  /** Where in {@link #nodes} the newest life of a node is. */
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

  /** When all ranks ran the last time. */
  private long lastRunning;

  /** A recovery that is under way. */
  private static final class Open {
    final long noticed;
    final List<Failure> failures = new ArrayList<>();
    final List<Attempt> attempts = new ArrayList<>();

    Open(long noticed) {
      this.noticed = noticed;
    }

    Attempt last() {
      return attempts.getLast();
    }

    void change(Attempt changed) {
      attempts.set(attempts.size() - 1, changed);
    }
  }

  /**
   * The timeline of an event file.
   *
   * @throws UsageException if it is none
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
          event.where() + ": another job begins here; give a file with the events of one job");
    }
    long at = Math.max(now, TimeUnit.NANOSECONDS.toMicros(nanos - firstNanos));
    if (at > now) {
      nobodyRecovers();
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
      case "CauseKnown" -> causeKnown(event.integer("rank"), event.text("reason"));
      case "Notified" -> notified(event);
      case "RecoveryBegun" -> recoveryBegun(event);
      case "Degraded" -> remarks.add(new Remark(now, event.text("what")));
      case "CheckpointCommitted" -> checkpoints.add(checkpoint(event));
      case "Finished" ->
          ending =
              new Ending(
                  event.integer("status"), event.integer("recoveries"), event.text("message"));
      case "Left", "Joined", "AllJoined", "AllConnected", "AllRunning" -> inRecovery(event);
      default -> {
        // Of a newer version.
      }
    }
  }

  /** What is known so far. */
  Timeline build(boolean cut) {
    nobodyRecovers();
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

  /** What has failed before now did not begin a recovery. */
  private void nobodyRecovers() {
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
    current.attempts.add(attempt);
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
        lastRunning = now;
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

  private Recovery closed(Open from, long running, long loop, long iteration, int rebuilt) {
    // Where it goes back to is known at its end only.
    long since = running == NEVER ? lastCheckpoint() : checkpointAt(loop, iteration, from.noticed);
    return new Recovery(
        from.noticed,
        List.copyOf(from.failures),
        List.copyOf(from.attempts),
        running,
        loop,
        iteration,
        rebuilt,
        recoveries.isEmpty() ? from.noticed : Math.clamp(since, lastRunning, from.noticed),
        running == NEVER ? -1 : lostIterations(from, loop, iteration));
  }

  /** What the next recovery goes back to, as far as can be known before. */
  private long lastCheckpoint() {
    return checkpoints.isEmpty() ? lastRunning : checkpoints.getLast().at();
  }

  /** When the checkpoint was committed that a recovery goes back to. */
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
    // It was being committed when the failure came: rank 0 no longer reported it.
    return noticed;
  }

  /** From the line to the farthest of the ranks that could tell. */
  private static long lostIterations(Open from, long loop, long iteration) {
    long most = -1;
    for (Attempt attempt : from.attempts) {
      for (Stop stop : attempt.stopped()) {
        // In a later loop than that of the line: at least those of this loop.
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
