package org.fmi.run.options;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.fmi.job.JobSpec;
import org.fmi.job.Spares;
import org.fmi.run.options.Settings.Value;
import org.fmi.run.slurm.Allocation;
import org.fmi.run.slurm.SrunVersion;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a job, and the number of ranks.
 *
 * @param ranksPerNode maximum ranks per node, 0 for as many as it has slots
 * @param noSpare the reaction when there are too few
 */
record NodeOptions(
    Where where, int ranks, int ranksPerNode, List<JobSpec.Node> nodes, NoSpare noSpare) {
  private static final String LOCAL = "local";
  private static final String SSH = "ssh";
  private static final String SLURM = "slurm";

  /** The source of a site's settings, for jobs that they fit. */
  private static final int SITE = 2;

  NodeOptions {
    nodes = List.copyOf(nodes);
  }

  /**
   * Reads the options.
   *
   * @param environment environment of fmirun
   * @param directory base of relative paths
   * @param knownHost whether there is a host of this name
   */
  static NodeOptions of(
      Settings settings,
      Map<String, String> environment,
      Path directory,
      Predicate<String> knownHost)
      throws UsageException {
    return new Reader(settings, environment, directory, knownHost).read();
  }

  /** Assembles the options. */
  private static final class Reader extends SettingReader {
    private final Map<String, String> environment;
    private final Predicate<String> knownHost;

    Reader(
        Settings settings,
        Map<String, String> environment,
        Path directory,
        Predicate<String> knownHost) {
      super(settings, directory);
      this.environment = environment;
      this.knownHost = knownHost;
    }

    NodeOptions read() throws UsageException {
      String launcher = launcher();
      int ppn = whole(Setting.PPN, 1, RunOptions.MAX_RANKS, 0);
      if (launcher.equals(SLURM)) {
        return slurm(ppn);
      }
      int ranks = ranks();
      Value prefix = ofHosts(Setting.PREFIX, !launcher.equals(LOCAL), "other hosts");
      ofHosts(Setting.SLURM_ARGS, false, "Slurm jobs");
      ofHosts(Setting.STOP_BEFORE, false, "Slurm jobs");
      NoSpare noSpare = noSpareOutsideOfSlurm();
      return launcher.equals(SSH)
          ? new NodeOptions(new Where.Ssh(absolute(prefix)), ranks, ppn, hosts(ranks, ppn), noSpare)
          : new NodeOptions(new Where.Local(), ranks, ppn, localNodes(ranks, ppn), noSpare);
    }

    private NoSpare noSpareOutsideOfSlurm() throws UsageException {
      Value value = settings.get(Setting.ON_NO_SPARE);
      NoSpare noSpare = NoSpare.read(value);
      if (noSpare.requestSeconds() > 0 && value != null && value.source() != SITE) {
        throw new UsageException(
            value.origin()
                + " "
                + value.texts().getFirst()
                + ": requests nodes from Slurm, but this is not a Slurm job; use share, wait or"
                + " abort");
      }
      return noSpare.withoutRequest();
    }

    private int ranks() throws UsageException {
      if (settings.get(Setting.RANKS) == null) {
        throw new UsageException("-n is missing; give the number of ranks, as in -n 4");
      }
      return whole(Setting.RANKS, 1, RunOptions.MAX_RANKS, 1);
    }

    private String launcher() throws UsageException {
      Setting source = exclusive(Setting.HOSTS, Setting.HOST_FILE);
      Value hosts = source == null ? null : settings.get(source);
      Value given = settings.get(Setting.LAUNCHER);
      boolean inside = Allocation.isInside(environment);
      String otherwise = hosts != null ? SSH : inside ? SLURM : LOCAL;
      String launcher = choice(Setting.LAUNCHER, otherwise, LOCAL, SSH, SLURM);
      if (launcher.equals(SLURM) && !inside) {
        if (given != null && given.source() == SITE) {
          return otherwise;
        }
        throw new UsageException(
            (given == null ? Setting.LAUNCHER.flag() : given.origin())
                + " slurm: this is not a Slurm job, or srun is not in the PATH; start fmirun with"
                + " sbatch or salloc");
      }
      if (launcher.equals(SSH) && hosts == null) {
        throw new UsageException(
            (given == null ? Setting.LAUNCHER.flag() : given.origin())
                + " ssh: no hosts given; add --hosts a,b or --hostfile FILE");
      }
      if (!launcher.equals(LOCAL)
          || hosts == null
          || given == null
          || given.source() < hosts.source()) {
        return launcher;
      }
      if (given.source() > hosts.source()) {
        return SSH;
      }
      throw new UsageException(
          given.origin()
              + " local: starts nodes on this machine only; omit "
              + hosts.origin()
              + " (--ppn K makes local nodes), or use --launcher ssh");
    }

    /**
     * Returns a setting that concerns some kinds of nodes only. A site's file may set it for jobs
     * with such nodes.
     */
    private @Nullable Value ofHosts(Setting setting, boolean used, String what)
        throws UsageException {
      Value value = settings.get(setting);
      if (value != null && !used && value.source() == 0) {
        throw new UsageException(
            value.origin()
                + ": is for "
                + what
                + ", but this job "
                + (setting == Setting.PREFIX ? "runs on this machine" : "is not one")
                + "; omit it");
      }
      return used ? value : null;
    }

    private static @Nullable String absolute(@Nullable Value prefix) throws UsageException {
      if (prefix == null) {
        return null;
      }
      String path = prefix.texts().getFirst();
      if (!path.startsWith("/")) {
        throw new UsageException(
            prefix.origin()
                + " "
                + path
                + ": not an absolute path; give the path on the other hosts");
      }
      return path;
    }

    private List<JobSpec.Node> localNodes(int ranks, int ppn) throws UsageException {
      int spares = whole(Setting.SPARES, 0, RunOptions.MAX_RANKS, 0);
      int slots = ppn == 0 ? ranks : ppn;
      int used = Math.ceilDiv(ranks, slots);
      List<JobSpec.Node> nodes = new ArrayList<>();
      for (int node = 0; node < used + spares; node++) {
        nodes.add(new JobSpec.Node("node" + node, slots, node >= used));
      }
      return nodes;
    }

    private Value givenHosts() throws UsageException {
      Setting source = exclusive(Setting.HOSTS, Setting.HOST_FILE);
      Value list = source == null ? null : settings.get(source);
      if (list == null) {
        throw new IllegalStateException("no hosts");
      }
      return list;
    }

    private List<JobSpec.Node> listed(Value list, int defaultSlots) throws UsageException {
      String text = list.texts().getFirst();
      return exclusive(Setting.HOSTS, Setting.HOST_FILE) == Setting.HOSTS
          ? Hosts.ofList(text, list.origin(), defaultSlots)
          : Hosts.ofFile(directory.resolve(text), list.origin(), defaultSlots);
    }

    private List<JobSpec.Node> hosts(int ranks, int ppn) throws UsageException {
      Value list = givenHosts();
      Value spares = settings.get(Setting.SPARES);
      if (spares != null && spares.source() <= list.source()) {
        throw new UsageException(
            spares.origin()
                + ": makes local nodes, but "
                + list.origin()
                + " names hosts; mark hosts as 'spare' in a host file, or give more hosts than"
                + " needed");
      }
      List<JobSpec.Node> nodes = listed(list, ppn == 0 ? 1 : ppn);
      long slots = slots(nodes, ppn);
      if (slots < ranks) {
        throw new UsageException(
            given(Setting.RANKS, ranks)
                + ": only "
                + slots
                + " slots on the hosts"
                + (nodes.stream().anyMatch(JobSpec.Node::spare) ? " that are not spares" : "")
                + "; use more hosts or slots (a:4, or slots=4 in a host file"
                + (ppn == 0 ? "" : ", or a larger --ppn")
                + "), or a smaller -n");
      }
      List<String> unknown =
          nodes.parallelStream().map(JobSpec.Node::name).filter(knownHost.negate()).toList();
      if (!unknown.isEmpty()) {
        throw new UsageException(
            list.origin()
                + ": unknown host "
                + unknown.getFirst()
                + "; correct its name, or make it known to this machine (DNS, /etc/hosts,"
                + " ~/.ssh/config)");
      }
      return nodes;
    }

    /**
     * Returns the slots of nodes that are not spares.
     *
     * @param most maximum slots of a node to use; 0 for all
     */
    private static long slots(List<JobSpec.Node> nodes, int most) {
      return nodes.stream()
          .filter(node -> !node.spare())
          .mapToLong(node -> most == 0 ? node.slots() : Math.min(most, node.slots()))
          .sum();
    }

    // ---- Slurm jobs

    private NodeOptions slurm(int ppn) throws UsageException {
      int copies = Allocation.copies(environment);
      if (copies > 1) {
        throw new UsageException(
            "srun started fmirun "
                + copies
                + " times, and each copy would run a whole job; start it once: in the sbatch"
                + " script, with salloc, or with srun -N1 -n1 --overlap");
      }
      Allocation allocation;
      try {
        allocation = Allocation.of(environment);
      } catch (IOException e) {
        throw new UsageException(
            "the nodes of Slurm job "
                + environment.get(Allocation.JOB)
                + " are unknown: "
                + e.getMessage()
                + "; if this is not in that job, "
                + Allocation.LEAVE);
      }
      List<JobSpec.Node> nodes = slurmNodes(allocation, ppn);
      long used = nodes.stream().filter(node -> !node.spare()).count();
      NoSpare noSpare = NoSpare.read(settings.get(Setting.ON_NO_SPARE));
      Where where =
          new Where.Slurm(
              allocation,
              srunArguments(),
              stopBefore(),
              noSpare.requestSeconds(),
              absolute(settings.get(Setting.PREFIX)));
      if (settings.get(Setting.RANKS) == null) {
        if (!allocation.tasks() && ppn == 0) {
          if (Allocation.isStep(environment)) {
            throw new UsageException(
                "-n is missing, and a Slurm step does not know the tasks of its job; give the"
                    + " number of ranks, as in -n 4");
          }
          return new NodeOptions(where, (int) used, 1, nodes, noSpare);
        }
        return new NodeOptions(where, (int) slots(nodes, ppn), ppn, nodes, noSpare);
      }
      int ranks = ranks();
      long slots = slots(nodes, ppn);
      if (slots < ranks) {
        throw new UsageException(
            given(Setting.RANKS, ranks)
                + ": Slurm job "
                + allocation.job()
                + " has only "
                + slots
                + (allocation.tasks() ? " tasks" : " slots")
                + " on nodes that are not spares; request more from Slurm, use a smaller -n, or put"
                + " more ranks on each node (--ppn K)");
      }
      // No number per node was given: as few as possible.
      int most = ppn;
      if (ppn == 0 && !allocation.tasks()) {
        most = (int) Math.ceilDiv(ranks, used);
        while (slots(nodes, most) < ranks) {
          most++;
        }
      }
      return new NodeOptions(where, ranks, most, nodes, noSpare);
    }

    private List<String> srunArguments() {
      List<String> arguments = new ArrayList<>(SrunVersion.launcherArguments(environment));
      for (String text : texts(Setting.SLURM_ARGS)) {
        for (String word : text.strip().split("\\s+")) {
          if (!word.isEmpty()) {
            arguments.add(word);
          }
        }
      }
      return arguments;
    }

    private long stopBefore() throws UsageException {
      Value value = settings.get(Setting.STOP_BEFORE);
      boolean writes =
          settings.get(Setting.L2_DIR) != null && settings.get(Setting.L2_EVERY) != null;
      if (value != null && !writes && value.source() != SITE) {
        throw new UsageException(
            value.origin() + ": needs checkpoints in files; add --l2-dir DIR --l2-every K");
      }
      return writes ? Math.round(decimal(Setting.STOP_BEFORE, 0, 1e9, 0)) : 0;
    }

    private List<JobSpec.Node> slurmNodes(Allocation allocation, int ppn) throws UsageException {
      List<JobSpec.Node> listed =
          exclusive(Setting.HOSTS, Setting.HOST_FILE) == null
              ? allocation.nodes().stream().map(name -> new JobSpec.Node(name, 0, false)).toList()
              : listed(givenHosts(), 0);
      int spares = whole(Setting.SPARES, 0, RunOptions.MAX_RANKS, 0);
      if (spares >= listed.size()) {
        throw new UsageException(
            given(Setting.SPARES, spares)
                + ": the job has "
                + listed.size()
                + (listed.size() == 1 ? " node" : " nodes")
                + ", and ranks need at least one; request more from Slurm, or keep fewer spares");
      }
      BitSet kept =
          Spares.choose(listed.stream().map(node -> allocation.rack(node.name())).toList(), spares);
      List<JobSpec.Node> nodes = new ArrayList<>();
      for (JobSpec.Node node : listed) {
        int at = allocation.nodes().indexOf(node.name());
        if (at < 0) {
          throw new UsageException(
              givenHosts().origin()
                  + ": "
                  + node.name()
                  + " is not a node of Slurm job "
                  + allocation.job()
                  + ", which has "
                  + allocation.list()
                  + "; omit it");
        }
        int slots = node.slots() > 0 ? node.slots() : ppn > 0 ? ppn : allocation.slots().get(at);
        nodes.add(
            new JobSpec.Node(
                node.name(),
                slots,
                node.spare() || kept.get(nodes.size()),
                allocation.rack(node.name())));
      }
      if (nodes.stream().allMatch(JobSpec.Node::spare)) {
        throw new UsageException(
            givenHosts().origin() + ": all nodes are spares; ranks need a node that is not");
      }
      return nodes;
    }
  }
}
