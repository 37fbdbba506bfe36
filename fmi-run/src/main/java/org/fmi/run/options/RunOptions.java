package org.fmi.run.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec;
import org.fmi.run.options.Settings.Value;
import org.fmi.spi.CheckpointInterval;
import org.fmi.verbs.VerbsProvider;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run and how, complete and checked.
 *
 * @param spec what the decision maker needs to know
 * @param ssh whether the nodes are other hosts, reached by ssh, and not on this machine
 * @param prefix where FMI is installed on other hosts, if not in the same place as here
 * @param nodeDir where nodes keep checkpoints; null for in memory
 * @param check whether iterations are repeated now and then, and compared
 * @param level2 checkpoints on files; null for none
 */
public record RunOptions(
    Program program,
    JobSpec spec,
    boolean ssh,
    @Nullable String prefix,
    @Nullable Path nodeDir,
    Processes processes,
    Network network,
    CheckpointInterval interval,
    boolean check,
    Patience patience,
    Output output,
    MetricsOptions metrics,
    @Nullable Level2Options level2) {

  /**
   * How the process of a rank runs.
   *
   * @param directory its working directory
   * @param environment variables to set
   * @param jvmOptions options for its JVM
   * @param jvmOptionsOf options for the JVMs of some ranks, by rank
   * @param bind whether ranks are bound to their share of the cores
   */
  public record Processes(
      Path directory,
      Map<String, String> environment,
      List<String> jvmOptions,
      Map<Integer, List<String>> jvmOptionsOf,
      boolean bind) {
    public Processes {
      environment = Map.copyOf(environment);
      jvmOptions = List.copyOf(jvmOptions);
      jvmOptionsOf = Map.copyOf(jvmOptionsOf);
    }
  }

  /**
   * How processes talk, and notice that one has died.
   *
   * @param transports names of transports, empty for all
   * @param heartbeatMillis a process silent for this long is declared dead
   * @param logRingBase rank r connects to r + base^i in the log-ring
   */
  public record Network(List<String> transports, int heartbeatMillis, int logRingBase) {
    public Network {
      transports = List.copyOf(transports);
    }
  }

  /**
   * How long fmirun looks on.
   *
   * @param stallMillis after a standstill of this long it tells who waits for whom; 0 for never
   * @param timeoutMillis after this long it ends the job; 0 for never
   */
  public record Patience(long stallMillis, long timeoutMillis) {}

  /**
   * What fmirun writes.
   *
   * @param tagged whether each line of a rank begins with the rank's number
   * @param timed whether each line of fmirun's own begins with date and time
   * @param directory where ranks write to files of their own, if anywhere
   * @param events where to write events, if anywhere
   */
  public record Output(
      Verbosity verbosity,
      boolean tagged,
      boolean timed,
      @Nullable Path directory,
      @Nullable Path events) {}

  /** How much fmirun tells about its own doings. */
  public enum Verbosity {
    QUIET,
    NORMAL,
    VERBOSE
  }

  private static final int MAX_RANKS = 1 << 16;

  private static final double DEFAULT_MTBF_SECONDS = 3600;

  /** One in so many failures is survived by files alone, as on the Coastal cluster (FMI paper). */
  private static final double FILES_ARE_NEEDED = 5;

  private static final int DEFAULT_L2_STALL_SECONDS = 60;

  /** An option of a JVM begins otherwise. */
  private static final Pattern OF_RANK = Pattern.compile("(\\d{1,9}):(.+)");

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /**
   * Returns a directory by the name that the user knows it by, if the user is in it: on other
   * hosts, a link on the way may lead elsewhere.
   *
   * @param directory without links
   */
  public static Path asNamed(Path directory, Map<String, String> environment) {
    Path name = Path.of(environment.getOrDefault("PWD", ""));
    try {
      return name.isAbsolute() && Files.isSameFile(name, directory) ? name : directory;
    } catch (IOException e) {
      return directory; // the name is not of this machine
    }
  }

  /**
   * Checks all settings and the program, and completes them with defaults.
   *
   * @param environment of fmirun
   * @param directory what relative paths refer to
   * @param knownHost whether there is a host of this name
   * @throws UsageException if something is wrong or missing
   */
  public static RunOptions of(
      Settings settings,
      Map<String, String> environment,
      Path directory,
      Predicate<String> knownHost)
      throws UsageException {
    return new Reader(settings, environment, directory, knownHost).read();
  }

  /** Turns texts into values, one method per kind of value. */
  private record Reader(
      Settings settings,
      Map<String, String> environment,
      Path directory,
      Predicate<String> knownHost) {

    RunOptions read() throws UsageException {
      if (settings.get(Setting.RANKS) == null) {
        throw new UsageException("-n is missing; give the number of ranks, as in -n 4");
      }
      int ranks = whole(Setting.RANKS, 1, MAX_RANKS, 1);
      int ppn = whole(Setting.PPN, 1, MAX_RANKS, 0);
      boolean ssh = ssh();
      List<JobSpec.Node> nodes = ssh ? hosts(ranks, ppn) : localNodes(ranks, ppn);
      Value classPath = settings.get(Setting.CLASS_PATH);
      Program program =
          Program.find(
              classPath == null ? null : classPath.texts().getFirst(),
              settings.program(),
              directory);
      JobSpec spec =
          new JobSpec(
              ranks,
              nodes,
              ppn,
              whole(Setting.GROUP_SIZE, 1, MAX_RANKS, 16),
              whole(Setting.GROUP_LOSSES, 0, 3, 1),
              JobSpec.OnNoSpare.valueOf(
                  choice(Setting.ON_NO_SPARE, "share", "wait", "share", "abort")
                      .toUpperCase(Locale.ROOT)),
              whole(Setting.MAX_RECOVERIES, 0, Integer.MAX_VALUE, 1000),
              LogLimit.bytes(
                  choice(Setting.ROLLBACK, "global", "global", "local").equals("local"),
                  whole(Setting.LOG_LIMIT, 1, 1 << 20, LogLimit.DEFAULT_MIB),
                  on(Setting.CHECK),
                  settings),
              faults(ranks, nodes.size()));
      GroupLosses.check(settings.get(Setting.GROUP_LOSSES), spec);
      Value prefix = ofHosts(Setting.PREFIX, ssh);
      if (prefix != null && !prefix.texts().getFirst().startsWith("/")) {
        throw new UsageException(
            prefix.origin()
                + " "
                + prefix.texts().getFirst()
                + ": not an absolute path; give the path on the other hosts");
      }
      return new RunOptions(
          program,
          spec,
          ssh,
          prefix == null ? null : prefix.texts().getFirst(),
          path(Setting.NODE_DIR),
          new Processes(
              directory,
              exported(),
              jvmOptions(),
              jvmOptionsOf(ranks),
              choice(Setting.BIND, "core", "core", "none").equals("core")),
          new Network(
              transports(nodes),
              (int) Math.round(1000 * decimal(Setting.HEARTBEAT, 0.1, 3600, 5)),
              whole(Setting.LOG_RING_BASE, 2, MAX_RANKS, 2)),
          interval(),
          on(Setting.CHECK),
          new Patience(millis(Setting.STALL_REPORT, 10), millis(Setting.TIMEOUT, 0)),
          new Output(
              verbosity(),
              on(Setting.TAG_OUTPUT),
              on(Setting.TIMESTAMPS),
              path(Setting.OUTPUT),
              path(Setting.EVENTS)),
          MetricsOptions.of(settings),
          level2());
    }

    private boolean ssh() throws UsageException {
      Setting source = exclusive(Setting.HOSTS, Setting.HOST_FILE);
      Value hosts = source == null ? null : settings.get(source);
      Value launcher = settings.get(Setting.LAUNCHER);
      boolean ssh =
          choice(Setting.LAUNCHER, hosts == null ? "local" : "ssh", "local", "ssh").equals("ssh");
      if (ssh && hosts == null) {
        throw new UsageException(
            (launcher == null ? Setting.LAUNCHER.flag() : launcher.origin())
                + " ssh: no hosts given; add --hosts a,b or --hostfile FILE");
      }
      if (ssh || hosts == null || launcher == null || launcher.source() < hosts.source()) {
        return ssh;
      }
      if (launcher.source() > hosts.source()) {
        return true;
      }
      throw new UsageException(
          launcher.origin()
              + " local: starts nodes on this machine only; leave "
              + hosts.origin()
              + " out (--ppn K makes local nodes), or use --launcher ssh");
    }

    /** A setting for other hosts. A site's file may have it for those jobs that use some. */
    private @Nullable Value ofHosts(Setting setting, boolean ssh) throws UsageException {
      Value value = settings.get(setting);
      if (value != null && !ssh) {
        if (value.source() == 0) {
          throw new UsageException(
              value.origin()
                  + ": is for other hosts, but the job runs on this machine; leave it out");
        }
        return null;
      }
      return value;
    }

    private List<JobSpec.Node> localNodes(int ranks, int ppn) throws UsageException {
      int spares = whole(Setting.SPARES, 0, MAX_RANKS, 0);
      int slots = ppn == 0 ? ranks : ppn;
      int used = Math.ceilDiv(ranks, slots);
      List<JobSpec.Node> nodes = new ArrayList<>();
      for (int node = 0; node < used + spares; node++) {
        nodes.add(new JobSpec.Node("node" + node, slots, node >= used));
      }
      return nodes;
    }

    private List<JobSpec.Node> hosts(int ranks, int ppn) throws UsageException {
      Setting source = exclusive(Setting.HOSTS, Setting.HOST_FILE);
      Value list = source == null ? null : settings.get(source);
      if (list == null) {
        throw new IllegalStateException("no hosts");
      }
      Value spares = settings.get(Setting.SPARES);
      if (spares != null && spares.source() <= list.source()) {
        throw new UsageException(
            spares.origin()
                + ": makes local nodes, but "
                + list.origin()
                + " names hosts; mark hosts 'spare' in a host file, or give more hosts than"
                + " needed");
      }
      int defaultSlots = ppn == 0 ? 1 : ppn;
      String text = list.texts().getFirst();
      List<JobSpec.Node> nodes =
          source == Setting.HOSTS
              ? Hosts.ofList(text, list.origin(), defaultSlots)
              : Hosts.ofFile(directory.resolve(text), list.origin(), defaultSlots);
      long slots = 0;
      for (JobSpec.Node node : nodes) {
        slots += node.spare() ? 0 : ppn == 0 ? node.slots() : Math.min(ppn, node.slots());
      }
      if (slots < ranks) {
        throw new UsageException(
            "-n "
                + ranks
                + ": only "
                + slots
                + " slots on the hosts"
                + (nodes.stream().anyMatch(JobSpec.Node::spare) ? " that are not spares" : "")
                + "; give more hosts or slots (a:4, or slots=4 in a host file"
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

    private List<FaultSpec> faults(int ranks, int nodes) throws UsageException {
      List<FaultSpec> faults = new ArrayList<>();
      Value value = settings.get(Setting.KILL);
      if (value != null) {
        for (String text : value.texts()) {
          faults.add(Kills.parse(text, value.origin(), ranks, nodes));
        }
      }
      return faults;
    }

    private List<String> transports(List<JobSpec.Node> nodes) throws UsageException {
      Value value = settings.get(Setting.TRANSPORT);
      String text = value == null ? "auto" : value.texts().getFirst();
      return switch (text) {
        case "auto" -> List.of();
        case "tcp" -> List.of("tcp");
        case "shm" -> {
          if (nodes.size() > 1) {
            throw new UsageException(
                "--transport shm: reaches no other node, and the job has "
                    + nodes.size()
                    + "; use auto, or one node");
          }
          yield List.of("shm");
        }
        case "rdma" -> List.of("rdma");
        default -> throw notOneOf(Setting.TRANSPORT, text, "auto", "shm", "tcp", "rdma");
      };
    }

    private CheckpointInterval interval() throws UsageException {
      if (exclusive(Setting.INTERVAL, Setting.MTBF) == Setting.INTERVAL) {
        return new CheckpointInterval.Every(whole(Setting.INTERVAL, 1, Integer.MAX_VALUE, 1));
      }
      return new CheckpointInterval.Mtbf(mtbf());
    }

    private double mtbf() throws UsageException {
      return decimal(Setting.MTBF, 0.001, 1e9, DEFAULT_MTBF_SECONDS);
    }

    private long level2Every(@Nullable Value given) throws UsageException {
      return given != null && given.texts().getFirst().equals("auto")
          ? Level2Options.TUNED
          : whole(Setting.L2_EVERY, 1, Integer.MAX_VALUE, 0);
    }

    private @Nullable Level2Options level2() throws UsageException {
      Value directory = settings.get(Setting.L2_DIR);
      Value from = settings.get(Setting.RESTART_FROM);
      Value every = settings.get(Setting.L2_EVERY);
      if (directory == null) {
        Value given = from == null ? every : from;
        // A site's file may have an interval for those jobs that name a directory.
        if (given != null && given.source() == 0) {
          throw new UsageException(
              given.origin() + ": says nothing of where the files are; add --l2-dir DIR");
        }
        return null;
      }
      if (every == null && from == null) {
        throw new UsageException(
            directory.origin()
                + ": says where checkpoints are written to, and not when; add --l2-every K or"
                + " --l2-every auto");
      }
      return new Level2Options(
          this.directory.resolve(directory.texts().getFirst()).normalize(),
          level2Every(every),
          mtbf(),
          decimal(Setting.L2_MTBF, 0.001, 1e9, FILES_ARE_NEEDED * mtbf()),
          whole(Setting.L2_KEEP, 1, Integer.MAX_VALUE, 2),
          Math.round(1000 * decimal(Setting.L2_STALL, 1, 1e9, DEFAULT_L2_STALL_SECONDS)),
          Math.round(1e6 * decimal(Setting.L2_BANDWIDTH, 1, 1e9, 0)),
          from == null ? null : from.texts().getFirst());
    }

    private Verbosity verbosity() throws UsageException {
      if (!on(Setting.QUIET)) {
        return on(Setting.VERBOSE) ? Verbosity.VERBOSE : Verbosity.NORMAL;
      }
      if (on(Setting.VERBOSE) && exclusive(Setting.QUIET, Setting.VERBOSE) == Setting.VERBOSE) {
        return Verbosity.VERBOSE;
      }
      return Verbosity.QUIET;
    }

    /** An empty option is none: it may come from a variable that is not set. */
    private List<String> jvmOptions() {
      return texts(Setting.JVM_OPTION).stream()
          .filter(text -> !text.isBlank() && !OF_RANK.matcher(text).matches())
          .toList();
    }

    private Map<Integer, List<String>> jvmOptionsOf(int ranks) throws UsageException {
      Map<Integer, List<String>> options = new HashMap<>();
      for (String text : texts(Setting.JVM_OPTION)) {
        Matcher ofRank = OF_RANK.matcher(text);
        if (ofRank.matches()) {
          int rank = Integer.parseInt(ofRank.group(1));
          if (rank >= ranks) {
            throw new UsageException(
                "-J " + text + ": no such rank; ranks are numbered from 0 to " + (ranks - 1));
          }
          options.computeIfAbsent(rank, _ -> new ArrayList<>()).add(ofRank.group(2));
        }
      }
      return options;
    }

    private Map<String, String> exported() throws UsageException {
      Map<String, String> variables = new LinkedHashMap<>();
      for (String text : texts(Setting.EXPORT)) {
        int equals = text.indexOf('=');
        String name = equals < 0 ? text : text.substring(0, equals);
        if (!VARIABLE.matcher(name).matches()) {
          throw new UsageException(
              "-x "
                  + text
                  + ": '"
                  + name
                  + "' is not the name of a variable; write -x NAME[=VALUE]");
        }
        String value = equals < 0 ? environment.get(name) : text.substring(equals + 1);
        if (value == null) {
          throw new UsageException(
              "-x " + name + ": not set here; set it, or write -x " + name + "=VALUE");
        }
        variables.put(name, value);
      }
      if (settings.get(Setting.VERBS) != null) {
        variables.putIfAbsent(
            VerbsProvider.VARIABLE,
            choice(Setting.VERBS, VerbsProvider.NATIVE, VerbsProvider.NATIVE, VerbsProvider.DISNI));
      }
      return variables;
    }

    /** Returns which of two settings that exclude each other wins; null if neither is set. */
    private @Nullable Setting exclusive(Setting a, Setting b) throws UsageException {
      Value first = settings.get(a);
      Value second = settings.get(b);
      if (first == null || second == null) {
        return first != null ? a : second != null ? b : null;
      }
      if (first.source() == second.source()) {
        throw new UsageException(
            first.origin() + " and " + second.origin() + " exclude each other; leave one out");
      }
      return first.source() < second.source() ? a : b;
    }

    private @Nullable Path path(Setting setting) {
      Value value = settings.get(setting);
      return value == null ? null : directory.resolve(value.texts().getFirst());
    }

    private List<String> texts(Setting setting) {
      Value value = settings.get(setting);
      return value == null ? List.of() : value.texts();
    }

    private boolean on(Setting setting) throws UsageException {
      Value value = settings.get(setting);
      if (value == null) {
        return false;
      }
      String text = value.texts().getFirst();
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "true", "yes", "on", "1" -> true;
        case "false", "no", "off", "0" -> false;
        default -> throw notOneOf(setting, text, "true", "false");
      };
    }

    private String choice(Setting setting, String otherwise, String... valid)
        throws UsageException {
      Value value = settings.get(setting);
      if (value == null) {
        return otherwise;
      }
      String text = value.texts().getFirst();
      if (!List.of(valid).contains(text)) {
        throw notOneOf(setting, text, valid);
      }
      return text;
    }

    private UsageException notOneOf(Setting setting, String text, String... valid) {
      Value value = settings.get(setting);
      return new UsageException(
          (value == null ? setting.flag() : value.origin())
              + " "
              + text
              + ": not one of "
              + String.join(", ", valid)
              + "; did you mean "
              + Nearest.to(text, List.of(valid))
              + "?");
    }

    private int whole(Setting setting, int least, int most, int otherwise) throws UsageException {
      Value value = settings.get(setting);
      if (value == null) {
        return otherwise;
      }
      String text = value.texts().getFirst();
      try {
        int number = Integer.parseInt(text);
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException e) {
        // falls through to the refusal
      }
      throw new UsageException(
          value.origin()
              + " "
              + text
              + ": not a whole number "
              + (most == Integer.MAX_VALUE
                  ? "of at least " + least
                  : "from " + least + " to " + most)
              + "; "
              + setting.flag()
              + " "
              + setting.parameter()
              + " means: "
              + setting.meaning());
    }

    private long millis(Setting setting, double otherwise) throws UsageException {
      return Math.round(1000 * decimal(setting, 0, 1e9, otherwise));
    }

    private double decimal(Setting setting, double least, double most, double otherwise)
        throws UsageException {
      Value value = settings.get(setting);
      if (value == null) {
        return otherwise;
      }
      String text = value.texts().getFirst();
      try {
        double number = Double.parseDouble(text);
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException e) {
        // falls through to the refusal
      }
      throw new UsageException(
          value.origin()
              + " "
              + text
              + ": not a number of seconds from "
              + least
              + " to "
              + most
              + "; write it as in "
              + setting.flag()
              + " 60");
    }
  }
}
