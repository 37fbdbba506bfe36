package org.fmi.run.slurm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that Slurm has allocated to the job in which fmirun runs.
 *
 * @param job its number
 * @param list its nodes in Slurm's notation, as in {@code node[1-4]}
 * @param nodes their names
 * @param slots slots by node: the tasks requested by the user, or else the ranks that fit its CPUs
 * @param tasks whether the user has requested tasks
 * @param racks the rack of each node, by name, if Slurm knows it
 */
public record Allocation(
    String job,
    String list,
    List<String> nodes,
    List<Integer> slots,
    boolean tasks,
    Map<String, String> racks) {
  /** The variable that marks a Slurm job. */
  public static final String JOB = "SLURM_JOB_ID";

  /** The remedy for a leftover variable of an ended job. */
  public static final String LEAVE = "unset " + JOB + ", or use --launcher local";

  private static final int SECONDS = 15;

  /** Matches 2(x4). */
  private static final Pattern COUNT = Pattern.compile("(\\d{1,7})(?:\\(x(\\d{1,7})\\))?");

  public Allocation {
    nodes = List.copyOf(nodes);
    slots = List.copyOf(slots);
    racks = Map.copyOf(racks);
  }

  /** Returns the rack of a node; empty if unknown. */
  public String rack(String node) {
    return racks.getOrDefault(node, "");
  }

  /** Whether there is a Slurm job, and a way to start processes on its nodes. */
  public static boolean isInside(Map<String, String> environment) {
    return environment.containsKey(JOB) && SlurmCommand.isThere("srun", environment);
  }

  /**
   * Returns the number of copies that the srun of this process has started: 1 if there is no such
   * srun.
   */
  public static int copies(Map<String, String> environment) {
    return isStep(environment)
        ? number(environment.getOrDefault("SLURM_STEP_NUM_TASKS", "1"), 1)
        : 1;
  }

  /** Whether this is a step, whose own tasks hide those of the job. */
  public static boolean isStep(Map<String, String> environment) {
    return environment.containsKey("SLURM_STEP_NUM_TASKS");
  }

  /**
   * Reads the allocation from the environment of a process in it.
   *
   * @throws IOException if it is inconsistent; the message is for the user
   */
  public static Allocation of(Map<String, String> environment) throws IOException {
    if (environment.containsKey("SLURM_HET_SIZE")) {
      throw new IOException(
          "a heterogeneous Slurm job is not supported; submit a job with nodes of one kind");
    }
    String list = value(environment, "SLURM_JOB_NODELIST");
    List<String> nodes =
        SlurmCommand.of("scontrol", environment).with("show", "hostnames", list).run(SECONDS);
    boolean tasks = environment.containsKey("SLURM_NTASKS") && !isStep(environment);
    List<Integer> slots =
        tasks
            ? counts(value(environment, "SLURM_TASKS_PER_NODE"), 1)
            : counts(
                value(environment, "SLURM_JOB_CPUS_PER_NODE"),
                number(environment.get("SLURM_CPUS_PER_TASK"), 1));
    if (nodes.isEmpty() || slots.size() != nodes.size()) {
      throw new IOException(
          "Slurm names "
              + nodes.size()
              + (nodes.size() == 1 ? " node (" : " nodes (")
              + list
              + ") but slots for "
              + slots.size());
    }
    return new Allocation(
        value(environment, JOB), list, nodes, slots, tasks, Topology.racks(environment));
  }

  private static String value(Map<String, String> environment, String name) throws IOException {
    String value = environment.get(name);
    if (value == null || value.isEmpty()) {
      throw new IOException(name + " is not set, but every Slurm job sets it");
    }
    return value;
  }

  private static int number(@Nullable String text, int otherwise) {
    return text != null && text.matches("[1-9]\\d{0,6}") ? Integer.parseInt(text) : otherwise;
  }

  /**
   * Parses counts per node, as in 2(x4),1.
   *
   * @param each CPUs per slot
   */
  private static List<Integer> counts(String text, int each) throws IOException {
    List<Integer> counts = new ArrayList<>();
    for (String part : text.split(",")) {
      Matcher matcher = COUNT.matcher(part);
      if (!matcher.matches()) {
        throw new IOException("cannot parse Slurm's counts per node: " + text);
      }
      int count = Math.max(1, Integer.parseInt(matcher.group(1)) / each);
      for (int k = number(matcher.group(2), 1); k > 0; k--) {
        counts.add(count);
      }
    }
    return counts;
  }
}
