package org.fmi.run.options;

import java.util.Locale;

/** Names everything that can be set: by a flag, a variable, or a line of {@code conf/fmi.conf}. */
enum Setting {
  RANKS("-n", "ranks", "N", "number of ranks"),
  CLASS_PATH(
      "-cp", "class-path", "PATH", "class path of the program; a class is named instead of a jar"),
  HOSTS("--hosts", "hosts", "LIST", "hosts to use, as in a,b:4,c (b has 4 slots)"),
  HOST_FILE(
      "--hostfile",
      "hostfile",
      "FILE",
      "hosts to use, one per line: NAME [slots=K] [spare] [rack=R]"),
  PPN("--ppn", "ppn", "K", "ranks per node; on one machine: ceil(N/K) local nodes"),
  SPARES(
      "--spares",
      "spares",
      "S",
      "spare nodes: more local ones, or the last S of those that Slurm gave (default 0)"),
  LAUNCHER(
      "--launcher",
      "launcher",
      "L",
      "local, ssh or slurm (default: ssh if hosts are given, slurm in a job of Slurm)"),
  SLURM_ARGS(
      "--slurm-args",
      "slurm-args",
      "ARGS",
      "more arguments for the srun that starts a node's daemon, separated by spaces"),
  BIND(
      "--bind",
      "bind",
      "B",
      "core: bind each rank to its own share of the cores (its process or, if the share is one"
          + " core, the thread that calls Fmi.init), unless a machine has more ranks than cores;"
          + " none: bind nothing (default core)"),
  TRANSPORT(
      "--transport",
      "transport",
      "T",
      "auto, shm (one node only), rdma or tcp (default auto: shm within a node; between nodes"
          + " rdma where there is a device, else tcp)"),
  SEND_BUFFER(
      "--send-buffer",
      "send-buffer",
      "MIB",
      "memory per rank for copies of short messages that no receive has taken yet, so that their"
          + " sends need not wait (default: a sixteenth of the heap, at least 16)"),
  VERBS(
      "--verbs",
      "verbs",
      "V",
      "how rdma uses the device: native, or disni where the site has libdisni (default native)"),
  GROUP_SIZE("--group-size", "group-size", "G", "ranks per checkpoint group (default 16)"),
  GROUP_LOSSES(
      "--group-losses",
      "group-losses",
      "K",
      "nodes per checkpoint group that may be lost at once, from 0 to 3 (default 1, as far as there"
          + " are nodes)"),
  CHECKPOINT(
      "--checkpoint",
      "checkpoint",
      "MODE",
      "how checkpoints between iterations are taken: blocking (all ranks wait until it is complete)"
          + " or overlapped (each rank copies its state, and goes on)"),
  INTERVAL(
      "--interval",
      "interval",
      "K",
      "checkpoint every K iterations, or by time: 500ms, 30s, 2min, 1h"),
  MTBF(
      "--mtbf",
      "mtbf-sec",
      "SECONDS",
      "mean time between failures, from which the checkpoint interval is tuned (default 3600)"),
  NODE_DIR(
      "--node-dir",
      "node-dir",
      "DIR",
      "keep a node's checkpoints in a directory on its disk, not in memory"),
  L2_DIR(
      "--l2-dir",
      "l2-dir",
      "DIR",
      "checkpoints on files that outlive the job: a directory that all hosts share"),
  L2_EVERY(
      "--l2-every",
      "l2-every",
      "K",
      "write a checkpoint to files every K iterations, rounded up to a checkpoint, or as often as"
          + " --l2-mtbf makes it best: auto"),
  L2_MTBF(
      "--l2-mtbf",
      "l2-mtbf-sec",
      "SECONDS",
      "mean time between failures that only files survive (default 5 times --mtbf)"),
  L2_KEEP("--l2-keep", "l2-keep", "G", "generations on files that are kept (default 2)"),
  L2_STALL(
      "--l2-stall",
      "l2-stall-sec",
      "SECONDS",
      "how long files are waited for at a job's end, and while nothing moves (default 60)"),
  L2_BANDWIDTH(
      "--l2-bandwidth",
      "l2-bandwidth-mb-per-sec",
      "MB",
      "each node writes at most this many MB per second to files (default: no limit)"),
  RESTART_FROM(
      "--restart-from",
      "restart-from",
      "WHAT",
      "begin from files in --l2-dir: latest, JOB/vN, or auto (as latest; anew if there are none)"),
  STOP_BEFORE(
      "--stop-before",
      "stop-before-sec",
      "SECONDS",
      "in a job of Slurm: so long before its end, write a checkpoint to files and end with status"
          + " 75; 0: never (default 0)"),
  ON_NO_SPARE(
      "--on-no-spare",
      "on-no-spare",
      "P",
      "when a node is lost and no spare is left: wait, share or abort; or, in a job of Slurm,"
          + " request[:SECONDS][,P] to ask for one first, which may take so long (default share)"),
  MAX_RECOVERIES(
      "--max-recoveries",
      "max-recoveries",
      "M",
      "end the job rather than recover more often (default 1000)"),
  KILL(
      "--kill",
      "kill",
      "W@I",
      "failure injection: rank3@40, node1@40, rank1@40:encode, node1@close; repeatable",
      true),
  CHECK(
      "--check",
      "check",
      "repeat iterations now and then, and end the job if they compute something else"),
  ROLLBACK(
      "--rollback",
      "rollback",
      "MODE",
      "who goes back after a failure: global (all ranks), local (failed ranks, where that can be"
          + " done), or flow (in a flowLoop, those that the lost data came from) (default auto:"
          + " flow in a flowLoop, else local if each rank has a node of its own, else global)"),
  FLOW_LIMIT(
      "--flow-limit",
      "flow-limit",
      "RANKS",
      "most ranks that compute again in a flow rollback, else all do (default: all but one)"),
  LOG_LIMIT(
      "--log-limit",
      "log-limit",
      "MIB",
      "memory per rank for what it has sent since the last checkpoint, where only failed ones go"
          + " back"
          + " (default: as much as the state)"),
  IDLE_FREQUENCY(
      "--idle-frequency",
      "idle-frequency-mhz",
      "MIN",
      "megahertz that cores run at, at most, while their ranks wait in a recovery: a number, min"
          + " (as slowly as they can), or off (default)"),
  EVENTS("--events", "events", "FILE", "write every event as a JSON line"),
  METRICS_PORT(
      "--metrics-port",
      "metrics-port",
      "[HOST:]PORT",
      "serve metrics of all ranks to Prometheus there, from this machine only unless HOST is given;"
          + " 0 takes any free port"),
  METRICS_OTLP(
      "--metrics-otlp",
      "metrics-otlp",
      "URL",
      "push metrics of all ranks there by OTLP over HTTP, as in http://collector:4318/v1/metrics"),
  STALL_REPORT(
      "--stall-report",
      "stall-report-sec",
      "SECONDS",
      "say who waits for whom once nothing has happened for this long; 0: never (default 10)"),
  TIMEOUT(
      "--timeout",
      "timeout-sec",
      "SECONDS",
      "end the job after this time, with the stacks of all ranks and status 124"),
  QUIET("--quiet", "quiet", "no progress lines"),
  VERBOSE("--verbose", "verbose", "more progress lines, and what was chosen"),
  STDIN(
      "--stdin",
      "stdin",
      "WHO",
      "who gets standard input: 0 (rank 0, once it reads) or none (default 0)"),
  NAME(
      "--name", "name", "NAME", "what the job is called in fmi jobs, and by other commands of fmi"),
  TAG_OUTPUT("--tag-output", "tag-output", "prefix each line of output with the rank it came from"),
  OUTPUT(
      "--output",
      "output",
      "DIR",
      "write the output of each rank to DIR/rank-R.out and DIR/rank-R.err, not here"),
  TIMESTAMPS("--timestamps", "timestamps", "begin each line of fmirun's own with date and time"),
  EXPORT("-x", "export", "NAME[=VALUE]", "pass an environment variable; repeatable", true),
  JVM_OPTION(
      "-J",
      "jvm-options",
      "[RANK:]OPT",
      "an option for the rank JVMs, or for that of one rank; repeatable",
      true),
  PREFIX("--prefix", "prefix", "DIR", "where FMI is installed on the other hosts"),
  HEARTBEAT(
      "--heartbeat",
      "heartbeat-sec",
      "SECONDS",
      "a process that is silent for this long counts as dead (default 5)"),
  START_TIMEOUT(
      "--start-timeout",
      "start-timeout-sec",
      "SECONDS",
      "how long the start of a node's daemon may take; time in which it waits for a core does not"
          + " count (default 60)"),
  LOG_RING_BASE(
      "--logring-base",
      "logring-base",
      "K",
      "in the log-ring, rank r is connected to r + K^i (default 2)");

