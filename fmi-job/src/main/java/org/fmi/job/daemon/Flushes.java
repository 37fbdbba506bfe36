package org.fmi.job.daemon;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.fmi.control.Pinned;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.Level2Order;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.NodeSetup;
import org.fmi.rules.TimeWithCore;
import org.fmi.spi.PinnedImage;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Manages the images that a node's ranks pin for files: which are kept, when the helper writes
 * them, and when they are released. One helper runs at a time. A helper without progress is killed;
 * only the next helper waits for its end. Time without a core does not count, because no file
 * server is to blame for that.
 *
 * <pre>
 *  a rank pins --&gt; ... all ranks of the node have: Ready --&gt; fmirun: Flush --&gt; helper ... Written --&gt; released
 *                     '-- a newer version is ready: released
 * </pre>
 */
final class Flushes {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** A version that is ready, and the next one until it is ready. */
  private static final int MOST_VERSIONS = 2;

  private final NodeFacts facts;
  private final Consumer<DaemonCommand> out;

  /** The pinned images of each rank, by version. */
  private final TreeMap<Long, TreeMap<Integer, Pinned>> kept = new TreeMap<>();

  /** The helper's task; null if none runs. */
  private @Nullable FlushTask running;

  /** The time since the helper's last progress; null if none runs. */
  private @Nullable TimeWithCore still;

  /** The time at which the helper is checked. */
  private long due;

  /** Whether the helper has begun its task. */
  private boolean begun;

  /** The time that the helper had waited for a core when this was last reported. */
  private long reported;

  /** The version of a killed helper until its process has ended; otherwise -1. */
  private long stuck = -1;

  /** Time limit for the helper to make progress. */
  private long stallMillis;

  /** The pieces to release when the helper has ended. */
  private List<String> read = List.of();

  Flushes(NodeFacts facts, Consumer<DaemonCommand> out) {
    this.facts = facts;
    this.out = out;
  }

  /**
   * Takes the pinned images of a version from a rank.
   *
   * @param config configuration of the rank; null if its process has none
   * @param ranks the ranks that run on the node now
   */
  void offered(@Nullable RankConfig config, Pinned pinned, Set<Integer> ranks) {
    if (config == null) {
      unpin(List.of(pinned)); // no rank would read it
      return;
    }
    TreeMap<Integer, Pinned> ofVersion =
        kept.computeIfAbsent(pinned.version(), _ -> new TreeMap<>());
    Pinned before = ofVersion.put(config.rank(), pinned);
    if (before != null) {
      unpin(List.of(before)); // of a past epoch
    }
    ofVersion.values().stream()
        .filter(each -> each.epoch() < pinned.epoch())
        .forEach(each -> unpin(List.of(each)));
    ofVersion.values().removeIf(each -> each.epoch() < pinned.epoch());
    while (kept.size() > MOST_VERSIONS) {
      unpin(kept.pollFirstEntry().getValue().values());
    }
    if (ofVersion.keySet().containsAll(ranks)) {
      unpinBefore(pinned.version());
      report(
          new Level2Report.Ready(
              pinned.epoch(),
              pinned.images().stream().map(PinnedImage::id).toList(),
              ofVersion.keySet().stream().mapToInt(Integer::intValue).toArray()));
    }
  }

  /** Releases unreported images of a rank whose process has ended. */
  void left(int rank, @Nullable NodeSetup setup) {
    if (setup == null || setup.level2().every() == 0) {
      return;
    }
    List<String> known = new ArrayList<>(read);
    kept.values().forEach(ofVersion -> known.addAll(pieces(ofVersion.values())));
    String prefix = Pinned.prefix(rank);
    known.removeIf(name -> !name.startsWith(prefix));
    out.accept(new DaemonCommand.UnpinUnknown(prefix, known));
  }

  /** Handles an order of fmirun. */
  void ordered(long now, Level2Order order, @Nullable NodeSetup setup) {
    if (setup == null) {
      throw new IllegalStateException("an order before setup");
    }
    String directory = setup.level2().directory();
    stallMillis = setup.level2().stallMillis();
    long version =
        switch (order) {
          case Level2Order.Flush m -> m.version();
          case Level2Order.Publish m -> m.version();
        };
    if (running != null) {
      fail(version, "version " + running.version() + " is still being written");
      return;
    }
    if (stuck >= 0) {
      fail(
          version,
          directory
              + ": the process that was killed while writing version "
              + stuck
              + " still hangs; does the file server respond?");
      return;
    }
    switch (order) {
      case Level2Order.Flush m -> {
        unpinBefore(m.version());
        TreeMap<Integer, Pinned> mine = kept.remove(m.version());
        if (mine == null) {
          fail(m.version(), "a newer checkpoint has taken its place in memory");
          return;
        }
        List<FlushTask.OfRank> ranks = new ArrayList<>();
        for (Map.Entry<Integer, Pinned> each : mine.entrySet()) {
          ranks.add(new FlushTask.OfRank(each.getKey(), each.getValue().images()));
        }
        read = pieces(mine.values());
        run(
            now,
            new FlushTask.Write(
                directory,
                facts.jobId(),
                setup.job().size(),
                facts.node(),
                mine.firstEntry().getValue().epoch(),
                m.version(),
                m.oldest(),
                setup.level2().bytesPerSecond(),
                facts.pieces(),
                ranks));
      }
      case Level2Order.Publish m ->
          run(
              now,
              new FlushTask.Publish(
                  directory, facts.jobId(), m.version(), m.oldest(), m.manifest(), m.keep()));
    }
  }

