package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.fmi.Fmi;
import org.fmi.Rollback;
import org.fmi.ckpt.xor.XorStoreProvider;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.rank.RankRuntime;
import org.fmi.job.EndCause;
import org.fmi.job.FaultSpec;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobController;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.job.control.CoreShare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.Level2Setup;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimFaults;
import org.fmi.testkit.SimHost;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.Simulation;
import org.fmi.testkit.Supervisor;
import org.jspecify.annotations.Nullable;

/**
 * A whole job in one JVM: the decision maker, and all ranks with the real runtime and the real
 * checkpoint store, on simulated nodes, network and clock. Everything follows from the seed.
 */
final class JobSimulation implements Supervisor {
  private static final long MEMORY_PER_NODE = 128L << 20;

  /** The longest pause between two parts of a job's start, in which other events may happen. */
  private static final long LONGEST_PART_NANOS = 2_000_000;

  /** Size of a checkpoint's block: small, as images are. */
  static final int BLOCK_BYTES = 4096;

  private static final CheckpointStoreProvider STORES = new XorStoreProvider(BLOCK_BYTES);

  /** The end of a job. */
  record Outcome(
      int status, EndCause cause, String message, long answer, int recoveries, long trace) {}

  /** The program of a rank; returns the job's answer. */
  interface Program {
    long run(Fmi fmi, SimProcess process, SimCluster cluster) throws Exception;
  }

  private final Shape shape;
  private final Program program;
  private final Simulation simulation;
  private final SimCluster cluster;
  private final Job job;

  /** Draws how many ranks the job starts or kills at once, and the pause before the next part. */
  private final SplittableRandom parts;

  private final SimFiles files;
  private final Judge oracle;
  private final Ledger ledger = new Ledger();
  private final JoinedAddresses addresses;
  private final Askers requests;
  private final long[] answers;

  /** Number of the job's nodes. */
  private int nodes;

  /** The node on which each rank's newest process was started. */
  private final int[] nodeOf;

  /** Numbers of the requested faults that ranks have reached. */
  private final Set<Integer> reached = new HashSet<>();

  private final List<Notice> notices = new ArrayList<>();

  /** Whether a rank that rolled back alone has sent a message that differs from the first one. */
  private boolean repeatedOtherwise;

  private final List<String> reports = new ArrayList<>();
  private Predicate<Notice> killWhen = notice -> false;
  private int toKill;
  private Predicate<Notice> loseWhen = notice -> false;
  private int toLose;
  private Predicate<Notice> leavesWhen = notice -> false;
  private int toLeave;
  private Predicate<Notice> staysWhen = notice -> false;
  private Predicate<Notice> addNodeWhen = notice -> false;
  private Predicate<Notice> writesWhen = notice -> false;
  private final Lender lender;
  private JobCommand.@Nullable End end;

  /** Creates a job in a random world. */
  JobSimulation(long seed, Shape shape) {
    this(seed, shape, null, shape.program());
  }

  /**
   * Creates a job.
   *
   * @param world null for a random one
   */
  JobSimulation(long seed, Shape shape, @Nullable SimModel world, Program program) {
    this.shape = shape;
    this.program = program;
    this.answers = new long[shape.size()];
    this.simulation = new Simulation(seed);
    JobSpec spec = shape.spec();
    this.cluster =
        new SimCluster(
            simulation,
            world == null ? SimModel.random(simulation.random()) : world,
            spec.nodes().size() + 1, // the last one for a node that is added
            MEMORY_PER_NODE);
    this.parts = new SplittableRandom(seed ^ 0x9a27);
    this.job = new JobController(spec, 1 + parts.nextInt(2 * shape.size()));
    this.nodes = spec.nodes().size();
    this.files = new SimFiles(simulation, shape);
    this.oracle =
        shape.shrinks()
            ? new ShrinkOracle(shape, cluster)
            : new Oracle(shape, cluster, files, ledger);
    this.addresses = new JoinedAddresses(shape.size());
    this.requests = new Askers(seed, simulation, this::ask);
    this.lender = new Lender(simulation, this::oneMore, this::ask);
    this.nodeOf = new int[shape.size()];
    cluster.supervise(this);
    cluster.daemons(
        host -> new DaemonShell(host, this::main, () -> onConnected(host.node()), this::onReport));
    cluster.observe(oracle);
    cluster.watch(ledger);
    simulation.onFailure(() -> String.join("\n", reports));
  }

