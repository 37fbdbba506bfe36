package org.fmi.run.slurm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that Slurm has given to the job in which fmirun runs.
 *
 * @param job its number
 * @param list its nodes as Slurm writes them, as in {@code node[1-4]}
 * @param nodes their names
 * @param slots by node: the tasks that the user has asked for, or else what its CPUs are enough for
 * @param tasks whether the user has asked for tasks
 * @param racks where Slurm knows that, the rack of each node, by name
 */
public record Allocation(
    String job,
    String list,
    List<String> nodes,
    List<Integer> slots,
    boolean tasks,
    Map<String, String> racks) {
  /** The variable that says that this is in a job. */
  public static final String JOB = "SLURM_JOB_ID";

  /** What to do where a variable is left of a job that is over. */
  public static final String LEAVE = "unset " + JOB + ", or use --launcher local";

  private static final int SECONDS = 15;

  /** As in 2(x4). */
  private static final Pattern COUNT = Pattern.compile("(\\d{1,7})(?:\\(x(\\d{1,7})\\))?");

  public Allocation {
    nodes = List.copyOf(nodes);
    slots = List.copyOf(slots);
    racks = Map.copyOf(racks);
  }

  /** The rack of a node; empty if it is not known. */
  public String rack(String node) {
    return racks.getOrDefault(node, "");
  }

  /** Whether there is one, and a way to start something on its nodes. */
  public static boolean isInside(Map<String, String> environment) {
    return environment.containsKey(JOB) && SlurmCommand.isThere("srun", environment);
  }

  /**
   * How often the srun that has started this process has started it: 1 if there is no such srun.
   */
  public static int copies(Map<String, String> environment) {
    return isStep(environment)
        ? number(environment.getOrDefault("SLURM_STEP_NUM_TASKS", "1"), 1)
        : 1;
  }

  /** Whether it is a step, whose own tasks hide those of the job. */
  public static boolean isStep(Map<String, String> environment) {
    return environment.containsKey("SLURM_STEP_NUM_TASKS");
  }

  /**
   * Reads it from the environment of a process in it.
   *
   * @throws IOException if that does not make sense, for the user
   */
  public static Allocation of(Map<String, String> environment) throws IOException {
    if (environment.containsKey("SLURM_HET_SIZE")) {
      throw new IOException(
          "a heterogeneous job of Slurm is not supported; submit one with nodes of one kind");
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
          "Slurm names " + nodes.size() + " nodes (" + list + "), and slots for " + slots.size());
    }
    return new Allocation(
        value(environment, JOB), list, nodes, slots, tasks, Topology.racks(environment));
  }

  private static String value(Map<String, String> environment, String name) throws IOException {
    String value = environment.get(name);
    if (value == null || value.isEmpty()) {
      throw new IOException(name + " is not set, as it is in a job of Slurm");
    }
    return value;
  }

  private static int number(@Nullable String text, int otherwise) {
    return text != null && text.matches("[1-9]\\d{0,6}") ? Integer.parseInt(text) : otherwise;
  }

  /**
   * By node, as in 2(x4),1.
   *
   * @param each what one slot needs
   */
  private static List<Integer> counts(String text, int each) throws IOException {
    List<Integer> counts = new ArrayList<>();
    for (String part : text.split(",")) {
      Matcher matcher = COUNT.matcher(part);
      if (!matcher.matches()) {
        throw new IOException("Slurm's counts per node are not understood: " + text);
      }
      int count = Math.max(1, Integer.parseInt(matcher.group(1)) / each);
      for (int k = number(matcher.group(2), 1); k > 0; k--) {
        counts.add(count);
      }
    }
    return counts;
  }
}
