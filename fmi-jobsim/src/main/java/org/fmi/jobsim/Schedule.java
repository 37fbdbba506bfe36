package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.SimulationFailure;
import org.jspecify.annotations.Nullable;

/**
 * A job and its faults, all of which follow from the seed.
 *
 * @param scenario the kind of faults
 */
record Schedule(long seed, Shape shape, Scenario scenario) {

  /** From a sixteenth of the heartbeat's timeout to sixteen of them. */
  private static final int OCTAVES = 4;

  /**
   * The longest delay of a process that joins late, for which the job waits without bound: up to
   * 128 timeouts, about half of the time that a job has to finish after the last fault.
   */
  private static final int OCTAVES_OF_STARTS = 7;

  /** Approximate number of a job's events per rank. */
  private static final long PRIMITIVES_PER_RANK = 7_500;

  /** Iterations in the loop of {@link Workload}. */
  private static final int ITERATIONS = 9;

  /** The number of seeds of which one has a heart ring. */
  private static final int HEART_RINGS = 5;

  /** Kills at one place: each needs no more than one recovery. */
  private static final int MOST_KILLS = 20;

  /** Half of these jobs end after so many recoveries in a row without progress. */
  private static final int MOST_WITHOUT_PROGRESS = 5;

  /** The share of jobs that users ask for checkpoints: one in this many. */
  private static final int ONE_IN_IS_ASKED = 3;

  private static final int MOST_ASKERS = 4;

  /** The share of jobs that lose daemons instead of nodes: one in this many. */
  private static final int ONE_IN_LOSES_DAEMONS = 3;

  private static final int MOST_ON_THE_WAY = 3;

  private static final List<FaultPoint> ON_THE_WAY =
      List.of(
          FaultPoint.CHECKPOINT,
          FaultPoint.ENCODE,
          FaultPoint.COMMIT,
          FaultPoint.COMMITTED,
          FaultPoint.CONNECT,
          FaultPoint.REBUILD,
          FaultPoint.RESTORED);

  /** Places to die in asynchronous checkpoints. */
  private static final List<FaultPoint> OVERLAPPED =
      List.of(FaultPoint.BEGUN, FaultPoint.COLLECT, FaultPoint.COLLECTED, FaultPoint.AGREE);

  /** All policies but the one that ends a job for another one, as a simulation runs one job. */
  private static final List<OnNoSpare> POLICIES =
      List.of(OnNoSpare.WAIT, OnNoSpare.SHARE, OnNoSpare.ABORT);

  /** Places to die in a job that continues without lost ranks. */
  private static final List<FaultPoint> SHRINKING =
      List.of(
          FaultPoint.AGREE,
          FaultPoint.AGREE,
          FaultPoint.AGREE,
          FaultPoint.CONNECT,
          FaultPoint.PROLOGUE,
          FaultPoint.CLOSE);

  /** The kinds of faults that may happen to a job. */
  enum Scenario {
    /** Nothing, but for the order of things and how long they take. */
    CALM(0),
    /**
     * Processes die, stop, lose each other, are taken for dead; nodes are drained or added, and
     * keep their memory.
     */
    PROCESSES(6),
    /** The loss of one node. */
    A_NODE(1),
    /** Nodes are lost, some at once; one may be drained or added. */
    NODES(3),
    /** Sides stand still, lines between them are cut, with a death now and then. */
    SILENCE(5),
    /** Nodes do not come up when the job is launched, silently or not; processes die. */
    LAUNCH(2),
    /** The system of one node kills its ranks in the same iteration. */
    AGAIN(2),
    /** The memory of nodes is full, or fails. */
    MEMORY(3),
    /** All there is, but for the memory. */
    EVERYTHING(5);

    private final int mostFailures;

    Scenario(int mostFailures) {
      this.mostFailures = mostFailures;
    }

