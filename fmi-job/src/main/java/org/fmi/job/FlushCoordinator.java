package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.fmi.control.Notice;
import org.fmi.job.control.Level2Report;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * Decides which version is written to files, and when it is published. Takes events, returns
 * commands; never ends or delays the job.
 *
 * <pre>
 *  Ready of all ranks --&gt; Flush to their nodes ... Written by all --&gt; Publish to one ... Published: committed
 *        '-- while another one is being written: the newest waits
 *  Failed, or a node lost: abandoned; the next ones are skipped, more of them with each failure in a row
 * </pre>
 *
 * Before the job ends, it calls {@link #finish}, which takes as long as the files do, or {@link
 * #stop}.
 */
public final class FlushCoordinator {
  /** Maximum number of versions that are skipped after a failure. */
  private static final int MOST_LEFT_OUT = 31;

  /** Number of skipped versions after which a notice is printed. */
  private static final int MANY_PASSED = 8;

  /** Upper bound of ready versions; nodes keep fewer. */
  private static final int MOST_READY = 8;

  private final int size;
  private final int keep;
  private final List<FlushCommand> out = new ArrayList<>();

  /** The versions that nodes are ready to write. */
  private final TreeMap<Long, Version> ready = new TreeMap<>();

  /** The version being written. */
  private @Nullable Version current;

  /** Published versions that were not deleted. */
  private final TreeSet<Long> counting = new TreeSet<>();

  private long committed = -1;
  private int failures;
  private int leftOut;

  /** Nodes that have not answered an order: they may still be writing. */
  private final TreeSet<Integer> busy = new TreeSet<>();

  /** Whether one of them has waited for a core in the meantime. */
  private boolean starved;

  /** The newest version that was begun. */
  private long tried = -1;

  /** Why the last abandoned version was abandoned. */
  private String failure = "";

  /** The version that is awaited; null if there is none. */
  private @Nullable Wish wish;

  /**
   * An awaited version.
   *
   * @param newest whether the newest ready version follows the current one
   * @param version version that must be attempted, even if not all nodes are ready for it yet
   */
  private record Wish(boolean newest, long version) {}

  /** One version on its way to files. */
  private final class Version {
    final int epoch;
    final List<CheckpointId> needed;

    /** The ranks of each node. */
    final TreeMap<Integer, int[]> nodes = new TreeMap<>();

    final TreeMap<Integer, Level2Report.Written> written = new TreeMap<>();

    /** The node that publishes it; -1 while it is being written. */
    int publisher = -1;

    /** Number of newer versions that became ready in the meantime. */
    int passed;

    /** Whether it is skipped after a failure, unless it is awaited. */
    boolean leftOut;

    /** Nodes that cannot publish it. */
    final TreeSet<Integer> tried = new TreeSet<>();

    Version(int epoch, List<CheckpointId> needed) {
      this.epoch = epoch;
      this.needed = needed;
    }

    CheckpointId recoveryLine() {
      return needed.getLast();
    }

    /** Whether each rank is on exactly one of its nodes. */
    boolean coversAll() {
      BitSet ranks = new BitSet();
      int count = 0;
      for (int[] each : nodes.values()) {
        Arrays.stream(each).forEach(ranks::set);
        count += each.length;
      }
      return count == size && ranks.cardinality() == size && ranks.length() == size;
    }
  }

  /**
   * Creates a coordinator for a job that has not begun.
   *
   * @param size the number of ranks
   * @param keep the number of versions to keep in files
   */
  public FlushCoordinator(int size, int keep) {
    this.size = size;
    this.keep = keep;
  }

  /** Handles a report of a node. */
  public List<FlushCommand> on(int node, Level2Report report) {
    switch (report) {
      case Level2Report.Ready m -> onReady(node, m);
      case Level2Report.Written m -> onWritten(node, m);
      case Level2Report.Published m -> onPublished(node, m.version());
      case Level2Report.Failed m -> onFailed(node, m);
      case Level2Report.Starved m -> starved |= busy.contains(node) && current(m.version()) != null;
    }
    return take();
  }

  /** Handles the loss of a node, and of the images its ranks had pinned. */
  public List<FlushCommand> lost(int node, String name) {
    busy.remove(node);
    ready.values().forEach(each -> each.nodes.remove(node));
    Version version = current;
    if (version != null) {
      version.tried.add(node); // even if it has written its file: it cannot publish
    }
    if (version != null && version.publisher == node) {
      publish(version, name + " was lost while writing the manifest");
    } else if (version != null
        && version.publisher < 0
        && version.nodes.containsKey(node)
        && !version.written.containsKey(node)) {
      giveUp(version, name + " was lost while writing its file");
    }
    next();
    return take();
  }

  /**
   * Completes the current version at the end of the job. Answered by {@link FlushCommand.Finished}.
   *
   * @param newest whether the newest version that all nodes are ready for is written as well, if
   *     newer
   */
  public List<FlushCommand> finish(boolean newest) {
    wish = new Wish(newest, -1);
    next();
    return take();
  }

  /**
   * Completes a version, or a newer one; not all nodes need be ready for it yet. Answered by {@link
   * FlushCommand.Finished}, which says whether it is published; if not, the job may continue.
   */
  public List<FlushCommand> finish(long version) {
    wish = new Wish(true, version);
    next();
    return take();
  }

  /** Whether an awaited node has lacked a core to write, since the last call. */
  public boolean wasStarved() {
    boolean was = starved && current != null;
    starved = false;
    return was;
  }

  /** Stops waiting for a version. */
  public void forget() {
    wish = null;
  }

  /**
   * Abandons the awaited version, and begins no other.
   *
   * @param reason for the user
   */
  public List<FlushCommand> stop(String reason) {
    wish = null;
    ready.clear();
    Version version = current;
    if (version != null) {
      giveUp(version, reason);
    }
    return take();
  }

  /** Returns the version that is being written or will be next; null if there is none. */
  public @Nullable CheckpointId awaited() {
    Version version = current == null ? newestReady() : current;
    return version == null ? null : version.recoveryLine();
  }

  private List<FlushCommand> take() {
    List<FlushCommand> all = List.copyOf(out);
    out.clear();
    return all;
  }

  private void report(Notice notice) {
    out.add(new FlushCommand.Report(notice));
  }

  private void onReady(int node, Level2Report.Ready m) {
    CheckpointId line = m.needed().getLast();
    if (line.version() <= committed) {
      return;
    }
    Version version = ready.get(line.version());
    if (version != null && version.epoch > m.epoch()) {
      return; // of a past epoch
    }
    if (version == null || version.epoch < m.epoch() || !version.needed.equals(m.needed())) {
      version = new Version(m.epoch(), m.needed());
      ready.put(line.version(), version);
      if (ready.size() > MOST_READY) {
        ready.pollFirstEntry();
      }
    }
    version.nodes.put(node, m.ranks());
    if (version.coversAll()) {
      // Nodes have released older ones.
      ready.headMap(line.version()).clear();
      complain();
      next();
    }
  }

  /** Continues with the newest version that all nodes are ready for, if none is being written. */
  private void next() {
    if (current != null) {
      return;
    }
    Version version = wish == null || wish.newest ? newestReady() : null;
    if (version == null) {
      if (wish != null && (wish.version <= committed || wish.version <= tried)) {
        wish = null;
        out.add(new FlushCommand.Finished(committed, failure));
      }
    } else if (busy.isEmpty()) {
      begin(version);
    }
  }

  /**
   * Returns the newest version that all nodes are ready for and that is to be written; null if
   * there is none.
   */
  private @Nullable Version newestReady() {
    for (Version each : ready.descendingMap().values()) {
      if (each.coversAll()) {
        return each.leftOut && wish == null ? null : each;
      }
    }
    return null;
  }

  private void begin(Version version) {
    CheckpointId line = version.recoveryLine();
    ready.headMap(line.version()).clear();
    if (leftOut > 0 && wish == null) {
      leftOut--;
      version.leftOut = true;
      return;
    }
    ready.remove(line.version());
    current = version;
    tried = line.version();
    report(new Notice.Level2Begun(line.version(), line.loop(), line.iteration()));
    out.add(new FlushCommand.Begun());
    for (int node : version.nodes.keySet()) {
      busy.add(node);
      out.add(new FlushCommand.Flush(node, line.version(), oldest()));
    }
  }

  /** Returns the version that may be deleted if there is no room; never the only one. */
  private long oldest() {
    return counting.size() < 2 ? -1 : counting.first();
  }

  /** Reports once that a version takes so long that others are skipped. */
  private void complain() {
    Version slow = current;
    if (slow != null && ++slow.passed == MANY_PASSED) {
      report(
          new Notice.Degraded(
              "checkpoint "
                  + slow.recoveryLine().version()
                  + " is still being written to files, so "
                  + MANY_PASSED
                  + " newer checkpoints were skipped: write them less often,"
                  + " or use a faster file system"));
    }
  }

  private @Nullable Version current(long number) {
    Version version = current;
    return version != null && version.recoveryLine().version() == number ? version : null;
  }

  private void onWritten(int node, Level2Report.Written m) {
    busy.remove(node);
    Version version = current(m.version());
    if (version != null && version.publisher < 0 && version.nodes.containsKey(node)) {
      version.written.put(node, m);
      report(new Notice.Level2Flushed(m.version(), node, m.bytes()));
      if (version.written.size() == version.nodes.size()) {
        publish(version, "");
      }
    }
    next();
  }

  /** Has the next node that has not tried publish the version; gives up if all have tried. */
  private void publish(Version version, String why) {
    for (Map.Entry<Integer, int[]> each : version.nodes.entrySet()) {
      int node = each.getKey();
      if (!version.tried.contains(node) && !busy.contains(node)) {
        version.tried.add(node);
        version.publisher = node;
        busy.add(node);
        out.add(
            new FlushCommand.Publish(
                node,
                version.recoveryLine().version(),
                oldest(),
                version.needed,
                List.copyOf(version.written.values())));
        return;
      }
    }
    giveUp(version, why.isEmpty() ? "no node is left to write the manifest" : why);
  }

  private void onPublished(int node, long number) {
    busy.remove(node);
    Version version = current(number);
    if (version != null && version.publisher == node) {
      CheckpointId line = version.recoveryLine();
      long bytes = version.written.values().stream().mapToLong(Level2Report.Written::bytes).sum();
      committed = line.version();
      counting.add(committed);
      while (counting.size() > keep) {
        counting.pollFirst();
      }
      failures = 0;
      failure = "";
      current = null;
      report(new Notice.Level2Committed(line.version(), line.loop(), line.iteration(), bytes));
      out.add(new FlushCommand.Ended(true));
    }
    next();
  }

  private void onFailed(int node, Level2Report.Failed m) {
    busy.remove(node);
    Version version = current(m.version());
    if (version != null) {
      if (m.full()) {
        counting.remove(oldest()); // it was not enough
      }
      if (version.publisher == node) {
        publish(version, m.reason());
      } else if (version.publisher < 0 && version.nodes.containsKey(node)) {
        giveUp(version, m.reason());
      }
    }
    next();
  }

  private void giveUp(Version version, String reason) {
    current = null;
    failure = reason;
    leftOut = Math.min((1 << Math.min(failures, 30)) - 1, MOST_LEFT_OUT);
    failures++;
    CheckpointId line = version.recoveryLine();
    report(new Notice.Level2Failed(line.version(), line.iteration(), reason, leftOut));
    out.add(new FlushCommand.Ended(false));
  }
}
