package org.fmi.run.shell;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.fmi.control.Notice;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.job.Stall;
import org.fmi.job.StallWatch;
import org.fmi.job.control.FromDaemon;
import org.fmi.run.metrics.JobMetrics;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.run.status.Answer;
import org.fmi.run.status.Answerer;
import org.fmi.run.status.EventFeed;
import org.fmi.run.status.JobView;
import org.fmi.run.status.Question;
import org.fmi.run.status.StallText;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests about the job from the data it keeps, and forwards events to the metrics.
 * Belongs to the loop's thread.
 */
final class JobDesk implements Answerer {
  /** Time without progress after which the progress line gives the reason. */
  private static final long LIVE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Ends the job on request. */
  interface Stop {
    /**
     * @param now whether to end it without giving the program any time
     */
    void stop(boolean now);
  }

  private final JobView view;

  /** Null if the job has no metrics. */
  private final @Nullable JobMetrics metrics;

  private final EventFeed events;
  private final Stop stop;
  private final Consumer<JobEvent> job;
  private final StackQuestions stacks;
  private final CheckpointDesk checkpoints;
  private final AdditionDesk additions;

  /** Null if standstills are not reported. */
  private final @Nullable StallWatch stalls;

  /** Requests that wait for the end of the job. */
  private final List<Answer> awaiting = new ArrayList<>();

  /**
   * @param job receives events about its nodes
   * @param events the events for readers of them
   */
  JobDesk(
      Consumer<JobEvent> job,
      JobView view,
      EventFeed events,
      @Nullable JobMetrics metrics,
      RunOptions options,
      StackQuestions stacks,
      CheckpointDesk checkpoints,
      Stop stop) {
    this.job = job;
    this.view = view;
    this.events = events;
    long stallMillis =
        options.output().verbosity() == Verbosity.QUIET ? 0 : options.patience().stallMillis();
    this.stalls =
        stallMillis == 0
            ? null
            : new StallWatch(view.size(), TimeUnit.MILLISECONDS.toNanos(stallMillis));
    this.stacks = stacks;
    this.checkpoints = checkpoints;
    this.additions = new AdditionDesk(job, view, options);
    this.metrics = metrics;
    this.stop = stop;
  }

  @Override
  public void answer(Question question, Answer answer) {
    long now = System.nanoTime();
    switch (question.kind()) {
      case JOB -> whole(answer, view.line(now));
      case STATUS -> whole(answer, view.text(now));
      case STATUS_JSON -> whole(answer, view.json(now));
      case STACK -> stack(question.rank(), answer);
      case KICK -> kick(question.rank(), answer);
      case EVENTS -> events.follow(answer);
      case CHECKPOINT -> checkpoints.ask(answer, false);
      case STOP_AT_CHECKPOINT -> checkpoints.ask(answer, true);
      case DRAIN -> drain(question.node(), answer);
      case UNDRAIN -> undrain(question.node(), answer);
      case ADD -> additions.add(question.node(), answer);
      case STOP, STOP_NOW -> {
        // The request was received, and will be executed.
        answer.part(new byte[0]);
        awaiting.add(answer);
        stop.stop(question.kind() == Question.Kind.STOP_NOW);
      }
    }
  }

  /** Whether there is such a rank; otherwise refuses. */
  private boolean isRank(int rank, Answer answer) {
    int size = view.size();
    if (rank >= size) {
      answer.refuse("this job has no rank " + rank + "; its ranks are 0 to " + (size - 1));
    }
    return rank < size;
  }

  private void kick(int rank, Answer answer) {
    if (isRank(rank, answer)) {
      job.accept(new JobEvent.RankKicked(rank));
      String line = "rank " + rank + ": its process, if it has one, is killed and replaced\n";
      whole(answer, line.getBytes(StandardCharsets.UTF_8));
    }
  }

  private void stack(int rank, Answer answer) {
    int size = view.size();
    if (!isRank(rank, answer)) {
      return;
    }
    stacks.ask(
        rank == Question.ALL ? IntStream.range(0, size).boxed().toList() : List.of(rank),
        answers -> {
          answers.texts().forEach(text -> answer.part(text.getBytes(StandardCharsets.UTF_8)));
          if (answers.stacks() > 0) {
            answer.end();
          } else {
            answer.refuse("no rank returned a stack");
          }
        });
  }