    private List<Kind> kinds() {
      return switch (this) {
        case CALM -> List.of();
        case PROCESSES ->
            List.of(
                Kind.KILL_RANK,
                Kind.KILL_RANK,
                Kind.SLOW_DEATH,
                Kind.FREEZE,
                Kind.START_HANGS,
                Kind.JOIN_HANGS,
                Kind.BREAK_CONNECTION,
                Kind.STRANGER,
                Kind.FALSE_SUSPICION,
                Kind.DRAIN,
                Kind.ADD_NODE);
        case LAUNCH, AGAIN ->
            List.of(Kind.KILL_RANK, Kind.FREEZE, Kind.START_HANGS, Kind.JOIN_HANGS);
        case A_NODE -> List.of(Kind.CRASH_NODE, Kind.POWER_OFF, Kind.ISOLATE_NODE);
        case NODES ->
            List.of(
                Kind.CRASH_NODE,
                Kind.POWER_OFF,
                Kind.CRASH_NODE,
                Kind.KILL_RANK,
                Kind.DRAIN,
                Kind.ADD_NODE);
        case SILENCE ->
            List.of(
                Kind.FREEZE,
                Kind.PARTITION,
                Kind.ONE_WAY,
                Kind.CUT_RACK,
                Kind.SWITCH_OUT,
                Kind.BREAK_CONTROL,
                Kind.CUT_FROM_JOB,
                Kind.UNHEARD_BY_JOB,
                Kind.DEAF_TO_JOB,
                Kind.PAUSE_DAEMON,
                Kind.PAUSE_FMIRUN,
                Kind.KILL_RANK);
        case MEMORY ->
            List.of(Kind.FILL_MEMORY, Kind.MEMORY_ERROR, Kind.CORRUPT_MEMORY, Kind.KILL_RANK);
        case EVERYTHING -> {
          EnumSet<Kind> all = EnumSet.allOf(Kind.class);
          all.removeAll(EnumSet.of(Kind.FILL_MEMORY, Kind.MEMORY_ERROR, Kind.KILL_DAEMON));
          yield List.copyOf(all);
        }
      };
    }
  }

  /** Returns a seed's job. */
  static Schedule of(long seed) {
    Scenario[] all = Scenario.values();
    return of(seed, all[new SplittableRandom(~seed).nextInt(all.length)]);
  }

  /** Returns a seed's job with faults of one scenario. */
  static Schedule of(long seed, Scenario scenario) {
    SplittableRandom random = new SplittableRandom(seed);
    OnNoSpare policy = POLICIES.get(random.nextInt(POLICIES.size()));
    Shape shape = Shape.random(random, random.nextInt(4), policy);
    // From a separate generator, as requests under way.
    if (new SplittableRandom(seed + 7).nextInt(HEART_RINGS) == 0) {
      shape = shape.withHeartRing();
    }
    return new Schedule(
        seed,
        scenario == Scenario.AGAIN && seed % 2 == 0
            ? shape.withMostWithoutProgress(MOST_WITHOUT_PROGRESS)
            : shape,
        scenario);
  }

  /** Returns a seed's job with local rollback, if its options allow that. */
  static Schedule ofLocal(long seed) {
    return of(seed).withLocalRollback().withRequestsNowAndThen();
  }

  /** Returns a seed's job with local rollback to asynchronous checkpoints. */
  static Schedule ofBoth(long seed) {
    return ofOverlap(seed).withLocalRollback();
  }

  /** Draws from a separate generator, so that the rest of the job still follows from its seed. */
  private Schedule withRequestsNowAndThen() {
    boolean with = new SplittableRandom(seed + 2).nextBoolean();
    return with ? new Schedule(seed, shape.withRequestsUnderWay(), scenario) : this;
  }

  private Schedule withLocalRollback() {
    SplittableRandom random = new SplittableRandom(seed + 1);
    RecoveryPolicy.Log log =
        switch (random.nextInt(4)) {
          // Now and then a log is too short for what is sent between two checkpoints.
          case 0 -> new RecoveryPolicy.Log.OfBytes(4_000L << random.nextInt(6));
          case 1 -> new RecoveryPolicy.Log.OfBytes(1 << 20);
          default -> new RecoveryPolicy.Log.OfState();
        };
    return new Schedule(seed, shape.withLocalRollback(log), scenario);
  }