  private void run(long now, FlushTask task) {
    running = task;
    begun = false;
    reported = 0;
    TimeWithCore time = new TimeWithCore(stallMillis * NANOS_PER_MILLI, now);
    still = time;
    due = now + time.pause();
    out.accept(new DaemonCommand.RunHelper(task));
  }

  /** Notes progress of the helper; the first time, it has begun its task. */
  void moved() {
    TimeWithCore time = still;
    if (time != null) {
      begun = true;
      time.begin();
    }
  }

  /** Returns when {@link #onTime} is due, if it is. */
  OptionalLong due() {
    return running == null ? OptionalLong.empty() : OptionalLong.of(due);
  }

  /** Has the helper checked if that is due. */
  void onTime(long now) {
    TimeWithCore time = still;
    if (time != null && now - due >= 0) {
      due = now + time.pause();
      out.accept(new DaemonCommand.LookAtHelper());
    }
  }

  /**
   * Gives up a helper without progress; reports a helper that merely waits for a core.
   *
   * @param machine the load of the machine, for the user
   */
  void seen(long now, TimeWithCore.Look look, String machine) {
    FlushTask task = running;
    TimeWithCore time = still;
    if (task == null || time == null) {
      return; // it has ended in the meantime
    }
    time.add(now, look);
    if (time.isOver()) {
      giveUp(task);
    } else if (time.starved() - reported >= stallMillis * NANOS_PER_MILLI / 2) {
      if (reported == 0) {
        out.accept(
            new DaemonCommand.Report(
                new FromDaemon.Warning(
                    "the process that writes checkpoint "
                        + task.version()
                        + " to files waits for a core because the machine is overloaded ("
                        + machine
                        + "); the checkpoint will be late")));
      }
      reported = time.starved();
      report(new Level2Report.Starved(task.version()));
    }
  }

  private void giveUp(FlushTask task) {
    boolean hangs = begun;
    out.accept(new DaemonCommand.KillHelper());
    stuck = task.version();
    over();
    String limit = BigDecimal.valueOf(stallMillis, 3).stripTrailingZeros().toPlainString();
    fail(
        task.version(),
        hangs
            ? task.directory()
                + ": no progress for "
                + limit
                + " s, the limit; the process that writes was killed. Does the file server"
                + " respond?"
            : "the process that writes did not start within "
                + limit
                + " s, the limit, and was killed; do the file systems of FMI and of Java"
                + " respond?");
  }

  /** Notes that no awaited task runs. */
  private void over() {
    end();
    if (!read.isEmpty()) {
      out.accept(new DaemonCommand.Unpin(read));
      read = List.of();
    }
  }

  /** Ends the helper together with the daemon. */
  void end() {
    running = null;
    still = null;
  }

  /** Handles the end of the helper's task. */
  void ended(FlushResult result) {
    FlushTask task = running;
    if (task == null) {
      if (stuck < 0) {
        throw new IllegalStateException("no helper runs");
      }
      stuck = -1;
      return;
    }
    over();
    report(
        switch (result) {
          case FlushResult.Written m ->
              new Level2Report.Written(task.version(), m.name(), m.bytes(), m.digest(), m.ranks());
          case FlushResult.Published _ -> new Level2Report.Published(task.version());
          case FlushResult.Failed m ->
              new Level2Report.Failed(task.version(), m.reason(), m.full());
        });
  }

  private void fail(long version, String reason) {
    report(new Level2Report.Failed(version, reason, false));
  }

  private void report(Level2Report report) {
    out.accept(new DaemonCommand.Report(new FromDaemon.Level2(report)));
  }

  private void unpinBefore(long version) {
    Map<Long, TreeMap<Integer, Pinned>> older = kept.headMap(version);
    older.values().forEach(each -> unpin(each.values()));
    older.clear();
  }

  private void unpin(Iterable<Pinned> all) {
    List<String> names = pieces(all);
    if (!names.isEmpty()) {
      out.accept(new DaemonCommand.Unpin(names));
    }
  }

  private static List<String> pieces(Iterable<Pinned> all) {
    List<String> names = new ArrayList<>();
    for (Pinned each : all) {
      each.images().forEach(image -> names.add(image.piece()));
    }
    return names;
  }
}
