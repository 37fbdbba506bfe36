package org.fmi.run.slurm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Polls Slurm, once per job, for the remaining time of the job and the state of its nodes. A failed
 * query is repeated later: a controller that is down does not stop a job.
 */
public final class SlurmWatch {
  /** The polling interval. */
  static final int SECONDS = 10;

  private static final int ANSWER_SECONDS = 15;

  /** Matches 1-02:03:04, 02:03:04 and 3:04. */
  private static final Pattern TIME =
      Pattern.compile("(?:(\\d{1,5})-)?(?:(\\d{1,2}):)?(\\d{1,2}):(\\d{2})");

  /** Receives the results, on a thread of the watch. */
  public interface Listener {
    /** The time of the job is about to end. */
    void endsIn(long seconds);

    /**
     * A node is about to be removed from the job. Repeated at each query, because the node may have
     * been lost and added again since.
     *
     * @param why for the user
     */
    void leaving(String node, String why);

    /**
     * A node that was about to be removed is not any more.
     *
     * @param why for the user
     */
    void stays(String node, String why);
  }

  private final Allocation allocation;
  private final LentNodes lent;
  private final Map<String, String> environment;
  private final long stopBefore;
  private final Listener listener;
  private boolean ends;

  /** The nodes that were about to be removed when Slurm last reported a state of them. */
  private Set<String> leaving = Set.of();

  /**
   * @param lent nodes beyond the allocation
   * @param environment environment with the PATH
   * @param stopBefore seconds before its end at which a job is about to end; 0 for never
   */
  public SlurmWatch(
      Allocation allocation,
      LentNodes lent,
      Map<String, String> environment,
      long stopBefore,
      Listener listener) {
    this.allocation = allocation;
    this.lent = lent;
    this.environment = environment;
    this.stopBefore = stopBefore;
    this.listener = listener;
  }

  /**
   * Starts to poll, for the life of this process.
   *
   * @param say takes notices for the user about failed queries
   */
  public void start(Consumer<String> say) {
    Thread.ofVirtual().name("fmi-slurm-watch").start(() -> watch(say));
  }

  private void watch(Consumer<String> say) {
    boolean reported = false;
    while (true) {
      long pause = SECONDS;
      try {
        pause = look();
        reported = false;
      } catch (IOException e) {
        if (!reported) {
          reported = true;
          say.accept("cannot ask Slurm for the state of the job's nodes: " + e.getMessage());
        }
      }
      try {
        Thread.sleep(1000 * pause);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /**
   * Polls once.
   *
   * @return the seconds to the next query
   */
  long look() throws IOException {
    List<String> job =
        SlurmCommand.of("squeue", environment)
            .with("-h", "-j", allocation.job(), "-o", "%L|%N")
            .run(ANSWER_SECONDS);
    if (job.isEmpty()) {
      return SECONDS; // the job ends
    }
    String[] parts = job.getFirst().split("\\|", -1);
    OptionalLong left = seconds(parts[0].strip());
    long pause = SECONDS;
    if (stopBefore > 0 && !ends && left.isPresent()) {
      if (left.getAsLong() <= stopBefore) {
        ends = true;
        listener.endsIn(left.getAsLong());
      } else {
        pause = Math.min(pause, left.getAsLong() - stopBefore);
      }
    }
    Set<String> now = new HashSet<>();
    String list = parts.length > 1 ? parts[1].strip() : allocation.list();
    if (!list.isEmpty() && !list.equals(allocation.list())) {
      List<String> kept =
          SlurmCommand.of("scontrol", environment)
              .with("show", "hostnames", list)
              .run(ANSWER_SECONDS);
      for (String node : allocation.nodes()) {
        if (!kept.contains(node)) {
          report(node, "Slurm removed it from the job", now);
        }
      }
    }
    List<String> states =
        SlurmCommand.of("sinfo", environment)
            .with("-h", "-N", "-n", allocation.list() + lent.names(), "-o", "%N|%T|%E")
            .run(ANSWER_SECONDS);
    leaving(states).forEach((node, why) -> report(node, why, now));
    for (String node : leaving) {
      if (now.add(node) && states.stream().anyMatch(line -> line.startsWith(node + "|"))) {
        now.remove(node);
        listener.stays(node, "Slurm has resumed it");
      }
    }
    leaving = now;
    return pause;
  }

  private void report(String node, String why, Set<String> reported) {
    if (allocation.nodes().contains(node) || lent.isLent(node)) {
      reported.add(node);
      listener.leaving(node, why);
    }
  }

  /** Parses a time of Slurm; empty if there is no limit. */
  static OptionalLong seconds(String text) {
    Matcher matcher = TIME.matcher(text);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    long seconds = 0;
    int[] units = {86400, 3600, 60, 1};
    for (int i = 0; i < units.length; i++) {
      String group = matcher.group(i + 1);
      seconds += group == null ? 0 : units[i] * Long.parseLong(group);
    }
    return OptionalLong.of(seconds);
  }

  /**
   * Returns the nodes that Slurm is taking out of service, and why.
   *
   * @param lines name, state and reason, separated by bars
   */
  static Map<String, String> leaving(List<String> lines) {
    Map<String, String> nodes = new HashMap<>();
    for (String line : lines) {
      List<String> parts = new ArrayList<>(List.of(line.split("\\|", 3)));
      if (parts.size() < 3) {
        continue;
      }
      String state = parts.get(1).strip();
      if (state.startsWith("drain") || state.startsWith("fail")) {
        String reason = parts.get(2).strip();
        nodes.putIfAbsent(
            parts.getFirst().strip(),
            "Slurm reports it as " + state + (reason.equals("none") ? "" : " (" + reason + ")"));
      }
    }
    return nodes;
  }
}
