package org.fmi.run.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.process.Terminal;
import org.fmi.run.status.JobClient;
import org.fmi.run.status.Question;
import org.fmi.run.status.Question.Kind;
import org.jspecify.annotations.Nullable;

/** Asks running jobs and prints what they answer. Gives the status with which the command ends. */
final class JobQuestions {
  private static final int USAGE = 64;
  private static final int FAILED = 70;
  private static final int WATCH_MILLIS = 1000;

  /** Cursor to the upper left, and clear all (ECMA-48). */
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private JobQuestions() {}

  static int listAll() {
    return with(
        client -> {
          for (Map.Entry<String, Path> job : NodeDirectory.ofJobs().entrySet()) {
            try {
              client.ask(job.getValue(), Question.of(Kind.JOB), JobQuestions::print);
            } catch (IOException e) {
              // It is listed all the same: it may be what somebody looks for.
              System.out.println(job.getKey() + "  " + e.getMessage());
            }
          }
        });
  }

  /**
   * @param named the job's name or its beginning; null if there is only one
   */
  static int ask(@Nullable String named, Question question) {
    return with(client -> client.ask(find(named), question, JobQuestions::print));
  }

  /**
   * @param named as for {@link #ask}
   * @param watch again each second, until the job ends
   */
  static int status(@Nullable String named, boolean json, boolean watch) {
    Question question = Question.of(json ? Kind.STATUS_JSON : Kind.STATUS);
    if (!watch) {
      return ask(named, question);
    }
    boolean clears = Terminal.is(Terminal.OUT);
    return with(
        client -> {
          Path job = find(named);
          while (true) {
            client.ask(
                job,
                question,
                // Drawn at once, or it would flicker.
                part ->
                    print(
                        clears
                            ? (CLEAR + new String(part, StandardCharsets.UTF_8))
                                .getBytes(StandardCharsets.UTF_8)
                            : part));
            TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
          }
        });
  }

  private static void print(byte[] part) {
    System.out.write(part, 0, part.length);
    System.out.flush();
    if (System.out.checkError()) {
      // Nobody reads any more; there is nobody to tell.
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private interface Asking {
    void with(JobClient client) throws IOException, InterruptedException, UnknownJob;
  }

  private static int with(Asking asking) {
    try {
      asking.with(new JobClient());
      return 0;
    } catch (UnknownJob e) {
      System.err.println("fmi: " + e.getMessage());
      return USAGE;
    } catch (IOException e) {
      System.err.println("fmi: " + e.getMessage());
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }

  /** No job, or not exactly one, is meant. */
  private static final class UnknownJob extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownJob(String message) {
      super(message);
    }
  }

  private static Path find(@Nullable String named) throws IOException, UnknownJob {
    SortedMap<String, Path> jobs = NodeDirectory.ofJobs();
    List<Path> meant =
        jobs.entrySet().stream()
            .filter(job -> named == null || job.getKey().startsWith(named))
            .map(Map.Entry::getValue)
            .toList();
    if (meant.size() == 1) {
      return meant.getFirst();
    }
    String those =
        jobs.isEmpty()
            ? "no job of yours runs on this machine"
            : "those that run here are " + String.join(", ", jobs.keySet());
    throw new UnknownJob(
        named == null
            ? jobs.isEmpty() ? those : "which job? " + those
            : named + (meant.isEmpty() ? ": no such job; " : ": more than one job; ") + those);
  }
}
