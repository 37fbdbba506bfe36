package org.fmi.sim.scale;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobCommand;
import org.fmi.job.JobController;
import org.fmi.job.JobEvent;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.rules.LogRing;
import org.jspecify.annotations.Nullable;

/**
 * Starts a job on many nodes, takes a checkpoint, loses nodes with their ranks, and continues until
 * all ranks run again. {@link JobController} decides, and notices travel along {@link LogRing};
 * everything else is a duration.
 *
 * <p>fmirun is one server: it takes messages in the order in which they come, and each one, and
 * each that goes out, takes its time.
 */
public final class SimulatedStart {
  /** The time by which standby processes are ready and all other activity has ended. */
  private static final double CALM = 60;

  private static final long STATE_BYTES = 1 << 20;
  private static final long ITERATION = 10;
  private static final String OVERLAY = "tcp";

  private final ScaleShape shape;
  private final ServiceTimes times;
  private final Decisions decisions;
  private final ThinAddresses addresses;
  private final Agenda agenda = new Agenda();
  private final ThinRank[] ranks;
  private final Cores cores;
  private final boolean[] lost;
  private final boolean[] standbys;
  private final int firstVictim;

  /** The time at which fmirun has handled everything received so far. */
  private double busyUntil;

  private int connected;
  private double lostAt;
  private double lastHeard;
  private int hops;
  private long startBytes;

  /** The time of each kind's first report, by epoch. */
  private final Map<String, Double> reported = new HashMap<>();

  private SimulatedStart(ScaleShape shape, ServiceTimes times, long seed, Meter meter) {
    this.shape = shape;
    this.times = times;
    this.decisions = new Decisions(shape.spec(), meter);
    this.ranks = new ThinRank[shape.ranks()];
    Arrays.setAll(ranks, ThinRank::new);
    this.cores = new Cores(shape.machineCount(), shape.cores());
    this.lost = new boolean[shape.nodes() + shape.spares()];
    this.standbys = new boolean[lost.length];
    this.addresses = new ThinAddresses(seed);
    int units = Math.ceilDiv(shape.nodes(), shape.lost());
    this.firstVictim = new SplittableRandom(seed).nextInt(units) * shape.lost();
  }

  /**
   * Runs the job.
   *
   * @param seed chooses the nodes that are lost
   * @param meter measures decisions
   */
  public static ScaleResult run(ScaleShape shape, ServiceTimes times, long seed, Meter meter) {
    return new SimulatedStart(shape, times, seed, meter).run();
  }

  private ScaleResult run() {
    carryOut(decisions.begin());
    agenda.run();
    decisions.end();
    double loss = lostAt;
    return new ScaleResult(
        at("up"),
        at("AllJoined0"),
        at("AllConnected0"),
        at("AllRunning0"),
        lastHeard - loss,
        hops,
        at("AllJoined1") - loss,
        at("AllConnected1") - loss,
        at("AllRunning1") - loss,
        startBytes,
        decisions);
  }

  private double at(String what) {
    Double time = reported.get(what);
    if (time == null) {
      throw new IllegalStateException(what + " never happened; there was " + reported.keySet());
    }
    return time;
  }

  // ---- fmirun

  /** Sends an event to fmirun, which handles it when it has time. */
  private void tell(double arrives, JobEvent event) {
    agenda.at(
        arrives,
        () -> {
          busyUntil = Math.max(agenda.now(), busyUntil) + times.event();
          carryOut(decisions.on(event));
        });
  }

  private void say(double sent, ThinRank rank, RankMessage message) {
    tell(
        sent + times.oneWay(),
        new JobEvent.FromNode(
            rank.node, new FromDaemon.Relayed(rank.number, rank.incarnation, message)));
  }