  private final String flag;
  private final String key;
  private final String parameter;
  private final String meaning;
  private final boolean repeatable;

  Setting(String flag, String key, String parameter, String meaning) {
    this(flag, key, parameter, meaning, false);
  }

  Setting(String flag, String key, String meaning) {
    this(flag, key, "", meaning, false);
  }

  Setting(String flag, String key, String parameter, String meaning, boolean repeatable) {
    this.flag = flag;
    this.key = key;
    this.parameter = parameter;
    this.meaning = meaning;
    this.repeatable = repeatable;
  }

  /** Its name on the command line. */
  String flag() {
    return flag;
  }

  /** Its name in {@code fmi.conf}, which names the unit. */
  String key() {
    return key;
  }

  /** Its name in the environment, which names the unit. */
  String variable() {
    return "FMI_" + key.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /** What the help calls its value. */
  String parameter() {
    return parameter;
  }

  String meaning() {
    return meaning;
  }

  /** Whether it may be given more than once; in a variable or the file its values form a list. */
  boolean repeatable() {
    return repeatable;
  }

  /** Whether it is either on or off. */
  boolean isSwitch() {
    return parameter.isEmpty();
  }

  /** Splits the text of a variable or of a line of the file into values. */
  String[] split(String text) {
    if (!repeatable) {
      return new String[] {text};
    }
    return text.strip().split(this == JVM_OPTION ? "\\s+" : "\\s*,\\s*");
  }
}
