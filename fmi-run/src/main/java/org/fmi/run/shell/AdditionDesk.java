package org.fmi.run.shell;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.run.options.AddedNode;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.UsageException;
import org.fmi.run.status.Answer;
import org.fmi.run.status.JobView;

/**
 * Takes in those who add nodes to the job, and tells them what became of it. Belongs to the loop's
 * thread.
 */
final class AdditionDesk {
  private final Consumer<JobEvent> job;
  private final JobView view;
  private final RunOptions options;

  /** Those who wait until a node is up, by its name. */
  private final Map<String, Answer> awaiting = new HashMap<>();

  AdditionDesk(Consumer<JobEvent> job, JobView view, RunOptions options) {
    this.job = job;
    this.view = view;
    this.options = options;
  }

  /** Somebody adds a node. */
  void add(String text, Answer answer) {
    JobSpec.Node node;
    try {
      node = AddedNode.read(text, view.nodeNames().size(), options);
    } catch (UsageException e) {
      answer.refuse(String.valueOf(e.getMessage()));
      return;
    }
    String name = node.name();
    int known = view.node(name);
    if (awaiting.containsKey(name) || (known >= 0 && view.isUp(known))) {
      answer.refuse("add: " + name + " is a node of the job already");
      return;
    }
    if (known >= 0) {
      // Again and again, until it is up: nobody can wait for that.
      say(answer, name + ": is a node of the job, and is started again until it is up");
    } else {
      answer.part(new byte[0]); // it was heard, and may take a minute
      awaiting.put(name, answer);
    }
    job.accept(new JobEvent.NodeAdded(node));
  }

  /** It is up. */
  void added(JobCommand.Added c) {
    Answer answer = awaiting.remove(c.name());
    if (answer != null) {
      say(answer, c.name() + ": is up");
    }
  }

  /** It is none of the job. */
  void refused(JobCommand.NotAdded c) {
    Answer answer = awaiting.remove(c.name());
    if (answer != null) {
      answer.refuse("add: " + c.name() + " cannot be used: " + c.reason());
    }
  }

  private static void say(Answer answer, String line) {
    answer.part((line + "\n").getBytes(StandardCharsets.UTF_8));
    answer.end();
  }

  /** The job has ended. */
  void end() {
    awaiting.forEach(
        (name, answer) -> answer.refuse("add: the job ended before " + name + " was up"));
    awaiting.clear();
  }
}
