package org.fmi.run.shell;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.net.NetLoop;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.run.report.EndText;
import org.fmi.run.report.LiveProgress;
import org.fmi.run.report.Reporter;
import org.fmi.run.status.JobView;
import org.fmi.spi.EarlierMemory;
import org.jspecify.annotations.Nullable;

/**
 * The I/O of a job's decision maker: feeds it events of daemons and the user, and executes its
 * commands. All state belongs to the loop's thread.
 */
final class JobShell {
  /**
   * Time limit for daemons to end by themselves. With the subsequent steps that is under 2 s,
   * unless much memory must be deleted, or a host is slow.
   */
  private static final int END_MILLIS = 1200;

  /** Time for the removal of nodes whose hosts may not be reachable, which is not waited for. */
  private static final int UNREACHABLE_MILLIS = 300;

  /** Time for the removal of nodes whose hosts were reachable shortly before the end. */
  private static final int SLOW_MILLIS = 20_000;

  /** Time limit of the program's shutdown hooks when the user stops the job. */
  private static final int HOOKS_MILLIS = 2000;

  /** The interval of periodic work. */
  private static final int TICK_MILLIS = 250;

  private static final int SIGTERM = 15;

  private final RunOptions options;
  private final JobSpec spec;
  private final Job job;
  private final ShellContext around;
  private final Succession succession;
  private final Reporter reporter;
  private final NetLoop loop;
  private final Ending ending = new Ending();
  private final Nodes nodes;
  private final InputFeed input;
  private final StackQuestions stacks;
  private final CheckpointDesk checkpoints;
  private final StopSoon stopSoon;
  private final JobDesk desk;
  private final LiveProgress live;
  private final Binding binding;
  private final FlushDesk flushes;
  private final NodeRequests requests;
  private final EndOfAll endOfAll = new EndOfAll(this::later, this::next);
  private final OutputShares outputShares = new OutputShares();
  private final int[] nodeOfRank;

  /** The next steps of the decision maker. */
  private final Deque<Supplier<List<JobCommand>>> steps = new ArrayDeque<>();

  /** Ranks whose process has not ended. */
  private final BitSet alive = new BitSet();

  private boolean deciding;

  /** Whether shutdown hooks of the program get no time. */
  private boolean hurries;

  private boolean shutsDown;

  /** Whether only processes on other hosts are left, which end by themselves. */
  private boolean awaitsHosts;

  /** Whether the end has a time limit already. */
  private boolean isLimited;

  /** The memory that the job begins from. */
  private final EarlierMemory earlier;

  /** The job that has left this memory; null if there is none. */
  private final @Nullable JobShell keeper;

  private final Handover handover;

  /** The job that follows; null if there is none. */
  private volatile @Nullable JobShell next;

  /**
   * @param earlier the memory that the job begins from
   * @param keeper the job that has left it; null if there is none
   */
  JobShell(
      RunOptions options,
      Job job,
      ShellContext around,
      Succession succession,
      EarlierMemory earlier,
      @Nullable JobShell keeper) {
    this.options = options;
    this.spec = options.spec();
    this.job = job;
    this.around = around;
    this.succession = succession;
    this.earlier = earlier;
    this.keeper = keeper;
    this.reporter = succession.reporter();
    boolean local = options.where().isLocal();
    this.binding = new Binding(spec, options.processes().bind(), local);
    this.loop = succession.loop();
    this.nodes = new Nodes(options, around, loop, succession::post, ending, new NodeListener());
    this.stacks = new StackQuestions(this::askForStack, this::later);
    this.flushes = new FlushDesk(around.files(), spec.size(), System::nanoTime, new FlushWay());
    this.requests = new NodeRequests(around.lent(), this::feed, succession::post);
    this.checkpoints = new CheckpointDesk(this::feed, flushes, around.files(), this::end);
    this.handover =
        new Handover(
            spec.size(),
            around.files(),
            keeper == null ? null : keeper.handover,
            new HandoverWay());
    if (keeper != null) {
      checkpoints.hold(); // until there is a checkpoint of the loop that it takes over
    }
    this.stopSoon = new StopSoon(checkpoints, line -> print(List.of(line)));
    this.desk =
        new JobDesk(
            this::feed,
            new JobView(
                spec,
                around.programId(),
                options.program().text(),
                local,
                checkpoints.canStop(),
                succession.begunNanos()),
            succession.events(),
            around.metrics(),
            options,
            stacks,
            checkpoints,
            now -> {
              hurries |= now;
              interrupt(SIGTERM);
            });
    this.live = new LiveProgress(options.output().verbosity(), around.console(), System.nanoTime());
    this.nodeOfRank = new int[spec.size()];
    Arrays.fill(nodeOfRank, -1);
    this.input = succession.input();
  }

