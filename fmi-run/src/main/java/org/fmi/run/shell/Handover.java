package org.fmi.run.shell;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.ckpt.files.Generation;
import org.fmi.control.Notice;
import org.fmi.job.JobCommand;
import org.fmi.job.JobSpec;
import org.fmi.job.LeftMemory;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.node.Refusal;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.EarlierMemory;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Hands a program over from a job that has too few nodes to one with fewer ranks. Once all ranks
 * have ended, the nodes report the checkpoints that are left in their memory. The next job begins
 * from these, otherwise from files or from the program's start. All state belongs to the loop's
 * thread.
 */
final class Handover {
  /** The job that ends. */
  interface Way {
    /** Whether its ranks have ended, and it has neither failed nor been stopped. */
    boolean isVacated();

    /** Returns its nodes that are up. */
    List<NodeHandle> nodes();

    /** Sends this to all of its nodes. */
    void sendAll(ToDaemon message);

    /** Runs this on the loop. Any thread. */
    void post(Runnable task);

    void report(Notice notice);

    /**
     * Begins the next job.
     *
     * @param from the job whose memory it begins from; null if there is none
     * @throws IOException if there is no free port for its daemons, or no room for its directory
     */
    void begin(
        JobSpec next,
        EarlierMemory memory,
        @Nullable Handover from,
        String jobId,
        @Nullable Level2Files files)
        throws IOException;

    /** Ends the program, as its checkpoints are lost. */
    void checkpointsLost(String why);

    /** Ends the program, for another reason. */
    void fail(String message);
  }

  /** Number of ranks of the job that ends. */
  private final int size;

  private final @Nullable Level2Files files;
  private final Way way;

  /** The handover to the job that ends, until that has checkpoints; null if there is none. */
  private @Nullable Handover earlier;

  /** Null until the program is handed over. */
  private JobCommand.@Nullable Shrink to;

  /** Checkpoints left by the ranks, by node that has reported; lost nodes are removed. */
  private final Map<Integer, LeftMemory.OnNode> left = new TreeMap<>();

  /** Whether the nodes were asked for them. */
  private boolean asked;

  /** Whether it is decided from which memory the next job begins. */
  private boolean decided;

  Handover(int size, @Nullable Level2Files files, @Nullable Handover earlier, Way way) {
    this.size = size;
    this.files = files;
    this.earlier = earlier;
    this.way = way;
  }

  /** Whether the job still depends on the memory of an earlier one. */
  boolean dependsOnEarlier() {
    return earlier != null;
  }

  /** Handles checkpoints that replace those of the earlier job. */
  void takenOver() {
    earlier = null;
  }

  boolean hasBegun() {
    return to != null;
  }

  /** Begins; {@link #proceed} follows once the ranks are being ended. */
  void begin(JobCommand.Shrink command) {
    to = command;
  }

  /** Handles a node's report of what it holds. */
  void holds(NodeHandle node, FromDaemon.Holds message) {
    ToDaemon.Peer at = node.listens;
    if (at != null) {
      left.put(node.number, new LeftMemory.OnNode(at, message.parts()));
      proceed();
    }
  }

  void nodeLost(NodeHandle node) {
    left.remove(node.number);
  }

  /** Begins the next job once it is known from which memory. */
  void proceed() {
    if (to == null || decided || !way.isVacated()) {
      return;
    }
    if (earlier != null) {
      follow(to, earlier); // this job has no checkpoints of the loop yet
      return;
    }
    List<NodeHandle> up = way.nodes();
    if (!asked) {
      asked = true;
      up.forEach(node -> node.send(new ToDaemon.Serve()));
    }
    if (up.stream().allMatch(node -> left.containsKey(node.number))) {
      follow(to, this);
    }
  }

  private void follow(JobCommand.Shrink command, Handover from) {
    decided = true;
    EarlierMemory memory = EarlierMemory.NONE;
    String lost = "";
    try {
      memory = LeftMemory.of(from.size, List.copyOf(from.left.values()));
    } catch (UnrecoverableException e) {
      lost = String.valueOf(e.getMessage());
    }
    Start start = new Start(command, from, memory, lost, Succession.newJobId());
    if (files == null) {
      follow(start, null);
      return;
    }
    // Their server may not respond.
    Thread.ofVirtual()
        .name("fmi-generations")
        .start(
            () -> {
              try {
                Level2Files next =
                    files.following(start.jobId, command.next().size(), start.memory.exists());
                way.post(() -> follow(start, next));
              } catch (IOException e) {
                way.post(() -> way.fail("--l2-dir: cannot be read: " + Refusal.text(e)));
              }
            });
  }

  /**
   * The start of the next job.
   *
   * @param from the job whose memory it begins from, if there is any
   * @param lost why this memory is not enough; empty if it is, or there was no checkpoint
   */
  private record Start(
      JobCommand.Shrink command, Handover from, EarlierMemory memory, String lost, String jobId) {}

  private void follow(Start start, @Nullable Level2Files next) {
    if (!way.isVacated()) {
      return;
    }
    List<Generation> generations = next == null ? List.of() : next.origins();
    Handover from = null;
    CheckpointId line = null;
    String where = "";
    if (start.memory.exists()) {
      from = start.from;
      from.way.sendAll(new ToDaemon.Keep(start.memory.needed()));
      line = start.memory.needed().getLast();
      where = "checkpoints in memory";
    } else if (!generations.isEmpty()) {
      line = generations.getFirst().manifest().line();
      where = "files: " + generations.getFirst().manifest().name();
    } else if (!start.lost.isEmpty()) {
      way.checkpointsLost(start.lost);
      return;
    }
    JobSpec spec = start.command.next();
    way.report(
        new Notice.Shrunk(
            spec.size(),
            spec.nodes().size(),
            start.command.lost(),
            line == null ? -1 : line.loop(),
            line == null ? 0 : line.iteration(),
            where));
    try {
      way.begin(spec, start.memory, from, start.jobId, next);
    } catch (IOException e) {
      way.fail("the job with fewer ranks cannot begin: " + Refusal.text(e));
    }
  }
}