  private void carryOut(List<JobCommand> commands) {
    for (JobCommand command : commands) {
      switch (command) {
        case JobCommand.Launch c -> launch(c.node());
        case JobCommand.Spawn c -> {
          busyUntil += times.message();
          double arrives = busyUntil + times.oneWay();
          agenda.at(arrives, () -> spawn(c));
        }
        case JobCommand.ToNode c -> {
          busyUntil += times.message();
          toNode(c.node(), c.message());
        }
        case JobCommand.ToAllNodes c -> toAllNodes(c.message());
        case JobCommand.Continue _ -> tell(agenda.now(), new JobEvent.Continued());
        case JobCommand.Report c -> report(c.notice());
        case JobCommand.Committed _, JobCommand.Recovering _ -> {
          // there are no files
        }
        case JobCommand.AwaitExamination _ -> {
          // whatever is suspected has died, as its daemon or the loss of its node shows earlier
        }
        case JobCommand.KillNode _ -> busyUntil += times.message();
        case JobCommand.End c -> throw new IllegalStateException("the job ended: " + c.message());
        case JobCommand.AddNode _,
            JobCommand.Added _,
            JobCommand.NotAdded _,
            JobCommand.KillDaemon _,
            JobCommand.RestartDaemon _,
            JobCommand.Examine _,
            JobCommand.RequestNode _,
            JobCommand.WithdrawRequests _,
            JobCommand.Restored _,
            JobCommand.Checkpointed _,
            JobCommand.NotCheckpointed _,
            JobCommand.Shrink _ ->
            throw new IllegalStateException("unexpected: " + command);
      }
    }
  }

  private void toNode(int node, ToDaemon message) {
    switch (message) {
      case ToDaemon.Forward m -> {
        ThinRank rank = ranks[m.rank()];
        agenda.at(
            busyUntil + times.oneWay(),
            () -> {
              if (rank.incarnation == m.incarnation()) {
                hear(rank, m.message());
              }
            });
      }
      case ToDaemon.Standbys _ -> standbys[node] = true;
      default -> {}
    }
  }

  private void toAllNodes(ToDaemon order) {
    if (!(order instanceof ToDaemon.ForwardAll(JobMessage message))) {
      throw new IllegalStateException("unexpected: " + order);
    }
    long bytes = ToDaemonCodec.encode(order).length;
    if (message instanceof JobMessage.Start) {
      startBytes = bytes;
      connected = 0;
    }
    double[] arrives = new double[lost.length];
    for (int node = 0; node < lost.length; node++) {
      busyUntil += times.message() + bytes * times.oneByte();
      arrives[node] = busyUntil + times.oneWay();
    }
    for (ThinRank rank : ranks) {
      if (rank.alive) {
        int process = rank.incarnation;
        agenda.at(
            arrives[rank.node],
            () -> {
              if (rank.incarnation == process) {
                hear(rank, message);
              }
            });
      }
    }
  }

  private void report(Notice notice) {
    switch (notice) {
      case Notice.Started _ -> reported.putIfAbsent("up", busyUntil);
      case Notice.AllJoined n -> reported.putIfAbsent("AllJoined" + n.epoch(), busyUntil);
      case Notice.AllConnected n -> reported.putIfAbsent("AllConnected" + n.epoch(), busyUntil);
      case Notice.AllRunning n -> {
        reported.putIfAbsent("AllRunning" + n.epoch(), busyUntil);
        if (n.epoch() == 0) {
          checkpoint();
          lostAt = busyUntil + CALM;
          agenda.at(lostAt, this::loseNodes);
        }
      }
      default -> {}
    }
  }

  // ---- nodes

  private void launch(int node) {
    busyUntil += times.launch();
    double up = compute(node, busyUntil + times.oneWay(), times.daemon());
    tell(up + times.oneWay(), new JobEvent.NodeUp(node, Long.MAX_VALUE));
  }

  private double compute(int node, double from, double seconds) {
    return cores.compute(shape.machineOf(node), from, seconds);
  }

  private void spawn(JobCommand.Spawn c) {
    if (lost[c.node()]) {
      return; // it was asked for before its node's loss was known
    }
    ThinRank rank = ranks[c.rank()];
    rank.node = c.node();
    rank.incarnation = c.incarnation();
    rank.alive = true;
    rank.running = false;
    rank.epoch = 0;
    double seconds = standbys[c.node()] ? times.standby() : times.process();
    join(rank, seconds);
  }

  private void loseNodes() {
    decisions.recover();
    int end = Math.min(shape.nodes(), firstVictim + shape.lost());
    for (int node = firstVictim; node < end; node++) {
      lost[node] = true;
      tell(agenda.now() + times.nodeLost(), new JobEvent.NodeLost(node, "its connection ended"));
    }
    for (ThinRank rank : ranks) {
      rank.alive &= !lost[rank.node];
    }
    for (ThinRank dead : ranks) {
      if (lost[dead.node] && dead.overlay != null) {
        for (int neighbour : dead.overlay.neighbours()) {
          ThinRank other = ranks[neighbour];
          notice(
              other,
              agenda.now() + times.notice(),
              () ->
                  noticed(
                      other,
                      dead.number,
                      dead.number,
                      other.overlay == null ? null : other.overlay.lost(dead.number)));
        }
      }
    }
  }

