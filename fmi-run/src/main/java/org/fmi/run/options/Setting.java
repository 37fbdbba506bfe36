package org.fmi.run.options;

import java.util.Locale;

/** All settings: by a flag, a variable, or a line of {@code conf/fmi.conf}. */
enum Setting {
  RANKS("-n", "ranks", "N", "number of ranks"),
  CLASS_PATH(
      "-cp",
      "class-path",
      "PATH",
      "class path of the program; then name its main class instead of a jar"),
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
      "spare nodes: S more local nodes, or the last S nodes of the Slurm job (default 0)"),
  LAUNCHER(
      "--launcher",
      "launcher",
      "L",
      "local, ssh or slurm (default: ssh if hosts are given, slurm in a Slurm job, else local)"),
  SLURM_ARGS(
      "--slurm-args",
      "slurm-args",
      "ARGS",
      "additional arguments of the srun that starts a node's daemon, separated by spaces"),
  BIND(
      "--bind",
      "bind",
      "B",
      "core: bind each rank to its own share of the cores (its process or, if the share is one"
          + " core, the thread that calls Fmi.init), unless a machine has more ranks than hardware"
          + " threads; none: bind nothing (default core)"),
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
      "memory per rank for short messages that have been sent but not received; sends wait when it"
          + " is full (default: 1/16 of the heap, at least 16)"),
  VERBS(
      "--verbs",
      "verbs",
      "V",
      "RDMA driver: native, or disni where libdisni is installed (default native)"),
  GROUP_SIZE("--group-size", "group-size", "G", "ranks per checkpoint group (default 16)"),
  GROUP_LOSSES(
      "--group-losses",
      "group-losses",
      "K",
      "nodes of a checkpoint group that may be lost at once, from 0 to 3 (default 1, if there are"
          + " enough nodes)"),
  CHECKPOINT(
      "--checkpoint",
      "checkpoint",
      "MODE",
      "how to take checkpoints between iterations: blocking (all ranks wait until the checkpoint is"
          + " complete) or overlapped (each rank copies its state and continues; default"
          + " blocking)"),
  INTERVAL(
      "--interval",
      "interval",
      "K",
      "checkpoint every K iterations, or by time: 500ms, 30s, 2min, 1h"),
  MTBF(
      "--mtbf",
      "mtbf-sec",
      "SECONDS",
      "mean time between failures; tunes the checkpoint interval (default 3600)"),
  INTERVAL_MODEL(
      "--interval-model",
      "interval-model",
      "MODEL",
      "model that derives the checkpoint interval in memory from --mtbf: vaidya, young or daly"
          + " (default vaidya)"),
  NODE_DIR(
      "--node-dir",
      "node-dir",
      "DIR",
      "keep each node's checkpoints in this directory on its disk instead of in memory"),
  L2_DIR(
      "--l2-dir",
      "l2-dir",
      "DIR",
      "directory, shared by all hosts, for checkpoints in files that outlive the job"),
  L2_EVERY(
      "--l2-every",
      "l2-every",
      "K",
      "write a checkpoint to files every K iterations (at the next checkpoint in memory), or auto:"
          + " derive K from --l2-mtbf"),
  L2_MTBF(
      "--l2-mtbf",
      "l2-mtbf-sec",
      "SECONDS",
      "mean time between failures that only checkpoints in files survive (default 5 times --mtbf)"),
  L2_KEEP("--l2-keep", "l2-keep", "G", "number of generations of files to keep (default 2)"),
  L2_STALL(
      "--l2-stall",
      "l2-stall-sec",
      "SECONDS",
      "give up writing to files after this long without progress, or at the end of the job"
          + " (default 60)"),
  L2_BANDWIDTH(
      "--l2-bandwidth",
      "l2-bandwidth-mb-per-sec",
      "MB",
      "limit each node to this many MB per second when writing to files (default: no limit)"),
  RESTART_FROM(
      "--restart-from",
      "restart-from",
      "WHAT",
      "start from files in --l2-dir: latest, JOB/vN, or auto (latest, or from scratch if there are"
          + " none)"),
  STOP_BEFORE(
      "--stop-before",
      "stop-before-sec",
      "SECONDS",
      "under Slurm: this long before the time limit, write a checkpoint to files and exit with"
          + " status 75; 0: never (default 0)"),
  ON_FAILURE(
      "--on-failure",
      "on-failure",
      "WHAT",
      "what to do when a rank is lost: replace it, end the job, or shrink: the other ranks"
          + " continue, and their calls that need the lost rank fail (default replace)"),
  ON_NO_SPARE(
      "--on-no-spare",
      "on-no-spare",
      "P",
      "what to do when a node is lost and no spare is left: wait, share, abort, or shrink: continue"
          + " the program with fewer ranks; or, under Slurm, request[:SECONDS][,P]: request a node"
          + " first, for at most SECONDS (default share)"),
  MAX_RECOVERIES(
      "--max-recoveries",
      "max-recoveries",
      "M",
      "end the job instead of recovering more than M times (default: no limit)"),
  NO_PROGRESS(
      "--no-progress",
      "no-progress",
      "K",
      "end the job after K recoveries in a row without a newer checkpoint or iteration between"
          + " them; 0: never (default 5)"),
  KILL(
      "--kill",
      "kill",
      "W@I",
      "inject a failure: rank3@40, node1@40, rank1@40:encode, node1@close; repeatable",
      true),
  CHECK(
      "--check",
      "check",
      "repeat some iterations, and end the job if they compute a different result"),
  ROLLBACK(
      "--rollback",
      "rollback",
      "MODE",
      "which ranks roll back after a failure: global (all), local (failed ranks only, where"
          + " possible), flow (in a flowLoop: the ranks that produced the lost data), or auto"
          + " (default): flow in a flowLoop, else local if each rank has a dedicated node, else"
          + " global"),
  FLOW_LIMIT(
      "--flow-limit",
      "flow-limit",
      "RANKS",
      "roll back all ranks if more than RANKS would have to recompute (default: all but one)"),
  LOG_LIMIT(
      "--log-limit",
      "log-limit",
      "MIB",
      "memory per rank for the message log of local rollback (default: the size of the state)"),
  IDLE_FREQUENCY(
      "--idle-frequency",
      "idle-frequency-mhz",
      "MIN",
      "maximum frequency, in MHz, of cores whose ranks wait during a recovery: a number, min (the"
          + " lowest possible), or off (default)"),
  EVENTS("--events", "events", "FILE", "write each event to this file as a line of JSON"),
  METRICS_PORT(
      "--metrics-port",
      "metrics-port",
      "[HOST:]PORT",
      "serve metrics of all ranks to Prometheus on this port, only to this machine unless HOST is"
          + " given; 0 chooses a free port"),
  METRICS_OTLP(
      "--metrics-otlp",
      "metrics-otlp",
      "URL",
      "push metrics of all ranks by OTLP over HTTP, as to http://collector:4318/v1/metrics"),
  STALL_REPORT(
      "--stall-report",
      "stall-report-sec",
      "SECONDS",
      "report which ranks wait for which after this long without progress; 0: never (default 10)"),
  TIMEOUT(
      "--timeout",
      "timeout-sec",
      "SECONDS",
      "end the job after this time: print the stacks of all ranks and exit with status 124"),
  QUIET("--quiet", "quiet", "print no progress notices"),
  VERBOSE("--verbose", "verbose", "print more progress notices, and the settings in use"),
  STDIN("--stdin", "stdin", "WHO", "rank that receives standard input: 0 or none (default 0)"),
  NAME("--name", "name", "NAME", "name of the job in fmi jobs and other fmi commands"),
  TAG_OUTPUT("--tag-output", "tag-output", "prefix each line of output with its rank"),
  OUTPUT(
      "--output",
      "output",
      "DIR",
      "write the output of each rank to DIR/rank-R.out and DIR/rank-R.err instead of here"),
  TIMESTAMPS("--timestamps", "timestamps", "begin each notice of fmirun with the date and time"),
  EXPORT("-x", "export", "NAME[=VALUE]", "pass an environment variable; repeatable", true),
  JVM_OPTION(
      "-J",
      "jvm-options",
      "[RANK:]OPT",
      "option of the JVMs of all ranks, or of one rank; repeatable",
      true),
  PREFIX("--prefix", "prefix", "DIR", "directory of FMI on the other hosts"),
  HEARTBEAT(
      "--heartbeat",
      "heartbeat-sec",
      "SECONDS",
      "treat a process that is silent for this long as dead (default 5)"),
  HEARTBEAT_PERIOD(
      "--heartbeat-period",
      "heartbeat-period-sec",
      "SECONDS",
      "time between two heartbeats of a rank to another (default: a quarter of --heartbeat)"),
  DETECTOR(
      "--detector",
      "detector",
      "OVERLAY",
      "logring (default): each rank watches all its neighbours; heartring: each rank watches the"
          + " one before it in a ring"),
  RING_SHUFFLE(
      "--ring-shuffle",
      "ring-shuffle",
      "WHAT",
      "on (default): ranks have random places in the heart ring, so that ranks of a node are rarely"
          + " adjacent; off: in order"),
  GRACE(
      "--grace",
      "grace-sec",
      "SECONDS",
      "time for which a silent node may return with all that it holds before it is lost (default"
          + " 30)"),
  START_TIMEOUT(
      "--start-timeout",
      "start-timeout-sec",
      "SECONDS",
      "time limit for the start of a node's daemon; time spent waiting for a core does not count"
          + " (default 60)"),
  LOG_RING_BASE(
      "--logring-base",
      "logring-base",
      "K",
      "base of the log-ring: rank r connects to r + K^i (default 2)");

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

  /** Returns its name on the command line. */
  String flag() {
    return flag;
  }

  /** Returns its name in {@code fmi.conf}, which includes the unit. */
  String key() {
    return key;
  }

  /** Returns its name in the environment, which includes the unit. */
  String variable() {
    return "FMI_" + key.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /** Returns the name of its value in the help. */
  String parameter() {
    return parameter;
  }

  String meaning() {
    return meaning;
  }

  /** Whether it may be given more than once; in a variable or the file, its values form a list. */
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