  /** Returns a seed's job with data-flow rollback. */
  static Schedule ofFlow(long seed) {
    Schedule global = of(seed);
    SplittableRandom random = new SplittableRandom(seed + 1);
    int size = global.shape.size();
    return new Schedule(
        seed, global.shape.withFlowRollback(1 + random.nextInt(size)), global.scenario);
  }

  /** Returns a seed's job with overlapped checkpoints. */
  static Schedule ofOverlap(long seed) {
    Schedule plain = of(seed);
    SplittableRandom random = new SplittableRandom(seed + 1);
    Shape shape = plain.shape.withOverlap();
    if (random.nextInt(3) == 0) {
      double seconds = Math.pow(10, -5 + 4 * random.nextDouble());
      shape = shape.withInterval(new CheckpointInterval.ByTime(seconds));
    }
    if (plain.scenario != Scenario.CALM) {
      List<FaultSpec> faults = onTheWay(random, shape.size());
      // From a separate generator, as requests under way.
      SplittableRandom another = new SplittableRandom(seed + 6);
      if (another.nextInt(3) == 1) {
        faults.addAll(deaths(OVERLAPPED, another, shape.size()));
      }
      shape = shape.withFaults(faults.toArray(FaultSpec[]::new));
    }
    return new Schedule(seed, shape, plain.scenario).withRequestsNowAndThen();
  }

  /**
   * Returns a seed's job that continues without lost ranks, some of which die in agreements or on
   * the way into the job and out of it.
   */
  static Schedule ofShrink(long seed) {
    Scenario[] all = {
      Scenario.PROCESSES, Scenario.A_NODE, Scenario.NODES, Scenario.SILENCE, Scenario.CALM
    };
    Schedule plain = of(seed, all[new SplittableRandom(~seed).nextInt(all.length)]);
    SplittableRandom random = new SplittableRandom(seed + 1);
    boolean tasks = new SplittableRandom(seed + 2).nextInt(3) == 0;
    Shape shape = plain.shape.withShrink().withGraph(tasks ? seed | 1 : 0);
    List<FaultSpec> faults = new ArrayList<>();
    if (plain.scenario != Scenario.CALM) {
      for (int i = random.nextInt(MOST_ON_THE_WAY + 1); i > 0; i--) {
        FaultPoint point = SHRINKING.get(random.nextInt(SHRINKING.size()));
        long number = point == FaultPoint.AGREE ? random.nextInt(ITERATIONS) : -1;
        if (tasks && random.nextBoolean()) {
          point = FaultPoint.TASK;
          number = random.nextInt(TasksWorkload.TASKS_PER_RANK);
        }
        int victim = random.nextInt(shape.size());
        faults.add(new FaultSpec(false, victim, false, point, number));
        if (random.nextBoolean()) {
          // Two at once, or one after the other.
          long next = number + (point == FaultPoint.AGREE ? random.nextInt(2) : 0);
          faults.add(new FaultSpec(false, (victim + 1) % shape.size(), false, point, next));
        }
      }
    }
    return new Schedule(seed, shape.withFaults(faults.toArray(FaultSpec[]::new)), plain.scenario);
  }

  /** Returns a seed's job with all kinds of collective calls; the seed draws the rollback. */
  static Schedule ofCollectives(long seed) {
    Schedule schedule =
        switch ((int) Math.floorMod(seed, 4L)) {
          case 0 -> of(seed);
          case 1 -> ofLocal(seed);
          case 2 -> ofOverlap(seed);
          default -> ofBoth(seed);
        };
    return new Schedule(seed, schedule.shape.withCollectives(), schedule.scenario);
  }

  /** Deaths on the way to a commit and back to it. */
  private static List<FaultSpec> onTheWay(SplittableRandom random, int size) {
    List<FaultSpec> faults = new ArrayList<>();
    for (int i = random.nextInt(MOST_ON_THE_WAY + 1); i > 0; i--) {
      faults.addAll(deaths(ON_THE_WAY, random, size));
    }
    return faults;
  }

