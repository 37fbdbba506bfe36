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
 * Answers those who ask about the job, from what it keeps of it, and passes what happens on to
 * those who measure it. Belongs to the loop's thread.
 */
final class JobDesk implements Answerer {
  /** Of events that are kept for who follows them later. */
  private static final int EVENT_BYTES = 8 << 20;

  /** How long nothing has happened when the line that tells how far the job is says why. */
  private static final long LIVE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Ends the job for somebody who asked for it. */
  interface Stop {
    /**
     * @param now without leaving the program any time
     */
    void stop(boolean now);
  }

  private final JobView view;

  /** Null if nobody measures the job. */
  private final @Nullable JobMetrics metrics;

  private final EventFeed events = new EventFeed(EVENT_BYTES);
  private final Stop stop;
  private final Consumer<JobEvent> job;
  private final StackQuestions stacks;
  private final CheckpointDesk checkpoints;
  private final AdditionDesk additions;

  /** Null if nobody wants to know of a standstill. */
  private final @Nullable StallWatch stalls;

  /** Those who wait for the end of the job. */
  private final List<Answer> awaiting = new ArrayList<>();

  /**
   * @param job hears what somebody knows of its nodes
   */
  JobDesk(
      Consumer<JobEvent> job,
      JobView view,
      @Nullable JobMetrics metrics,
      RunOptions options,
      StackQuestions stacks,
      CheckpointDesk checkpoints,
      Stop stop) {
    this.job = job;
    this.view = view;
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
      case EVENTS -> events.follow(answer);
      case CHECKPOINT -> checkpoints.ask(answer, false);
      case STOP_AT_CHECKPOINT -> checkpoints.ask(answer, true);
      case DRAIN -> drain(question.node(), answer);
      case ADD -> additions.add(question.node(), answer);
      case STOP, STOP_NOW -> {
        // It was heard, and will be done.
        answer.part(new byte[0]);
        awaiting.add(answer);
        stop.stop(question.kind() == Question.Kind.STOP_NOW);
      }
    }
  }

  private void stack(int rank, Answer answer) {
    int size = view.size();
    if (rank >= size) {
      answer.refuse("this job has the ranks 0 to " + (size - 1) + ", not " + rank);
      return;
    }
    stacks.ask(
        rank == Question.ALL ? IntStream.range(0, size).boxed().toList() : List.of(rank),
        answers -> {
          answers.texts().forEach(text -> answer.part(text.getBytes(StandardCharsets.UTF_8)));
          if (answers.stacks() > 0) {
            answer.end();
          } else {
            answer.refuse("no stack could be had");
          }
        });
  }

  private void drain(String name, Answer answer) {
    int node = view.node(name);
    if (node < 0) {
      answer.refuse(
          "this job has no node " + name + ", but " + String.join(", ", view.nodeNames()));
      return;
    }
    if (!view.isUp(node)) {
      answer.refuse("drain: " + name + " is not up: no rank has to leave it");
      return;
    }
    job.accept(new JobEvent.NodeLeaving(node, "fmi drain"));
    String line =
        name
            + (view.hasRanks(node)
                ? ": ranks leave it after the next checkpoint, if others have room and their"
                    + " groups can bring their checkpoints back there; fmirun says so if not\n"
                : ": has no ranks, and takes none\n");
    whole(answer, line.getBytes(StandardCharsets.UTF_8));
  }

  private static void whole(Answer answer, byte[] bytes) {
    answer.part(bytes);
    answer.end();
  }

  /** A node's daemon has sent something. */
  void heard(int node) {
    view.heard(node, System.nanoTime());
  }

  /** The daemon of a node is up. */
  void nodeUp(int node, long pid) {
    view.nodeUp(node, pid);
    if (metrics != null) {
      metrics.nodeUp(node);
    }
  }

  /** A process is being started for a rank. */
  void spawned(int rank, int node, int incarnation) {
    view.spawned(rank, node, incarnation);
    if (stalls != null) {
      stalls.spawned(rank);
    }
    if (metrics != null) {
      metrics.spawned(rank, incarnation);
    }
  }

  /** The number of the process that serves a rank now. */
  int incarnation(int rank) {
    return view.incarnation(rank);
  }

  /** What ranks of a node show. */
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

  /** What is to be said about the memory of a node whose ranks have shown something. */
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

  /** A node is up that somebody has added. */
  void added(JobCommand.Added c) {
    additions.added(c);
  }

  /** A node that somebody has added cannot be used. */
  void notAdded(JobCommand.NotAdded c) {
    additions.refused(c);
  }

  /** An event, as those read it who follow. */
  void event(byte[] line) {
    events.add(line);
  }

  /** What is to be said at the end. */
  List<String> summary(boolean all) {
    List<String> lines = new ArrayList<>(view.summary(System.nanoTime(), all));
    if (view.ran() && (all || !lines.isEmpty())) {
      lines.addAll(checkpoints.summary());
    }
    return lines;
  }

  /** How far the job has come, in a line. */
  String progress() {
    long now = System.nanoTime();
    Stall stall = stalls == null ? null : stalls.now(now);
    String waits = stall == null || stall.nanos() < LIVE_NANOS ? "" : ", " + StallText.brief(stall);
    return view.progress(now).text() + waits;
  }

  /** What is to be reported of a standstill; usually nothing. */
  List<String> stall() {
    Stall stall = stalls == null ? null : stalls.look(System.nanoTime());
    return stall == null ? List.of() : StallText.lines(stall);
  }

  /** Called now and then. */
  void tick() {
    events.pump();
  }

  /** The job has ended. */
  void end() {
    events.end();
    checkpoints.end();
    additions.end();
    awaiting.forEach(Answer::end);
    awaiting.clear();
  }
}
