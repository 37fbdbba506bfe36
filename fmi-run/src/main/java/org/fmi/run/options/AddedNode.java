package org.fmi.run.options;

import java.util.List;
import org.fmi.job.JobSpec;

/** Reads the node that a user adds to a running job. */
public final class AddedNode {
  private static final String ORIGIN = "add";

  private AddedNode() {}

  /**
   * Reads a node as named by the user.
   *
   * @param text a host, optionally with its slots; empty for a local node
   * @param number its future number
   */
  public static JobSpec.Node read(String text, int number, RunOptions options)
      throws UsageException {
    if (options.job().transports().equals(List.of("shm"))) {
      throw new UsageException(
          ORIGIN + ": the job uses --transport shm, which works within one node");
    }
    int slots = options.spec().nodes().getFirst().slots();
    return switch (options.where()) {
      case Where.Local _ -> {
        if (!text.isEmpty()) {
          throw new UsageException(
              ORIGIN + ": the nodes of the job are on this machine; omit " + text);
        }
        yield new JobSpec.Node("node" + number, slots, true);
      }
      case Where.Ssh _ -> host(text, slots);
      case Where.Slurm slurm -> {
        JobSpec.Node node = host(text, 0);
        int at = slurm.allocation().nodes().indexOf(node.name());
        if (at < 0) {
          throw new UsageException(
              ORIGIN
                  + ": "
                  + node.name()
                  + " is not a node of Slurm job "
                  + slurm.allocation().job()
                  + ", which has "
                  + slurm.allocation().list());
        }
        yield new JobSpec.Node(
            node.name(),
            node.slots() > 0 ? node.slots() : slurm.allocation().slots().get(at),
            true,
            slurm.allocation().rack(node.name()));
      }
    };
  }

  private static JobSpec.Node host(String text, int defaultSlots) throws UsageException {
    if (text.isEmpty()) {
      throw new UsageException(
          ORIGIN + ": no host given; name it after the job, as in fmi add JOB HOST:SLOTS");
    }
    List<JobSpec.Node> nodes = Hosts.ofList(text, ORIGIN, defaultSlots);
    if (nodes.size() > 1) {
      throw new UsageException(ORIGIN + ": one host at a time, not " + text);
    }
    JobSpec.Node node = nodes.getFirst();
    return new JobSpec.Node(node.name(), node.slots(), true);
  }
}