  /** A death at one of some places, or two at once. */
  private static List<FaultSpec> deaths(List<FaultPoint> at, SplittableRandom random, int size) {
    List<FaultSpec> faults = new ArrayList<>();
    FaultPoint point = at.get(random.nextInt(at.size()));
    // Ranks reach a recovery line in different iterations.
    long iteration = point.isNumbered() && random.nextBoolean() ? random.nextInt(ITERATIONS) : -1;
    int victim = random.nextInt(size);
    faults.add(new FaultSpec(false, victim, false, point, iteration));
    if (random.nextInt(3) == 0) {
      faults.add(new FaultSpec(false, (victim + 1) % size, false, point, iteration));
    }
    return faults;
  }

  /** The same of a job that asks for nodes when it has no spare. */
  Schedule asking() {
    return new Schedule(seed, shape.withRequests(), scenario);
  }

  /** Ready to run. */
  JobSimulation prepare() {
    JobSimulation job = new JobSimulation(seed, shape);
    SplittableRandom random = job.random();
    if (scenario == Scenario.LAUNCH) {
      int nodes = shape.usedNodes() + shape.spares();
      for (int i = random.nextInt(shape.spares() + 2); i > 0; i--) {
        job.faults().failLaunch(random.nextInt(nodes), random.nextBoolean());
      }
    } else if (scenario == Scenario.AGAIN) {
      int times = 1 + random.nextInt(MOST_KILLS);
      job.faults().killAt(random.nextInt(shape.usedNodes()), random.nextInt(ITERATIONS), times);
    }
    if (Math.floorMod(seed, ONE_IN_IS_ASKED) == 0) {
      job.askers().allow(MOST_ASKERS);
    }
    if (scenario.mostFailures > 0) {
      FaultPlan plan =
          FaultPlan.random(
              random,
              1 + random.nextInt(scenario.mostFailures),
              scenario.kinds(),
              shape.size(),
              shape.usedNodes() + shape.spares(),
              PRIMITIVES_PER_RANK * shape.size(),
              kind -> nanos(random, kind));
      job.inject(losesDaemons() ? plan.with(Kind.CRASH_NODE, Kind.KILL_DAEMON) : plan);
    }
    return job;
  }

  /** Whether nodes that would crash lose only their daemons. */
  boolean losesDaemons() {
    // From a separate generator, as requests under way.
    return new SplittableRandom(seed + 8).nextInt(ONE_IN_LOSES_DAEMONS) == 0;
  }

  /** Draws the length of a transient fault, spread evenly over orders of magnitude. */
  private static long nanos(SplittableRandom random, Kind kind) {
    int most = kind == Kind.START_HANGS || kind == Kind.JOIN_HANGS ? OCTAVES_OF_STARTS : OCTAVES;
    double octave = -OCTAVES + (OCTAVES + most) * random.nextDouble();
    return (long) (Exclusion.HEARTBEAT_NANOS * Math.pow(2, octave));
  }

  /** The outcome of a run. */
  record Result(
      Schedule schedule, JobSimulation job, @Nullable Outcome outcome, Judge.Verdict verdict) {
    @Override
    public String toString() {
      String text = "seed " + schedule.seed + ": " + verdict.text() + "\n" + schedule;
      // A simulation that does not end reports its own events.
      return outcome == null ? text : text + "\n" + job.story();
    }
  }

  /** Runs the job and judges its end. */
  Result run(Answers answers) {
    return judge(prepare(), answers);
  }

  Result judge(JobSimulation job, Answers answers) {
    try {
      Outcome outcome = job.run();
      Judge.Verdict verdict =
          job.hasRepeatedOtherwise()
              ? new Judge.Verdict(false, "a rank that rolled back alone computed something else")
              : job.judge(outcome, answers.of(shape));
      return new Result(this, job, outcome, verdict);
    } catch (SimulationFailure e) {
      return new Result(this, job, null, new Judge.Verdict(false, String.valueOf(e.getMessage())));
    }
  }

  @Override
  public String toString() {
    return scenario + ", " + shape;
  }
}
