package org.fmi.jobsim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Holder;
import org.fmi.Op;
import org.fmi.Rollback;
import org.fmi.Status;
import org.fmi.control.RankMessage;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.recovery.RankRuntime;
import org.fmi.job.FaultSpec;
import org.fmi.job.GlobalRecoveryJob;
import org.fmi.job.Groups;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.job.Notice;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.SimCluster;
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
  /** Of a message that is read out of its sender's memory, where ranks do that. */
  private static final int LONG_BYTES = 2_000;

  private static final byte UNUSED = -1;

  private static final long MEMORY_PER_NODE = 64L << 20;

  /** How it ended. */
  record Outcome(int status, String message, long answer, int recoveries, long trace) {}

  /** What is run, and on what. */
  record Shape(
      int size,
      int ranksPerNode,
      int spares,
      int groupSize,
      int logRingBase,
      CheckpointInterval interval,
      long recordLimitBytes,
      JobSpec.OnNoSpare policy,
      List<FaultSpec> faults) {

    /** One rank a node, one group, a checkpoint every two iterations. */
    static Shape plain(int size, int spares, JobSpec.OnNoSpare policy) {
      CheckpointInterval interval = new CheckpointInterval.Every(2);
      return new Shape(size, 1, spares, size, 2, interval, 1 << 20, policy, List.of());
    }

    /** A shape drawn by chance. */
    static Shape random(SplittableRandom random, int spares, JobSpec.OnNoSpare policy) {
      CheckpointInterval interval =
          random.nextInt(4) == 0
              ? new CheckpointInterval.Mtbf(Math.pow(10, -4 * random.nextDouble()))
              : new CheckpointInterval.Every(1 + random.nextInt(4));
      return new Shape(
          2 + random.nextInt(7),
          1 + random.nextInt(2),
          spares,
          2 + random.nextInt(3),
          2 + random.nextInt(2),
          interval,
          1 << 20,
          policy,
          List.of());
    }

    Shape withInterval(CheckpointInterval other) {
      return new Shape(
          size,
          ranksPerNode,
          spares,
          groupSize,
          logRingBase,
          other,
          recordLimitBytes,
          policy,
          faults);
    }

    Shape withRecordLimit(long bytes) {
      return new Shape(
          size, ranksPerNode, spares, groupSize, logRingBase, interval, bytes, policy, faults);
    }

    /** Ranks that die at chosen places, once each. */
    Shape withFaults(FaultSpec... injected) {
      return new Shape(
          size,
          ranksPerNode,
          spares,
          groupSize,
          logRingBase,
          interval,
          recordLimitBytes,
          policy,
          List.of(injected));
    }

    /** The nodes that ranks are placed on at the start. */
    int usedNodes() {
      return Math.ceilDiv(size, ranksPerNode);
    }

    JobSpec spec() {
      List<JobSpec.Node> nodes = new ArrayList<>();
      for (int n = 0; n < usedNodes() + spares; n++) {
        nodes.add(new JobSpec.Node("node" + n, ranksPerNode, false));
      }
      return new JobSpec(size, nodes, ranksPerNode, groupSize, policy, Integer.MAX_VALUE, faults);
    }

    /** Whether the loss of one node is to be survived. */
    boolean survivesANode() {
      for (int[] group : Groups.form(spec().placement(), groupSize)) {
        if (group.length == 1) {
          return false;
        }
      }
      return true;
    }
  }

  /** What a rank runs; gives the job's answer. */
  interface Program {
    long run(Fmi fmi, SimProcess process, SimCluster cluster) throws Exception;
  }

  private final Shape shape;
  private final Program program;
  private final Simulation simulation;
  private final SimCluster cluster;
  private final Job job;
  private final long[] answers;
  private final List<Notice> notices = new ArrayList<>();
  private final List<String> reports = new ArrayList<>();
  private Predicate<Notice> killWhen = notice -> false;
  private int toKill;
  private JobCommand.@Nullable End end;

  /** A job to be run, in a world drawn by chance. */
  JobSimulation(long seed, Shape shape) {
    this(seed, shape, null, JobSimulation::everything);
  }

  /**
   * A job to be run.
   *
   * @param world null for one drawn by chance
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
            spec.nodes().size(),
            MEMORY_PER_NODE);
    this.job = new GlobalRecoveryJob(spec);
    cluster.supervise(this);
    simulation.onFailure(() -> String.join("\n", reports));
  }

  void inject(FaultPlan plan) {
    cluster.inject(plan);
  }

  /** Kills a rank's process as soon as this is reported, once. */
  void killWhen(Predicate<Notice> reported, int rank) {
    killWhen = reported;
    toKill = rank;
  }

  SplittableRandom random() {
    return simulation.random();
  }

  int injected() {
    return cluster.injected();
  }

  Outcome run() {
    carryOut(job.begin());
    simulation.run(() -> end != null);
    JobCommand.End ended = end;
    if (ended == null) {
      throw new IllegalStateException("the simulation ended before the job");
    }
    return new Outcome(
        ended.status(), ended.message(), answers[0], job.recoveries(), simulation.traceHash());
  }

  /** What happened, for messages of failed tests. */
  String story() {
    return String.join("\n", reports) + "\n" + cluster.exits();
  }

  List<Notice> notices() {
    return List.copyOf(notices);
  }

  /** How processes ended by themselves. */
  List<SimCluster.Exit> exits() {
    return cluster.exits();
  }

  // ---- the shell around the decision maker

  @Override
  public void onNodeUp(int node) {
    carryOut(job.on(new JobEvent.NodeUp(node, MEMORY_PER_NODE)));
  }

  @Override
  public void onNodeLost(int node, String reason) {
    carryOut(job.on(new JobEvent.NodeLost(node, reason)));
  }

  @Override
  public void onRankMessage(int rank, int incarnation, RankMessage message) {
    carryOut(job.on(new JobEvent.FromRank(rank, incarnation, message)));
  }

  @Override
  public void onRankExited(int node, int rank, int incarnation, int status, boolean signaled) {
    carryOut(job.on(new JobEvent.RankExited(node, rank, incarnation, status, signaled)));
  }

  @Override
  public void onRankDying(int rank, int incarnation) {
    carryOut(job.on(new JobEvent.RankDying(rank, incarnation)));
  }

  @Override
  public void onRankSilent(int rank, int incarnation) {
    carryOut(job.on(new JobEvent.RankSilent(rank, incarnation)));
  }

  private void carryOut(List<JobCommand> commands) {
    for (JobCommand command : commands) {
      switch (command) {
        case JobCommand.Spawn c ->
            cluster.spawn(
                cluster.config(
                    c.node(),
                    c.rank(),
                    shape.size(),
                    c.incarnation(),
                    c.group(),
                    c.ranksOnNode(),
                    shape.logRingBase(),
                    shape.recordLimitBytes(),
                    shape.interval(),
                    c.faults()),
                this::main);
        case JobCommand.KillRank c -> cluster.kill(c.rank(), c.incarnation());
        case JobCommand.KillNode c -> cluster.fence(c.node());
        case JobCommand.KillDaemon c -> cluster.fence(c.node());
        case JobCommand.Launch c -> cluster.launch(c.node());
        case JobCommand.Tell c -> cluster.tell(c.rank(), c.incarnation(), c.message());
        case JobCommand.TellAll c -> cluster.tellAll(c.message());
        case JobCommand.Report c -> report(c.notice());
        case JobCommand.Standbys _ -> {
          // without warmed-up processes a simulated rank starts no later
        }
        case JobCommand.End c -> {
          end = c;
          reports.add(simulation.nanoTime() / 1000 + " us " + c);
        }
      }
    }
  }

  private void report(Notice notice) {
    if (killWhen.test(notice)) {
      killWhen = other -> false;
      cluster.crash(toKill);
    }
    notices.add(notice);
    reports.add(simulation.nanoTime() / 1000 + " us " + notice);
  }

  // ---- the program

  /** A rank's process: what the rank launcher does, then the program. */
  private void main(SimProcess process) throws Exception {
    CheckpointStoreProvider stores =
        ServiceLoader.load(CheckpointStoreProvider.class).findFirst().orElseThrow();
    RankRuntime fmi =
        new RankRuntime(
            process.config(),
            process.jobLink(),
            process.transports(),
            process.detectors(),
            stores,
            process.memory(),
            process.clock(),
            OwnCore.NONE);
    long answer = program.run(fmi, process, cluster);
    fmi.close();
    answers[process.rank()] = answer;
  }

  /**
   * A message long enough to be read out of the neighbour's memory. However it ends, the memory is
   * then the program's own: neither does an old epoch write it, nor does anybody read what it was
   * used for next.
   */
  private static void exchange(
      Comm world, MemorySegment out, int right, MemorySegment in, int left, byte iteration) {
    try {
      expect(in, UNUSED);
      out.fill((byte) (16 * world.rank() + iteration));
      world.sendRecv(out, 0, LONG_BYTES, right, 2, in, 0, LONG_BYTES, left, 2);
      expect(in, (byte) (16 * left + iteration));
    } finally {
      out.fill(UNUSED);
      in.fill(UNUSED);
    }
  }

  private static void expect(MemorySegment memory, byte value) {
    for (long i = 0; i < LONG_BYTES; i++) {
      byte found = memory.get(ValueLayout.JAVA_BYTE, i);
      if (found != value) {
        throw new AssertionError("byte " + i + " is " + found + ", not " + value);
      }
    }
  }

  /**
   * Communicates in every way that recovery must cope with: before, between and after loops, in
   * communicators made before and in the loops, with wild cards, and with messages that cross
   * checkpoints, some of which their senders wait for.
   */
  static long everything(Fmi fmi, SimProcess process, SimCluster cluster) {
    Comm world = fmi.world();
    int rank = world.rank();
    int size = world.size();
    int right = (rank + 1) % size;
    int left = (rank + size - 1) % size;

    long[] parameters = rank == 0 ? new long[] {12_345, 7} : new long[2];
    world.bcast(parameters, 0);
    Comm half = world.split(rank % 2, -rank);
    Comm copy = world.dup();
    long[] first = new long[1];
    if (rank == 0) {
      for (int i = 1; i < size; i++) {
        Status status = copy.recv(first, Comm.ANY_SOURCE, 3);
        parameters[0] += first[0] * (status.source() + 1);
      }
    } else {
      copy.send(new long[] {rank * parameters[1]}, 0, 3);
    }
    world.bcast(parameters, 0);

    Holder<long[]> u = Holder.of(new long[8 + rank]);
    Holder<long[]> next = Holder.of(new long[8 + rank]);
    double[] mean = {parameters[0]};
    long[] crossing = {rank};
    MemorySegment out = Arena.ofAuto().allocate(LONG_BYTES).fill(UNUSED);
    MemorySegment in = Arena.ofAuto().allocate(LONG_BYTES).fill(UNUSED);
    fmi.loop(
        9,
        iteration -> {
          if (iteration == 0) {
            world.attachBuffer(1 << 16); // a replacement has it though it does not come here
          }
          boolean waits = rank % 2 == 0 && rank + 1 < size;
          if (iteration > 0 && rank % 2 == 1) {
            long[] late = new long[1];
            world.recv(late, left, 11);
            crossing[0] = 19 * crossing[0] + late[0];
          }
          long[] now = u.get();
          long[] then = next.get();
          long[] halo = new long[1];
          world.sendRecv(now, now.length - 1, 1, right, 1, halo, 0, 1, left, 1);
          for (int i = 0; i < now.length; i++) {
            then[i] = 31 * now[i] + halo[0] + iteration + i + parameters[0];
          }
          exchange(world, out, right, in, left, (byte) iteration);
          if (iteration > 0) {
            // sent in the iteration before: it may have crossed a checkpoint
            long[] late = new long[1];
            world.recv(late, Comm.ANY_SOURCE, 9);
            crossing[0] = 17 * crossing[0] + late[0];
          }
          world.bsend(crossing, 0, 1, right, 9);
          if (half != null && iteration % 3 == 1) {
            double[] sum = {mean[0] / 3};
            half.allReduce(sum, Op.SUM);
            mean[0] = sum[0] / half.size() + 0.1;
          }
          if (iteration % 4 == 2) {
            Comm inner = world.dup();
            long[] max = {then[0] & 0xffff};
            inner.allReduce(max, Op.MAX);
            then[0] += max[0];
            inner.free();
          }
          process.compute(20_000);
          Holder.swap(u, next);
          if (waits) {
            // received in the next iteration: a checkpoint must not wait for this
            world.ssend(crossing, 0, 1, right, 11);
          }
        },
        u,
        next,
        mean,
        crossing);

    long[] late = new long[1];
    if (rank % 2 == 1) {
      world.recv(late, left, 11);
      mean[0] += late[0] & 0xff;
    }
    world.recv(late, left, 9);
    long[] between = {u.get()[0] + late[0] + (long) (mean[0] * 1000)};
    world.allReduce(between, Op.SUM);

    long[] total = {between[0]};
    long[] step = new long[1];
    boolean done = false;
    while (!done) {
      long n = fmi.loop(total, step);
      try {
        if (n < 6) {
          long[] gathered = new long[size];
          world.allGather(total, 0, 1, gathered, 0);
          total[0] = 13 * total[0] + gathered[(int) ((rank + n) % size)] + n;
          step[0]++;
        } else {
          fmi.endLoop();
          done = true;
        }
      } catch (Rollback e) {
        // the next call of loop goes back
      }
    }

    long[] all = new long[size];
    world.gather(total, 0, 1, all, 0, 0);
    long answer = step[0];
    for (long value : all) {
      answer = 1_000_003 * answer + value;
    }
    return answer;
  }
}
