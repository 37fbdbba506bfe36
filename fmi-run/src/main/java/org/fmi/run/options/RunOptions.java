package org.fmi.run.options;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec;
import org.fmi.run.options.Settings.Value;
import org.fmi.run.process.NativeText;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Detection;
import org.fmi.spi.IntervalModel;
import org.fmi.spi.JobSettings;
import org.fmi.spi.OnFailure;
import org.fmi.verbs.VerbsProvider;
import org.jspecify.annotations.Nullable;

/**
 * A job to run, complete and checked.
 *
 * @param spec the part for the decision maker
 * @param job the part for all ranks
 * @param where the place of the nodes
 * @param remark text to print before the job starts; null if there is none
 */
public record RunOptions(
    Program program,
    JobSpec spec,
    JobSettings job,
    Where where,
    Processes processes,
    Checkpoints checkpoints,
    Patience patience,
    Output output,
    MetricsOptions metrics,
    @Nullable String remark) {

  /**
   * The processes of ranks.
   *
   * @param directory their working directory
   * @param environment variables to set
   * @param jvmOptions options of their JVMs
   * @param jvmOptionsOf options of the JVMs of some ranks, by rank
   * @param bind whether ranks are bound to their share of the cores
   * @param input whether rank 0 gets fmirun's standard input
   * @param idleMegahertz maximum frequency of cores whose ranks wait in a recovery; 0 for no limit
   */
  public record Processes(
      Path directory,
      Map<String, String> environment,
      List<String> jvmOptions,
      Map<Integer, List<String>> jvmOptionsOf,
      boolean bind,
      boolean input,
      int idleMegahertz) {
    public Processes {
      environment = Map.copyOf(environment);
      jvmOptions = List.copyOf(jvmOptions);
      jvmOptionsOf = Map.copyOf(jvmOptionsOf);
    }
  }

  /**
   * The places of checkpoints.
   *
   * @param nodeDir the directory of nodes; null for memory
   * @param level2 checkpoints in files; null for none
   */
  public record Checkpoints(@Nullable Path nodeDir, @Nullable Level2Options level2) {}

  /**
   * Time limits of fmirun.
   *
   * @param startMillis limit of the start of a node's daemon
   * @param graceMillis time for which a silent node may return with all that it holds
   * @param stallMillis time without progress after which waiting ranks are reported; 0 for never
   * @param timeoutMillis time after which the job is ended; 0 for never
   */
  public record Patience(int startMillis, int graceMillis, long stallMillis, long timeoutMillis) {}

  /**
   * The output of fmirun, and the name of the job.
   *
   * @param name the job's name for the user; empty for none
   * @param tagged whether each line of a rank begins with the rank's number
   * @param timed whether each notice of fmirun begins with the date and time
   * @param directory directory for the output files of ranks, if any
   * @param events file for events, if any
   */
  public record Output(
      String name,
      Verbosity verbosity,
      boolean tagged,
      boolean timed,
      @Nullable Path directory,
      @Nullable Path events) {}

  /** The amount of notices that fmirun prints. */
  public enum Verbosity {
    QUIET,
    NORMAL,
    VERBOSE
  }

  static final int MAX_RANKS = 1 << 16;

  /** Limit of the record that a rank keeps outside of loops for its replacement. */
  private static final long RECORD_LIMIT_BYTES = 64 << 20;

  private static final double DEFAULT_MTBF_SECONDS = 3600;

  /** One in this many failures needs files, as on the Coastal cluster (FMI paper). */
  private static final double FILES_ARE_NEEDED = 5;

  private static final int DEFAULT_L2_STALL_SECONDS = 60;

  private static final double DEFAULT_START_SECONDS = 60;

  private static final double DEFAULT_GRACE_SECONDS = 30;

  /** Options of a JVM begin differently. */
  private static final Pattern OF_RANK = Pattern.compile("(\\d{1,9}):(.+)");

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /**
   * Returns a directory under the name that the user knows, if the user is in it: on other hosts, a
   * link on the way may lead elsewhere.
   *
   * @param directory path without links
   */
  public static Path asNamed(Path directory, Map<String, String> environment) {
    Path name = Path.of(environment.getOrDefault("PWD", ""));
    try {
      return name.isAbsolute() && Files.isSameFile(name, directory) ? name : directory;
    } catch (IOException e) {
      return directory; // the name is not from this machine
    }
  }

  /**
   * Checks all settings and the program, and adds defaults.
   *
   * @param environment environment of fmirun
   * @param directory base of relative paths
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

  /**
   * Checks that all texts can be passed to the program: characters that the locale lacks are
   * already lost when fmirun reads its own arguments.
   *
   * @param charset character set of the locale
   * @throws UsageException if a text has no encoding in it
   */
  public void checkTexts(Charset charset) throws UsageException {
    checkTexts("an argument of the program", program.args(), charset);
    checkTexts("the main class", List.of(program.mainClass()), charset);
    checkTexts(Setting.EXPORT.flag(), processes.environment.values(), charset);
    checkTexts(Setting.JVM_OPTION.flag(), processes.jvmOptions, charset);
    for (List<String> ofRank : processes.jvmOptionsOf.values()) {
      checkTexts(Setting.JVM_OPTION.flag(), ofRank, charset);
    }
  }

  private static void checkTexts(String what, Collection<String> texts, Charset charset)
      throws UsageException {
    String lost = NativeText.firstWithout(texts, charset);
    if (lost != null) {
      throw new UsageException(
          what
              + ", '"
              + lost
              + "', has characters that the character set of the locale, "
              + charset
              + ", does not have; use a UTF-8 locale, such as LC_ALL=C.UTF-8");
    }
  }

  /** Returns the options of the job that continues the program with fewer ranks. */
  public RunOptions with(JobSpec next) {
    Map<Integer, List<String>> ofRanks = new HashMap<>(processes.jvmOptionsOf);
    ofRanks.keySet().removeIf(rank -> rank >= next.size());
    return new RunOptions(
        program,
        next,
        job.toBuilder().size(next.size()).policy(next.recovery().policy()).build(),
        where,
        new Processes(
            processes.directory,
            processes.environment,
            processes.jvmOptions,
            ofRanks,
            processes.bind,
            processes.input,
            processes.idleMegahertz),
        checkpoints,
        patience,
        output,
        metrics,
        null);
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

    RunOptions read() throws UsageException {
      NodeOptions where = NodeOptions.of(settings, environment, directory, knownHost);
      int ranks = where.ranks();
      List<JobSpec.Node> nodes = where.nodes();
      Value classPath = settings.get(Setting.CLASS_PATH);
      Program program =
          Program.find(
              classPath == null ? null : classPath.texts().getFirst(),
              settings.program(),
              directory);
      JobSpec.Room room =
          new JobSpec.Room(
              nodes,
              where.ranksPerNode(),
              where.noSpare().then(),
              where.noSpare().requestSeconds() > 0);
      RecoveryTable.Chosen recovery = RecoveryTable.choose(this, ranks, room, writesFiles());
      // A site's file may set a directory for jobs that take checkpoints.
      Level2Options files = recovery.policy().onFailure() == OnFailure.SHRINK ? null : level2();
      JobSpec spec =
          new JobSpec(
              ranks,
              room,
              new JobSpec.Grouping(
                  whole(Setting.GROUP_SIZE, 1, MAX_RANKS, 16),
                  whole(Setting.GROUP_LOSSES, 0, 3, 1)),
              new JobSpec.Recovery(
                  whole(Setting.MAX_RECOVERIES, 0, Integer.MAX_VALUE, Integer.MAX_VALUE),
                  whole(Setting.NO_PROGRESS, 0, Integer.MAX_VALUE, 5),
                  recovery.policy()),
              faults(ranks, nodes.size()));
      boolean bind = choice(Setting.BIND, "core", "core", "none").equals("core");
      GroupLosses.check(settings.get(Setting.GROUP_LOSSES), spec);
      return new RunOptions(
          program,
          spec,
          job(spec),
          where.where(),
          new Processes(
              directory,
              exported(),
              jvmOptions(),
              jvmOptionsOf(ranks),
              bind,
              choice(Setting.STDIN, "0", "0", "none").equals("0"),
              IdleFrequency.megahertz(bind, settings)),
          new Checkpoints(path(Setting.NODE_DIR), files),
          new Patience(
              startMillis(),
              graceMillis(),
              millis(Setting.STALL_REPORT, 10),
              millis(Setting.TIMEOUT, 0)),
          new Output(
              JobName.of(settings),
              verbosity(),
              on(Setting.TAG_OUTPUT),
              on(Setting.TIMESTAMPS),
              path(Setting.OUTPUT),
              path(Setting.EVENTS)),
          MetricsOptions.of(settings),
          recovery.remark());
    }

    private JobSettings job(JobSpec spec) throws UsageException {
      return JobSettings.builder()
          .size(spec.size())
          .interval(interval())
          .policy(spec.recovery().policy())
          .groupLosses(spec.grouping().losses())
          .logRingBase(whole(Setting.LOG_RING_BASE, 2, MAX_RANKS, 2))
          .heartbeatMillis((int) Math.round(1000 * heartbeat()))
          .detection(detection())
          .recordLimitBytes(RECORD_LIMIT_BYTES)
          .sendBufferBytes(sendBuffer())
          .transports(transports(spec.nodes()))
          .mayShrink(mayShrink(spec))
          .build();
    }

    /** A site's file may ask for it where it is impossible. */
    private static boolean mayShrink(JobSpec spec) {
      return spec.room().onNoSpare() == JobSpec.OnNoSpare.SHRINK
          && spec.nodes().size() > 1
          && spec.recovery().policy().onFailure() == OnFailure.REPLACE;
    }

    private double heartbeat() throws UsageException {
      return decimal(Setting.HEARTBEAT, 0.1, 3600, 5);
    }

    private Detection detection() throws UsageException {
      Detection.Overlay overlay =
          Detection.Overlay.valueOf(
              choice(Setting.DETECTOR, "logring", "logring", "heartring").toUpperCase(Locale.ROOT));
      onlyFor(Setting.RING_SHUFFLE, Detection.Overlay.HEARTRING, overlay);
      onlyFor(Setting.LOG_RING_BASE, Detection.Overlay.LOGRING, overlay);
      double period = heartbeat() / 4;
      return new Detection(
          overlay,
          (int)
              Math.round(1000 * decimal(Setting.HEARTBEAT_PERIOD, 0.001, heartbeat() / 2, period)),
          choice(Setting.RING_SHUFFLE, "on", "on", "off").equals("on"));
    }

    /** Refuses an option of another overlay; a site's file may have settings of both. */
    private void onlyFor(Setting setting, Detection.Overlay of, Detection.Overlay chosen)
        throws UsageException {
      Value given = settings.get(setting);
      if (given != null && given.source() == 0 && of != chosen) {
        throw new UsageException(
            given(setting, given.texts().getFirst())
                + ": has no effect with --detector "
                + chosen.name().toLowerCase(Locale.ROOT)
                + "; omit it, or add --detector "
                + of.name().toLowerCase(Locale.ROOT));
      }
    }

    private int graceMillis() throws UsageException {
      double otherwise = Math.max(DEFAULT_GRACE_SECONDS, heartbeat());
      // Nothing is silent for less than a heartbeat's timeout.
      return (int) Math.round(1000 * decimal(Setting.GRACE, heartbeat(), 86_400, otherwise));
    }

    private int startMillis() throws UsageException {
      double otherwise = Math.max(DEFAULT_START_SECONDS, heartbeat());
      return (int) Math.round(1000 * decimal(Setting.START_TIMEOUT, 1, 86_400, otherwise));
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

    private long sendBuffer() throws UsageException {
      int mib = whole(Setting.SEND_BUFFER, 0, 1 << 20, -1);
      return mib < 0 ? JobSettings.SEND_BUFFER_OF_HEAP : (long) mib << 20;
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
                given(Setting.TRANSPORT, text)
                    + ": works within one node, and the job has "
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
      // A fixed interval yields to either of the settings that tune one.
      boolean overMtbf = exclusive(Setting.INTERVAL, Setting.MTBF) == Setting.INTERVAL;
      boolean overModel = exclusive(Setting.INTERVAL, Setting.INTERVAL_MODEL) == Setting.INTERVAL;
      if (overMtbf && overModel) {
        return Interval.read(Objects.requireNonNull(settings.get(Setting.INTERVAL)));
      }
      return new CheckpointInterval.Mtbf(mtbf(), intervalModel());
    }

    private IntervalModel intervalModel() throws UsageException {
      String model = choice(Setting.INTERVAL_MODEL, "vaidya", "vaidya", "young", "daly");
      return IntervalModel.valueOf(model.toUpperCase(Locale.ROOT));
    }

    private double mtbf() throws UsageException {
      return decimal(Setting.MTBF, 0.001, 1e9, DEFAULT_MTBF_SECONDS);
    }

    private boolean writesFiles() {
      return settings.get(Setting.L2_DIR) != null && settings.get(Setting.L2_EVERY) != null;
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
        // A site's file may set an interval for jobs that name a directory.
        if (given != null && given.source() == 0) {
          throw new UsageException(
              given.origin() + ": needs the directory of the files; add --l2-dir DIR");
        }
        return null;
      }
      if (every == null && from == null) {
        throw new UsageException(
            directory.origin()
                + ": says where to write checkpoints but not when; add --l2-every K or --l2-every"
                + " auto");
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

    /** Returns the options; ignores empty ones, which may come from an unset variable. */
    private List<String> jvmOptions() {
      return texts(Setting.JVM_OPTION).stream()
          .filter(text -> !text.isBlank() && !OF_RANK.matcher(text).matches())
          .toList();
    }

    private Map<Integer, List<String>> jvmOptionsOf(int ranks) throws UsageException {
      Map<Integer, List<String>> options = new HashMap<>();
      Value value = settings.get(Setting.JVM_OPTION);
      if (value == null) {
        return options;
      }
      for (String text : value.texts()) {
        Matcher ofRank = OF_RANK.matcher(text);
        if (ofRank.matches()) {
          int rank = Integer.parseInt(ofRank.group(1));
          if (rank >= ranks) {
            throw new UsageException(
                value.origin()
                    + " "
                    + text
                    + ": no such rank; ranks are numbered from 0 to "
                    + (ranks - 1));
          }
          options.computeIfAbsent(rank, _ -> new ArrayList<>()).add(ofRank.group(2));
        }
      }
      return options;
    }

    private Map<String, String> exported() throws UsageException {
      Map<String, String> variables = new LinkedHashMap<>();
      Value exports = settings.get(Setting.EXPORT);
      if (exports != null) {
        for (String text : exports.texts()) {
          export(text, exports, variables);
        }
      }
      if (settings.get(Setting.VERBS) != null) {
        variables.putIfAbsent(
            VerbsProvider.VARIABLE,
            choice(Setting.VERBS, VerbsProvider.NATIVE, VerbsProvider.NATIVE, VerbsProvider.DISNI));
      }
      return variables;
    }

    private void export(String text, Value exports, Map<String, String> variables)
        throws UsageException {
      int equals = text.indexOf('=');
      String name = equals < 0 ? text : text.substring(0, equals);
      String what = exports.origin() + " ";
      if (!VARIABLE.matcher(name).matches()) {
        throw new UsageException(
            what
                + text
                + ": '"
                + name
                + "' is not the name of a variable; write "
                + (exports.source() == 0
                    ? "-x NAME[=VALUE]"
                    : "NAME[=VALUE], separated by commas; a value with a comma in it needs"
                        + " -x NAME=VALUE"));
      }
      String value = equals < 0 ? environment.get(name) : text.substring(equals + 1);
      if (value == null) {
        throw new UsageException(
            what + name + ": not set here; set it, or write " + name + "=VALUE");
      }
      variables.put(name, value);
    }
  }
}