  // ---- ranks

  private void hear(ThinRank rank, JobMessage message) {
    if (!rank.alive) {
      return;
    }
    switch (message) {
      case JobMessage.Revoke m -> {
        if (m.epoch() > rank.epoch) {
          rank.epoch = m.epoch();
          rank.overlay = null;
          if (rank.running) {
            say(
                agenda.now(),
                rank,
                new RankMessage.Left(new Notice.Left(m.epoch() - 1, rank.number, 0, ITERATION)));
            join(rank, times.join());
          }
        }
      }
      case JobMessage.Start m -> connect(rank, m.epoch());
      default -> {}
    }
  }

  /** H1: lets a rank compute and then join the newest epoch that it was notified of. */
  private void join(ThinRank rank, double seconds) {
    int process = rank.incarnation;
    agenda.at(
        compute(rank.node, agenda.now(), seconds),
        () -> {
          if (rank.alive && rank.incarnation == process) {
            Position position =
                rank.running
                    ? Position.IN_LOOP
                    : rank.epoch > 0 ? Position.REPLAYING : Position.FRESH;
            say(
                agenda.now(),
                rank,
                new RankMessage.Joined(rank.epoch, position, addresses.of(rank)));
          }
        });
  }

  /** H2: connects a rank; all ranks run once all are connected and have met in a barrier. */
  private void connect(ThinRank rank, int epoch) {
    rank.overlay = new LogRing(ranks.length, rank.number, shape.logRingBase());
    double up = compute(rank.node, agenda.now(), times.connect());
    agenda.at(
        up,
        () -> {
          say(agenda.now(), rank, new RankMessage.Connected(epoch, OVERLAY));
          if (++connected == ranks.length) {
            int rounds = 32 - Integer.numberOfLeadingZeros(ranks.length - 1);
            double met = agenda.now() + rounds * times.hop();
            agenda.at(met, () -> allRun(epoch));
          }
        });
  }

  private void allRun(int epoch) {
    for (ThinRank rank : ranks) {
      double runs = compute(rank.node, agenda.now(), times.run());
      boolean rebuilt = !rank.running && epoch > 0;
      rank.running = true;
      say(runs, rank, new RankMessage.Running(epoch, 0, epoch == 0 ? -1 : ITERATION, rebuilt));
    }
  }

  private void checkpoint() {
    say(
        busyUntil,
        ranks[0],
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(0, 0, 0, ITERATION, STATE_BYTES, STATE_BYTES, 0, 0, 0),
            ITERATION,
            false));
  }

  /**
   * Sends a notice to a rank. Only the first one has an effect, so later ones are left out: each
   * rank gets it from all its neighbours, and with a million ranks that would be 38 million.
   */
  private void notice(ThinRank rank, double arrives, Runnable what) {
    if (arrives < rank.noticeAt) {
      rank.noticeAt = arrives;
      agenda.at(arrives, what);
    }
  }

  /** Notifies a rank of a failure, which passes the first notice on and leaves the epoch. */
  private void noticed(ThinRank rank, int from, int failed, LogRing.@Nullable Notice news) {
    LogRing overlay = rank.overlay;
    if (news == null || overlay == null || !rank.alive || rank.epoch > 0 || rank.leaves) {
      return;
    }
    rank.leaves = true;
    lastHeard = Math.max(lastHeard, agenda.now());
    hops = Math.max(hops, news.hops());
    say(
        agenda.now(),
        rank,
        new RankMessage.Suspect(0, failed, news.hops(), 0, OVERLAY, "its connection ended"));
    LogRing.Notice passed = LogRing.forward(news);
    for (int neighbour : overlay.neighbours()) {
      if (neighbour != from && neighbour != failed) {
        ThinRank other = ranks[neighbour];
        notice(
            other,
            agenda.now() + times.hop(),
            () ->
                noticed(
                    other,
                    rank.number,
                    failed,
                    other.overlay == null ? null : other.overlay.receive(passed)));
      }
    }
  }
}