  void inject(FaultPlan plan) {
    cluster.inject(plan);
  }

  /** Returns the faults that no plan reaches. */
  SimFaults faults() {
    return cluster.faults();
  }

  /** Kills a rank's process as soon as this is reported, once. */
  void killWhen(Predicate<Notice> reported, int rank) {
    killWhen = reported;
    toKill = rank;
  }

  /** Crashes a node as soon as a notice matches, once. */
  void loseWhen(Predicate<Notice> reported, int node) {
    loseWhen = reported;
    toLose = node;
  }

  /** Announces the loss of a node to the job as soon as a notice matches, once. */
  void leavesWhen(Predicate<Notice> reported, int node) {
    leavesWhen = reported;
    toLeave = node;
  }

  /** Revokes that announcement as soon as a notice matches, once. */
  void staysWhen(Predicate<Notice> reported) {
    staysWhen = reported;
  }

  /** Gives the job one more node as soon as this is reported, once. */
  void addNodeWhen(Predicate<Notice> reported) {
    addNodeWhen = reported;
  }

  /** Has rank 0's first process write the next checkpoint to files, once a notice matches. */
  void writesWhen(Predicate<Notice> reported) {
    writesWhen = reported;
  }

  private void writes() {
    order(nodeOf[0], new ToDaemon.Forward(0, 0, new JobMessage.WriteNext()));
  }

  private void addNode() {
    boolean _ = ask(new JobEvent.NodeAdded(oneMore())); // it may have ended
  }

  private JobSpec.Node oneMore() {
    int number = shape.usedNodes() + shape.spares();
    return new JobSpec.Node("node" + number, shape.ranksPerNode(), true);
  }

  /** Returns the site that lends nodes. */
  Lender lender() {
    return lender;
  }

  private void continueParts() {
    boolean _ = ask(new JobEvent.Continued()); // it may have ended
  }

  private void leaves() {
    onDrain(toLeave);
  }

  private void stays() {
    boolean _ = ask(new JobEvent.NodeStays(toLeave, "revoked")); // it may have ended
  }

  /** Returns the users who ask for checkpoints; none, unless allowed. */
  Askers askers() {
    return requests;
  }

  /** Passes an outside event to the job; returns false if the job has ended. */
  private boolean ask(JobEvent event) {
    if (end == null) {
      carryOut(job.on(event));
      return true;
    }
    return false;
  }

  SplittableRandom random() {
    return simulation.random();
  }

  int injected() {
    return cluster.injected();
  }

  Outcome run() {
    return run(oracle::check);
  }

  /**
   * Runs the job.
   *
   * @param check called between any two events
   */
  Outcome run(Runnable check) {
    carryOut(job.begin());
    simulation.run(
        () -> {
          check.run();
          return end != null && cluster.up().isEmpty();
        });
    JobCommand.End ended = end;
    if (ended == null) {
      throw new IllegalStateException("the simulation ended before the job");
    }
    requests.check();
    if (ended.status() == 0 && !shape.shrinks()) {
      ledger.checkAllReceived();
    }
    return new Outcome(
        ended.status(),
        ended.cause(),
        ended.message(),
        answers[0],
        job.recoveries(),
        simulation.traceHash());
  }

  /** Sends the text of each event to a listener. */
  void traceTo(Consumer<String> listener) {
    simulation.traceTo(listener);
  }

  /**
   * Judges whether the job was allowed to end as it did.
   *
   * @param answer the right answer
   */
  Judge.Verdict judge(Outcome outcome, long answer) {
    return oracle.judge(outcome, answer);
  }

  /** Returns the events, for messages of failed tests. */
  String story() {
    return String.join("\n", reports) + "\n" + cluster.exits();
  }

  /** Returns whether a regenerated message differed, which no program here causes by itself. */
  boolean hasRepeatedOtherwise() {
    return repeatedOtherwise;
  }

  List<Notice> notices() {
    return List.copyOf(notices);
  }

