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

/** Handles users' requests to add nodes, and reports the results. Belongs to the loop's thread. */
final class AdditionDesk {
  private final Consumer<JobEvent> job;
  private final JobView view;
  private final RunOptions options;

  /** Requests that wait until a node is up, by its name. */
  private final Map<String, Answer> awaiting = new HashMap<>();

  AdditionDesk(Consumer<JobEvent> job, JobView view, RunOptions options) {
    this.job = job;
    this.view = view;
    this.options = options;
  }

  /** Takes a request. */
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
    boolean up = known >= 0 && view.isUp(known);
    if (awaiting.containsKey(name) || (up && !view.isSilent(known))) {
      answer.refuse("add: " + name + " is already a node of the job");
      return;
    }
    if (up) {
      say(answer, name + ": is silent; fmirun restarts it if it does not return");
    } else if (known >= 0) {
      // Restarted until it is up, which may take too long to wait for.
      say(answer, name + ": is a node of the job; fmirun restarts it until it is up");
    } else {
      answer.part(new byte[0]); // acknowledges the request, which may take a minute
      awaiting.put(name, answer);
    }
    job.accept(new JobEvent.NodeAdded(node));
  }

  /** Notes that an added node is up. */
  void added(JobCommand.Added c) {
    Answer answer = awaiting.remove(c.name());
    if (answer != null) {
      say(answer, c.name() + ": is up");
    }
  }

  /** Notes that an added node cannot be used. */
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

  /** Notes the end of the job. */
  void end() {
    awaiting.forEach(
        (name, answer) -> answer.refuse("add: the job ended before " + name + " was up"));
    awaiting.clear();
  }
}