  /**
   * Listens for daemons.
   *
   * @throws IOException if there is no free port
   */
  void listen() throws IOException {
    nodes.listen();
  }

  /** Begins the job. */
  void begin() {
    flushes.begin(this::print);
    steps.add(job::begin);
    decide();
    tick();
    limitTime();
  }

  /** Waits for the complete end, and returns the exit status. Any thread but the loop's. */
  int await() {
    return ending.await();
  }

  /** The job that follows, once this one has ended; null if there is none. Any thread. */
  @Nullable JobShell next() {
    return next;
  }

  /** Whether the end was requested. Any thread. */
  boolean isInterrupted() {
    return ending.interrupted();
  }

  /** Returns all lent nodes. Any thread but the loop's. */
  void closeRequests() {
    requests.close();
  }

  int recoveries() {
    return job.recoveries();
  }

  JobDesk desk() {
    return desk;
  }

  /** Prints notices, after those of earlier events, unless they are not wanted. */
  void print(List<String> lines) {
    if (options.output().verbosity() != Verbosity.QUIET) {
      reporter.lines(lines.stream().map(line -> "fmi: " + line).toList());
    }
  }

  private void tick() {
    if (handover.hasBegun()) {
      return;
    }
    desk.tick();
    if (!ending.begun()) {
      live.look(flushes.isAwaited() ? flushes::awaited : desk::progress, System.nanoTime());
      if (!flushes.isAwaited()) {
        print(desk.stall());
      }
    }
    later(TICK_MILLIS, this::tick);
  }

  /** Asks for the stack of a rank; returns whether it has a process. */
  private boolean askForStack(int rank) {
    boolean asked = alive.get(rank);
    if (asked) {
      sendToRank(rank, new ToDaemon.Stack(rank));
    }
    return asked;
  }

