package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;

/** A job with a rank on each node, all of which run, and what it is told and commands. */
abstract class RunningJob {
  static final long MEMORY = 1L << 30;

  final List<JobCommand> commands = new ArrayList<>();

  /** The newest process of each rank. */
  final List<JobCommand.Spawn> processes = new ArrayList<>();

  static JobSpec.Node node(int number) {
    return new JobSpec.Node("node" + number, 1, true);
  }

  /** A job with as many nodes as ranks, all of which run. */
  Job running(int size, OnNoSpare policy) {
    return running(size, policy, 1);
  }

  /** The same; each group can rebuild the checkpoints of so many members. */
  Job running(int size, OnNoSpare policy, int losses) {
    Job job = new JobController(spec(size, policy, losses));
    job.begin();
    for (int n = 0; n < size; n++) {
      on(job, new JobEvent.NodeUp(n, MEMORY));
    }
    allRun(job, 0);
    return job;
  }

  /** A job with as many nodes as ranks. */
  static JobSpec spec(int size, OnNoSpare policy) {
    return spec(size, policy, 1);
  }

  /** The same; each group can rebuild the checkpoints of so many members. */
  static JobSpec spec(int size, OnNoSpare policy, int losses) {
    List<JobSpec.Node> nodes = new ArrayList<>();
    for (int n = 0; n < size; n++) {
      nodes.add(new JobSpec.Node("node" + n, 1, false));
    }
    return new JobSpec(
        size,
        new JobSpec.Room(nodes, 0, policy),
        new JobSpec.Grouping(16, losses),
        JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
        List.of());
  }

  void on(Job job, JobEvent event) {
    commands.clear();
    commands.addAll(job.on(event));
    for (JobCommand.Spawn spawn : all(JobCommand.Spawn.class)) {
      processes.removeIf(other -> other.rank() == spawn.rank());
      processes.add(spawn);
    }
  }

  /** Of a daemon; only of the end of a process it matters of which one. */
  void on(Job job, FromDaemon.OfRank message) {
    on(job, new JobEvent.FromNode(0, message));
  }

  void say(Job job, int rank, RankMessage message) {
    JobCommand.Spawn process =
        processes.stream().filter(spawn -> spawn.rank() == rank).findFirst().orElseThrow();
    on(job, new FromDaemon.Relayed(rank, process.incarnation(), message));
  }

  void join(Job job, int epoch) {
    for (int r = 0; r < processes.size(); r++) {
      say(job, r, new RankMessage.Joined(epoch, Position.FRESH, Map.of()));
    }
  }

  void allRun(Job job, int epoch) {
    join(job, epoch);
    int size = processes.size();
    for (int r = 0; r < size; r++) {
      say(job, r, new RankMessage.Connected(epoch, "tcp"));
      say(job, r, new RankMessage.Running(epoch, 0, 0, false));
    }
  }

  void commit(Job job, int epoch, long version) {
    say(
        job,
        0,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(epoch, version, 0, version, 100, 100, 0, 0, 0),
            version,
            true));
  }

  <T extends JobCommand> List<T> all(Class<T> type) {
    return commands.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** What daemons are sent of this kind. */
  List<JobCommand.ToNode> sent(Class<? extends ToDaemon> type) {
    return all(JobCommand.ToNode.class).stream()
        .filter(command -> type.isInstance(command.message()))
        .toList();
  }

  ToDaemon.KillRank killed() {
    return (ToDaemon.KillRank) sent(ToDaemon.KillRank.class).getFirst().message();
  }

  int nodeOf(int rank) {
    return processes.stream()
        .filter(spawn -> spawn.rank() == rank)
        .findFirst()
        .orElseThrow()
        .node();
  }
}