  private void drain(String name, Answer answer) {
    int node = upNode("drain: ", name, answer);
    if (node < 0) {
      return;
    }
    job.accept(new JobEvent.NodeLeaving(node, "fmi drain"));
    String line =
        name
            + (view.hasRanks(node)
                ? ": its ranks move after the next checkpoint, if other nodes have room and their"
                    + " groups can rebuild their checkpoints there; fmirun reports if they cannot\n"
                : ": has no ranks, and gets none while there is another node\n");
    whole(answer, line.getBytes(StandardCharsets.UTF_8));
  }

  private void undrain(String name, Answer answer) {
    int node = upNode("undrain: ", name, answer);
    if (node >= 0) {
      job.accept(new JobEvent.NodeStays(node, "fmi undrain"));
      whole(answer, (name + ": takes ranks again\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Finds a node that is up; otherwise refuses, and returns a negative number. */
  private int upNode(String command, String name, Answer answer) {
    int node = view.node(name);
    if (node < 0) {
      answer.refuse(
          "this job has no node "
              + name
              + "; its nodes are "
              + String.join(", ", view.nodeNames()));
      return node;
    }
    if (!view.isUp(node)) {
      answer.refuse(command + name + " is not up, so no rank is on it");
      return -1;
    }
    return node;
  }

  private static void whole(Answer answer, byte[] bytes) {
    answer.part(bytes);
    answer.end();
  }

  /** Notes a message of a node's daemon. */
  void noteMessage(int node) {
    view.noteMessage(node, System.nanoTime());
  }

  /** Notes that the daemon of a node is up. */
  void nodeUp(int node, long pid) {
    view.nodeUp(node, pid);
    if (metrics != null) {
      metrics.nodeUp(node);
    }
  }

  /** Notes a new process of a rank. */
  void spawned(int rank, int node, int incarnation) {
    view.spawned(rank, node, incarnation);
    if (stalls != null) {
      stalls.spawned(rank);
    }
    if (metrics != null) {
      metrics.spawned(rank, incarnation);
    }
  }

  /** Returns the incarnation of the process that serves a rank now. */
  int incarnation(int rank) {
    return view.incarnation(rank);
  }

  /** Takes reports of ranks of a node. */
  void reported(FromDaemon.Reports message) {
    long now = System.nanoTime();
    view.reported(message, now);
    if (stalls != null) {
      for (FromDaemon.Report shown : message.reports()) {
        if (view.isCurrent(shown.rank(), shown.incarnation())) {
          stalls.shown(shown.rank(), shown.report(), now);
        }
      }
    }
    if (metrics != null) {
      metrics.reported(message);
    }
  }

  /** Returns notices about the memory of a node whose ranks have sent reports. */
  List<String> memory(int node, boolean all) {
    return view.memory(node, all);
  }

  void happened(List<Notice> notices) {
    long now = System.nanoTime();
    notices.forEach(notice -> view.on(notice, now));
    if (stalls != null) {
      notices.forEach(notice -> stalls.on(notice, now));
    }
    if (metrics != null) {
      notices.forEach(metrics::on);
    }
  }

  /** Notes that an added node is up. */
  void added(JobCommand.Added c) {
    additions.added(c);
  }

  /** Notes that an added node cannot be used. */
  void notAdded(JobCommand.NotAdded c) {
    additions.refused(c);
  }

  /** Returns the notices at the end. */
  List<String> summary(boolean all) {
    List<String> lines = new ArrayList<>(view.summary(System.nanoTime(), all));
    if (view.ran() && (all || !lines.isEmpty())) {
      lines.addAll(checkpoints.summary());
    }
    return lines;
  }

  /** Returns the progress of the job on one line. */
  String progress() {
    long now = System.nanoTime();
    Stall stall = stalls == null ? null : stalls.now(now);
    String waits = stall == null || stall.nanos() < LIVE_NANOS ? "" : ", " + StallText.brief(stall);
    return view.progress(now).text() + waits;
  }

  /** Returns notices about a standstill; usually none. */
  List<String> stall() {
    Stall stall = stalls == null ? null : stalls.look(System.nanoTime());
    return stall == null ? List.of() : StallText.lines(stall);
  }

  /** Does periodic work. */
  void tick() {
    events.pump();
  }

  /** Continues the totals of the job that this one follows. */
  void follow(JobDesk last) {
    view.follow(last.view);
  }

  /** Makes the requests for checkpoints that the last job has not served; this one has begun. */
  void askAgain(JobDesk last) {
    checkpoints.follow(last.checkpoints);
  }

  /** Refuses nodes for this job, which does not run any more. */
  void retire() {
    additions.end();
  }

  /** Notes the end of the job. */
  void end() {
    checkpoints.end();
    additions.end();
    awaiting.forEach(Answer::end);
    awaiting.clear();
  }
}