  /** Ends a job that exceeds the user's time limit, with the stacks of all ranks. */
  private void limitTime() {
    long millis = options.patience().timeoutMillis();
    if (millis > 0) {
      List<Integer> ranks = IntStream.range(0, spec.size()).boxed().toList();
      long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - succession.begunNanos());
      later(
          Math.max(0, millis - passed),
          () -> stacks.ask(ranks, answers -> timeIsUp(millis, answers.texts())));
    }
  }

  private void timeIsUp(long millis, List<String> stacksOfRanks) {
    if (!ending.begun() && succession.isCurrent(this)) {
      stacksOfRanks.forEach(text -> around.console().line(text.stripTrailing() + "\n"));
      end(
          Ending.TIMED_OUT,
          "the job did not end within "
              + BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString()
              + " s (--timeout)");
    }
  }

  private void later(long millis, Runnable task) {
    var _ = loop.schedule(millis, TimeUnit.MILLISECONDS, task);
  }

  /** Handles a signal to end the job; a second one ends it at once. Any thread. */
  void interrupt(int signal) {
    boolean again = ending.interrupted();
    ending.interrupt(signal);
    if (ending.isComplete()) {
      // Everything has ended; only the output was still being written.
      Runtime.getRuntime().halt(128 + signal);
    }
    succession.post(
        () -> {
          if (!succession.isCurrent(this)) {
            succession.interrupt(signal); // another job has followed in the meantime
            return;
          }
          hurries |= again;
          flushes.stop("the job was ended without waiting for it");
          feed(new JobEvent.Interrupted(signal));
          if (handover.hasBegun()) {
            end(128 + signal, "ended by signal " + signal);
          }
          if (hurries && awaitsHosts) {
            ending.complete();
          } else if (hurries && ending.begun()) {
            shutDown();
          }
        });
  }

  /** Stops the job at a checkpoint because its time is short. */
  void stopSoon(String why) {
    stopSoon.ask(why);
  }

  /** Handles a node that is about to be lost. */
  void leaving(String name, String why) {
    nodes.find(name, node -> feed(new JobEvent.NodeLeaving(node.number, why)));
  }

  /** Handles a node that is not about to be lost any more. */
  void stays(String name, String why) {
    nodes.find(name, node -> feed(new JobEvent.NodeStays(node.number, why)));
  }

  // ---- the decision maker

  private void feed(JobEvent event) {
    endOfAll.pass(event);
  }

  private void next(JobEvent event) {
    steps.add(() -> job.on(event));
    decide();
  }

  private void decide() {
    if (deciding) {
      return;
    }
    deciding = true;
    try {
      Supplier<List<JobCommand>> step;
      while ((step = steps.poll()) != null) {
        if (!ending.begun()) {
          carryOut(step.get());
        }
      }
    } catch (Throwable e) {
      // A bug of FMI, or memory is exhausted: nothing is reliable, but nothing may be left behind.
      e.printStackTrace();
      fail("internal error: " + e);
    } finally {
      deciding = false;
    }
  }

  private void carryOut(List<JobCommand> commands) {
    List<Notice> notices = new ArrayList<>();
    for (JobCommand command : commands) {
      if (command instanceof JobCommand.Report report) {
        notices.add(report.notice());
      }
    }
    reporter.report(notices);
    desk.happened(notices);
    Map<NodeHandle, Set<String>> bound = new LinkedHashMap<>();
    for (JobCommand command : commands) {
      switch (command) {
        case JobCommand.Spawn c ->
            bound.computeIfAbsent(nodes.get(c.node()), _ -> new LinkedHashSet<>()).add(spawn(c));
        case JobCommand.KillNode c -> {
          if (c.reason().equals(JobCommand.KillNode.INJECTED)) {
            succession.nodeLost(nodes.get(c.node()).name, c.reason());
          }
          nodes.kill(nodes.get(c.node()), c.reason());
        }
        case JobCommand.Examine c -> nodes.examine(nodes.get(c.node()), c.round(), c.others());
        case JobCommand.AwaitExamination c ->
            later(
                (long) options.job().heartbeatMillis() * c.tenths() / 10,
                () -> feed(new JobEvent.ExaminationOver(c.round())));
        case JobCommand.KillDaemon c -> nodes.killDaemon(nodes.get(c.node()));
        case JobCommand.AddNode c -> {
          nodes.add(c.name());
          binding.add(c.slots());
        }
        case JobCommand.Added c -> desk.added(c);
        case JobCommand.NotAdded c -> desk.notAdded(c);
        case JobCommand.Launch c -> nodes.launch(nodes.get(c.node()));
        case JobCommand.RestartDaemon c -> nodes.launch(nodes.get(c.node()));
        case JobCommand.RequestNode c -> requests.ask(c.slots());
        case JobCommand.WithdrawRequests _ -> requests.withdraw();
        case JobCommand.ToNode c -> nodes.get(c.node()).send(c.message());
        case JobCommand.ToAllNodes c -> {
          if (c.message() instanceof ToDaemon.ForwardAll(JobMessage.Start start)) {
            around.console().begun(!start.rollback());
          }
          nodes.sendAll(c.message());
        }
        case JobCommand.Continue _ -> succession.post(() -> feed(new JobEvent.Continued()));
        case JobCommand.Report _ -> {
          // see above
        }
        case JobCommand.Committed c -> {
          flushes.committed(c);
          if (handover.dependsOnEarlier() && earlier.isTakenOver(c.loop())) {
            handover.takenOver();
            succession.releaseAll();
            checkpoints.proceed();
          }
        }
        case JobCommand.Recovering _ -> flushes.recovering();
        case JobCommand.Restored c -> checkpoints.restored(c);
        case JobCommand.Checkpointed c -> checkpoints.taken(c);
        case JobCommand.NotCheckpointed c -> checkpoints.refused(c);
        case JobCommand.Shrink c -> shrink(c);
        case JobCommand.End c ->
            flushes.finish(
                c.cause(), () -> end(c.status(), EndText.of(c, options.where().isLocal())));
      }
    }
    reportBinding(bound);
  }

  private void reportBinding(Map<NodeHandle, Set<String>> bound) {
    if (options.output().verbosity() == Verbosity.VERBOSE) {
      List<String> lines = new ArrayList<>();
      bound.forEach(
          (node, texts) -> lines.add("fmi: " + node.name + ": " + String.join(", ", texts)));
      reporter.lines(lines);
    }
  }

  /** Returns a text about the cores to which it is bound. */
  private String spawn(JobCommand.Spawn c) {
    around.console().spawned(c.rank(), c.incarnation());
    nodeOfRank[c.rank()] = c.node();
    alive.set(c.rank());
    desk.spawned(c.rank(), c.node(), c.incarnation());
    Binding.Choice choice = binding.choose(c.rank(), c.node());
    nodes
        .get(c.node())
        .send(
            new ToDaemon.Spawn(
                c.assignment(),
                choice.share(),
                options.processes().jvmOptionsOf().getOrDefault(c.rank(), List.of())));
    if (c.rank() == 0 && !input.restart(c.incarnation())) {
      fail(
          "rank 0 was lost after it had received more than "
              + (InputFeed.KEPT >> 20)
              + " MiB of standard input, too much to keep for its replacement; let it read a file"
              + " instead");
    }
    return choice.text();
  }

  private void sendToRank(int rank, ToDaemon message) {
    int node = nodeOfRank[rank];
    if (node >= 0) {
      nodes.get(node).send(message);
    }
  }

  // ---- daemons

  /** Turns messages of daemons into events. */
  private final class NodeListener implements Nodes.Listener {
    @Override
    public void onMessage(NodeHandle node, FromDaemon message) {
      desk.noteMessage(node.number);
      switch (message) {
        case FromDaemon.Hello m -> {
          node.pid = m.pid();
          node.memoryFree = m.memoryFree();
          node.listens = new ToDaemon.Peer(node.number, m.host(), m.port());
          binding.found(node.number, m.cores(), m.whole());
          nodes.describe(node, m);
          int window = outputShares.of(node.number, nodes.all().size());
          node.send(new ToDaemon.Setup(CommonSetup.of(options, around, earlier, window)));
        }
        case FromDaemon.Ready _ -> {
          node.up = true;
          node.orphaned = false;
          desk.nodeUp(node.number, node.pid);
          node.settle();
          feed(new JobEvent.NodeUp(node.number, node.memoryFree));
        }
        case FromDaemon.Refused m -> nodes.refused(node, m.reason());
        case FromDaemon.Terminated _ -> {
          node.terminated = true;
          endOfAll.begins();
          feed(new JobEvent.NodeLeaving(node.number, NodeHandle.TERMINATED, true));
        }
        case FromDaemon.Warning m -> nodes.say(node, ": " + m.text());
        case FromDaemon.Examined m ->
            feed(new JobEvent.Examined(node.number, m.round(), m.unreached()));
        case FromDaemon.OfRank m -> {
          if (known(m.rank())) {
            ofRank(node, m);
          }
        }
        case FromDaemon.Reports m -> {
          desk.reported(m);
          print(desk.memory(node.number, options.output().verbosity() == Verbosity.VERBOSE));
        }
        case FromDaemon.LeaseRequest m -> nodes.grant(node, m);
        case FromDaemon.Level2 m -> flushes.on(node.number, m.report());
        case FromDaemon.Stack m -> stacks.answered(m);
        case FromDaemon.Output m ->
            around
                .console()
                .output(
                    m.rank(),
                    m.error(),
                    m.bytes(),
                    m.more(),
                    () -> succession.post(() -> node.send(new ToDaemon.OutputTaken(m.cost()))));
        case FromDaemon.InputWanted m -> {
          if (succession.isCurrent(JobShell.this)) {
            input.wanted(m.incarnation());
          }
        }
        case FromDaemon.InputTaken m -> {
          if (succession.isCurrent(JobShell.this)) {
            input.taken(m.incarnation(), m.bytes());
          }
        }
        case FromDaemon.Holds m -> handover.holds(node, m);
      }
    }

    private void ofRank(NodeHandle node, FromDaemon.OfRank message) {
      boolean exited =
          message instanceof FromDaemon.RankExited || message instanceof FromDaemon.RankNotStarted;
      if (exited) {
        alive.clear(message.rank());
      }
      feed(new JobEvent.FromNode(node.number, message));
      if (exited && ending.begun() && alive.isEmpty()) {
        shutDown();
      } else if (exited) {
        handover.proceed();
      }
    }

    @Override
    public void onHearing(JobEvent event) {
      feed(event);
    }

    @Override
    public void onLost(NodeHandle node, JobEvent loss) {
      for (int r = 0; r < nodeOfRank.length; r++) {
        if (nodeOfRank[r] == node.number) {
          alive.clear(r);
        }
      }
      handover.nodeLost(node);
      if (handover.hasBegun()) {
        nodes.kill(node, "lost"); // no decision follows any more
      }
      feed(loss);
      flushes.lost(node.number, node.name);
      handover.proceed();
    }
  }

  /** Executes decisions about files. */
  private final class FlushWay implements FlushDesk.Way {
    @Override
    public void send(int node, ToDaemon message) {
      nodes.get(node).send(message);
    }

    @Override
    public void writeNext() {
      if (!ending.begun()) {
        sendToRank(0, new ToDaemon.Forward(0, desk.incarnation(0), new JobMessage.WriteNext()));
      }
    }

    @Override
    public void killRanks() {
      JobShell.this.killRanks();
    }

    @Override
    public void later(long millis, Runnable task) {
      JobShell.this.later(millis, task);
    }

    @Override
    public void report(List<Notice> notices) {
      if (!ending.begun()) {
        reporter.report(notices);
        desk.happened(notices);
      }
    }
  }

  private boolean known(int rank) {
    return rank >= 0 && rank < nodeOfRank.length;
  }

  // ---- fewer ranks

  /** Ends all ranks, for a job with fewer ones. */
  private void shrink(JobCommand.Shrink to) {
    handover.begin(to);
    live.end();
    desk.retire();
    requests.withdraw();
    nodes.sendAll(new ToDaemon.Standbys(0, 0));
    killRanks();
    handover.proceed();
  }

  private void killRanks() {
    alive.stream().forEach(r -> sendToRank(r, new ToDaemon.KillRank(r, desk.incarnation(r))));
  }

  /** Executes decisions about the job that follows. */
  private final class HandoverWay implements Handover.Way {
    @Override
    public boolean isVacated() {
      return alive.isEmpty() && !ending.begun();
    }

    @Override
    public List<NodeHandle> nodes() {
      return nodes.all().stream().filter(node -> node.up).toList();
    }

    @Override
    public void sendAll(ToDaemon message) {
      nodes.sendAll(message);
    }

    @Override
    public void post(Runnable task) {
      succession.post(task);
    }

    @Override
    public void report(Notice notice) {
      reporter.report(List.of(notice));
      desk.happened(List.of(notice));
    }

    @Override
    public void begin(
        JobSpec next,
        EarlierMemory memory,
        @Nullable Handover from,
        String jobId,
        @Nullable Level2Files files)
        throws IOException {
      JobShell keeps = from == null ? null : from == handover ? JobShell.this : keeper;
      succession.follow(JobShell.this, next, memory, keeps, jobId, files);
    }

    @Override
    public void checkpointsLost(String why) {
      JobCommand.End end = JobCommand.End.lost(why);
      end(end.status(), EndText.of(end, options.where().isLocal()));
    }

    @Override
    public void fail(String message) {
      JobShell.this.fail(message);
    }
  }

  /** Notes the job that follows. */
  void followedBy(JobShell shell) {
    next = shell;
  }

  /** Ends the daemons of a job whose memory is not needed any more. */
  void release() {
    if (!ending.begun()) {
      ending.begin(0);
      shutDown();
    }
  }

  /** Gives a node up, if it is up. */
  void nodeLost(String name, String reason) {
    nodes.find(
        name,
        node -> {
          if (node.up) {
            nodes.kill(node, reason);
          }
        });
  }

  /** Sends input to rank 0. */
  void input(int incarnation, byte[] bytes) {
    sendToRank(0, new ToDaemon.Input(incarnation, bytes));
  }

  // ---- the end

  /** Ends the job for a reason unknown to its decision maker. */
  void fail(String message) {
    end(Ending.FAILED, message);
  }

  private void end(int status, String message) {
    if (ending.begun()) {
      return;
    }
    ending.begin(status);
    succession.releaseAll();
    live.end();
    if (options.output().verbosity() != Verbosity.QUIET) {
      desk.summary(options.output().verbosity() == Verbosity.VERBOSE)
          .forEach(line -> around.console().line("fmi: " + line));
    }
    // First, because subsequent steps may fail.
    boolean asked = ending.interrupted() || status == Ending.STOPPED;
    boolean waits = asked && !hurries && !alive.isEmpty();
    if (waits) {
      later(HOOKS_MILLIS, this::shutDown);
    } else {
      limitShutDown();
    }
    reporter.report(
        List.of(new Notice.Finished(status, succession.recoveries() + job.recoveries(), message)));
    if (!message.isEmpty()) {
      // Not after events, whose file may be on a server that does not respond.
      around.console().line("fmirun: " + message);
    }
    if (waits) {
      nodes.sendAll(new ToDaemon.Terminate());
    } else {
      shutDown();
    }
  }

  private void shutDown() {
    if (!shutsDown) {
      limitShutDown();
      shutsDown = true;
      nodes.shutDown();
      ending.completeIfIdle();
    }
  }

  private void limitShutDown() {
    if (!isLimited) {
      isLimited = true;
      long since = System.nanoTime();
      later(END_MILLIS, () -> endByForce(since));
    }
  }

  private void endByForce(long since) {
    CompletableFuture<?> fenced = nodes.endByForce(since);
    if (options.where().isLocal()) {
      // Here only the deletion of much memory takes long, and no other process would complete it.
      completeAfter(fenced);
    } else {
      later(UNREACHABLE_MILLIS, () -> awaitSlowHosts(fenced));
      later(SLOW_MILLIS, ending::complete);
    }
  }

  private void awaitSlowHosts(CompletableFuture<?> fenced) {
    awaitsHosts = true;
    if (hurries) {
      ending.complete();
    } else {
      completeAfter(fenced);
    }
  }

  private void completeAfter(CompletableFuture<?> last) {
    var _ = last.whenComplete((_, _) -> succession.post(ending::complete));
  }
}
