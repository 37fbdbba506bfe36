package org.fmi.run.shell;

import java.util.ArrayList;
import java.util.List;
import org.fmi.job.Notice;
import org.fmi.run.status.Answer;
import org.fmi.run.status.Answerer;
import org.fmi.run.status.EventFeed;
import org.fmi.run.status.JobView;
import org.fmi.run.status.Question;

/** Answers those who ask about the job, from what it keeps of it. Belongs to the loop's thread. */
final class JobDesk implements Answerer {
  /** Of events that are kept for who follows them later. */
  private static final int EVENT_BYTES = 8 << 20;

  /** Ends the job for somebody who asked for it. */
  interface Stop {
    /**
     * @param now without leaving the program any time
     */
    void stop(boolean now);
  }

  final JobView view;
  private final EventFeed events = new EventFeed(EVENT_BYTES);
  private final Stop stop;

  /** Those who wait for the end of the job. */
  private final List<Answer> awaiting = new ArrayList<>();

  JobDesk(JobView view, Stop stop) {
    this.view = view;
    this.stop = stop;
  }

  @Override
  public void answer(Question question, Answer answer) {
    long now = System.nanoTime();
    switch (question.kind()) {
      case JOB -> whole(answer, view.line(now));
      case STATUS -> whole(answer, view.text(now));
      case STATUS_JSON -> whole(answer, view.json(now));
      case EVENTS -> events.follow(answer);
      case STOP, STOP_NOW -> {
        // It was heard, and will be done.
        answer.part(new byte[0]);
        awaiting.add(answer);
        stop.stop(question.kind() == Question.Kind.STOP_NOW);
      }
    }
  }

  private static void whole(Answer answer, byte[] bytes) {
    answer.part(bytes);
    answer.end();
  }

  void happened(List<Notice> notices) {
    long now = System.nanoTime();
    notices.forEach(notice -> view.on(notice, now));
  }

  /** An event, as those read it who follow. */
  void event(byte[] line) {
    events.add(line);
  }

  /** What is to be said at the end. */
  List<String> summary(boolean all) {
    return view.summary(System.nanoTime(), all);
  }

  /** How far the job has come, in a line. */
  String progress() {
    return view.progress(System.nanoTime()).text();
  }

  /** Called now and then. */
  void tick() {
    events.pump();
  }

  /** The job has ended. */
  void end() {
    events.end();
    awaiting.forEach(Answer::end);
    awaiting.clear();
  }
}
