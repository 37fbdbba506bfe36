package org.fmi.run.slurm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks Slurm now and then, once per job, how much time it leaves the job and what it is about to do
 * with its nodes. What it does not answer is asked again: a controller that is down stops no job.
 */
public final class SlurmWatch {
  /** How often Slurm is asked. */
  static final int SECONDS = 10;

  private static final int ANSWER_SECONDS = 15;

  /** As in 1-02:03:04, 02:03:04 and 3:04. */
  private static final Pattern TIME =
      Pattern.compile("(?:(\\d{1,5})-)?(?:(\\d{1,2}):)?(\\d{1,2}):(\\d{2})");

  /** Hears of it, on a thread of the watch. */
  public interface Listener {
    /** The job is about to run out of time. */
    void endsIn(long seconds);

    /**
     * A node is about to be taken from the job. Told whenever Slurm is asked, as it may have been
     * lost and added again since.
     *
     * @param why for the user
     */
    void leaving(String node, String why);
  }

  private final Allocation allocation;
  private final LentNodes lent;
  private final Map<String, String> environment;
  private final long stopBefore;
  private final Listener listener;
  private boolean ends;

  /**
   * @param lent nodes beyond the allocation
   * @param environment that has the PATH
   * @param stopBefore how many seconds before its end a job is about to run out of time; 0 never
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
   * Begins to ask, as long as this process lives.
   *
   * @param say takes a line for the user, about what Slurm does not answer
   */
  public void start(Consumer<String> say) {
    Thread.ofVirtual().name("fmi-slurm-watch").start(() -> watch(say));
  }

  private void watch(Consumer<String> say) {
    boolean told = false;
    while (true) {
      long pause = SECONDS;
      try {
        pause = look();
        told = false;
      } catch (IOException e) {
        if (!told) {
          told = true;
          say.accept("Slurm does not say what becomes of the job's nodes: " + e.getMessage());
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
   * Asks once.
   *
   * @return after how many seconds to ask again
   */
  long look() throws IOException {
    List<String> job =
        SlurmCommand.of("squeue", environment)
            .with("-h", "-j", allocation.job(), "-o", "%L|%N")
            .run(ANSWER_SECONDS);
    if (job.isEmpty()) {
      return SECONDS; // it ends
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
    String list = parts.length > 1 ? parts[1].strip() : allocation.list();
    if (!list.isEmpty() && !list.equals(allocation.list())) {
      List<String> kept =
          SlurmCommand.of("scontrol", environment)
              .with("show", "hostnames", list)
              .run(ANSWER_SECONDS);
      for (String node : allocation.nodes()) {
        if (!kept.contains(node)) {
          tell(node, "Slurm has taken it from the job");
        }
      }
    }
    leaving(
            SlurmCommand.of("sinfo", environment)
                .with("-h", "-N", "-n", allocation.list() + lent.names(), "-o", "%N|%T|%E")
                .run(ANSWER_SECONDS))
        .forEach(this::tell);
    return pause;
  }

  private void tell(String node, String why) {
    if (allocation.nodes().contains(node) || lent.isLent(node)) {
      listener.leaving(node, why);
    }
  }

  /** How much time Slurm means; none if there is no limit. */
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
   * The nodes that are to do nothing more, and why.
   *
   * @param lines of name, state and reason, separated by bars
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
            "Slurm calls it " + state + (reason.equals("none") ? "" : " (" + reason + ")"));
      }
    }
    return nodes;
  }
}