  /** Returns the notices of a type. */
  <T> List<T> notices(Class<T> type) {
    return notices.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Returns the requested faults that no rank has reached. */
  List<FaultSpec> faultsLeft() {
    List<FaultSpec> left = new ArrayList<>();
    for (int id = 0; id < shape.faults().size(); id++) {
      if (!reached.contains(id)) {
        left.add(shape.faults().get(id));
      }
    }
    return left;
  }

  SimCluster cluster() {
    return cluster;
  }

  /** Returns the exclusions without which the run so far would have broken a demand. */
  Set<Exclusion> needed() {
    return oracle.needed();
  }

  /** Returns the longest time that the job did not compute after a fault, without excused ones. */
  long longestOutage() {
    return oracle.longestOutage();
  }

  /** Returns the kinds of faults that were injected, by the phase of the job. */
  Reached reached() {
    return oracle.reached();
  }

  /** Returns the processes that ended by themselves. */
  List<SimCluster.Exit> exits() {
    return cluster.exits();
  }

  // ---- the shell around the decision maker

  @Override
  public void onNodeSilent(int node, boolean alone) {
    carryOut(job.on(new JobEvent.NodeSilent(node, alone)));
  }

  @Override
  public void onNodeHeard(int node) {
    carryOut(job.on(new JobEvent.NodeHeard(node)));
  }

  @Override
  public void onNodeLost(int node, String reason) {
    oracle.onGivenUp(node, reason);
    carryOut(job.on(new JobEvent.NodeLost(node, reason)));
  }

  @Override
  public void onDaemonLost(int node, String reason) {
    carryOut(job.on(new JobEvent.DaemonLost(node, reason)));
  }

  @Override
  public void onDrain(int node) {
    boolean _ = ask(new JobEvent.NodeLeaving(node, "announced")); // it may have ended
  }

  @Override
  public void onDrainOver(int node) {
    boolean _ = ask(new JobEvent.NodeStays(node, "revoked")); // it may have ended
  }

  @Override
  public void onAddition() {
    addNode();
  }

  /** Sends a connected daemon the settings that all ranks share. */
  private void onConnected(int node) {
    NodeSetup setup =
        NodeSetup.builder()
            .job(shape.job())
            .level2(new Level2Setup("", shape.files().every(), 0, 0, List.of(), List.of()))
            .build();
    order(node, new ToDaemon.Setup(setup));
  }

  /** Handles a daemon's message as JobShell does. */
  private void onReport(SimHost host, FromDaemon message) {
    switch (message) {
      case FromDaemon.Ready _ ->
          carryOut(job.on(new JobEvent.NodeUp(host.node(), MEMORY_PER_NODE)));
      case FromDaemon.LeaseRequest m -> order(host.node(), new ToDaemon.LeaseGranted(m.request()));
      case FromDaemon.Refused m -> host.giveUp(m.reason());
      case FromDaemon.Examined m ->
          carryOut(job.on(new JobEvent.Examined(host.node(), m.round(), m.unreached())));
      case FromDaemon.OfRank m -> {
        if (m instanceof FromDaemon.Relayed said) {
          if (said.message() instanceof RankMessage.AtFault fault) {
            reached.add(fault.fault());
          }
          repeatedOtherwise |=
              said.message() instanceof RankMessage.LocalImpossible impossible
                  && impossible.deviates();
          addresses.onSent(said.rank(), said.incarnation(), said.message());
        }
        carryOut(job.on(new JobEvent.FromNode(host.node(), m)));
      }
      case FromDaemon.Warning m -> reports.add(simulation.nanoTime() / 1000 + " us " + m);
      case FromDaemon.Level2 _,
          FromDaemon.Hello _,
          FromDaemon.Holds _,
          FromDaemon.Output _,
          FromDaemon.InputWanted _,
          FromDaemon.InputTaken _,
          FromDaemon.Reports _,
          FromDaemon.Stack _,
          FromDaemon.Terminated _ ->
          throw new AssertionError(message);
    }
  }

  private void order(int node, ToDaemon message) {
    cluster.order(node, "order", node, daemon -> ((DaemonShell) daemon).onOrder(message));
  }

  private void carryOut(List<JobCommand> commands) {
    oracle.onDecision();
    for (JobCommand command : commands) {
      switch (command) {
        case JobCommand.Spawn c -> {
          oracle.onSpawn(c.rank(), c.node(), c.assignment().group());
          addresses.onSpawn(c);
          nodeOf[c.rank()] = c.node();
          order(c.node(), new ToDaemon.Spawn(c.assignment(), CoreShare.NONE, List.of()));
        }
        case JobCommand.ToNode c -> {
          if (c.message() instanceof ToDaemon.KillRank kill) {
            oracle.onKill(kill.rank(), kill.incarnation());
          }
          order(c.node(), c.message());
        }
        case JobCommand.KillNode c -> cluster.fence(c.node(), c.reason());
        case JobCommand.Examine c -> order(c.node(), examine(c));
        case JobCommand.AwaitExamination c ->
            simulation.after(
                SimCluster.HEARTBEAT_TIMEOUT_MILLIS * 100_000L * c.tenths(),
                "examination over",
                c.round(),
                () -> examinationOver(c.round()));
        case JobCommand.KillDaemon c -> cluster.killDaemon(c.node());
        case JobCommand.AddNode c -> {
          if (c.node() != nodes) {
            throw new AssertionError(c + ", and there are " + nodes);
          }
          nodes++;
          oracle.onNodeAdded();
        }
        case JobCommand.Launch c -> cluster.launch(Objects.checkIndex(c.node(), nodes));
        case JobCommand.RestartDaemon c -> cluster.restartDaemon(c.node());
        case JobCommand.RequestNode _ -> lender.asked();
        case JobCommand.WithdrawRequests _ -> lender.withdrawn();
        case JobCommand.ToAllNodes c -> {
          if (c.message() instanceof ToDaemon.ForwardAll(JobMessage message)) {
            oracle.onSentToAll(message);
            addresses.onReceived(message);
          }
          for (int node = 0; node < nodes; node++) {
            order(node, c.message());
          }
        }
        case JobCommand.Continue _ ->
            simulation.after(
                parts.nextLong(LONGEST_PART_NANOS), "next part", -1, this::continueParts);
        case JobCommand.Added _,
            JobCommand.NotAdded _,
            JobCommand.Committed _,
            JobCommand.Restored _ -> {
          // no command waits for a node, and each file is written when the shape says so
        }
        case JobCommand.Recovering _ -> oracle.onRecovering();
        case JobCommand.Report c -> report(c.notice());
        case JobCommand.Checkpointed c -> requests.taken(c);
        case JobCommand.NotCheckpointed c -> requests.refused(c);
        case JobCommand.Shrink c -> throw new IllegalStateException("unexpected: " + c);
        case JobCommand.End c -> {
          end = c;
          reports.add(simulation.nanoTime() / 1000 + " us " + c);
          oracle.onEnd();
          cluster.shutDown();
        }
      }
    }
  }

  private static ToDaemon.Examine examine(JobCommand.Examine c) {
    List<ToDaemon.Peer> peers =
        c.others().stream().map(node -> new ToDaemon.Peer(node, "node" + node, 1)).toList();
    return new ToDaemon.Examine(c.round(), SimCluster.HEARTBEAT_TIMEOUT_MILLIS / 2, peers);
  }

  private void examinationOver(int round) {
    boolean _ = ask(new JobEvent.ExaminationOver(round)); // it may have ended
  }

  private void report(Notice notice) {
    oracle.onNotice(notice);
    if (killWhen.test(notice)) {
      killWhen = other -> false;
      cluster.faults().crash(toKill);
    }
    if (loseWhen.test(notice)) {
      loseWhen = other -> false;
      simulation.after(1, "a node crashes", toLose, () -> cluster.faults().crashNode(toLose, 0));
    }
    if (leavesWhen.test(notice)) {
      leavesWhen = other -> false;
      simulation.after(1, "a node is to be lost", toLeave, this::leaves);
    }
    if (staysWhen.test(notice)) {
      staysWhen = other -> false;
      simulation.after(1, "a node stays", toLeave, this::stays);
    }
    if (writesWhen.test(notice)) {
      writesWhen = other -> false;
      simulation.after(1, "write the next checkpoint", 0, this::writes);
    }
    if (addNodeWhen.test(notice)) {
      addNodeWhen = other -> false;
      simulation.after(1, "a node is added", -1, this::addNode);
    }
    requests.happened();
    notices.add(notice);
    reports.add(simulation.nanoTime() / 1000 + " us " + notice);
  }

  // ---- the program

  /** A rank's process: what the rank launcher does, then the program. */
  private void main(SimProcess process) throws Exception {
    RankRuntime fmi =
        new RankRuntime(
            process.config(),
            process.jobLink(),
            process.transports(),
            SimLinks.detectors(process),
            shape.files().every() == 0 ? STORES : STORES.with(_ -> files.source(process)),
            process.memory(),
            process.clock(),
            OwnCore.NONE,
            () -> false);
    try {
      long answer = program.run(fmi, process, cluster);
      fmi.close();
      answers[process.rank()] = answer;
    } catch (Exception | Rollback e) {
      if (!process.gone()) {
        fmi.fail(e);
      }
      throw e;
    }
  }
}
