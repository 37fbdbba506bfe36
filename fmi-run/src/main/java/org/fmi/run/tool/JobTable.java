package org.fmi.run.tool;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.fmi.run.Amounts;
import org.fmi.run.daemon.FmirunDirectory;
import org.fmi.run.process.ProcessStat;
import org.fmi.run.status.JobClient;
import org.fmi.run.status.Question;
import org.fmi.run.status.Question.Kind;

/**
 * The table of {@code fmi jobs}. Names, processes and directories are known without asking; the
 * jobs report their progress. All are asked at once, so that a silent job does not delay the
 * others.
 */
final class JobTable {
  static final String NONE = "you have no running job on this machine";

  /** Time limit for the answers of all jobs together. */
  private static final int ANSWER_MILLIS = 1000;

  private static final String NOTHING = "-";
  private static final List<String> HEADER =
      List.of("JOB", "NAME", "PID", "AGE", "DIRECTORY", "PROGRAM");

  /** A field of {@link ProcessStat}. */
  private static final int STATE = 3;

  private JobTable() {}

  /**
   * Prints it.
   *
   * @param all whether to list leftovers of dead jobs as well
   */
  static void print(boolean all) throws IOException, InterruptedException {
    List<FmirunDirectory> jobs = all ? FmirunDirectory.all() : FmirunDirectory.ofRunning();
    if (jobs.isEmpty()) {
      System.err.println("fmi: " + NONE);
      return;
    }
    System.out.print(text(rows(jobs, ANSWER_MILLIS)));
  }

  /**
   * Returns the jobs that match the user's name: by name or, if none has it, by the beginning of
   * the id.
   */
  static List<FmirunDirectory> meant(String named, List<FmirunDirectory> jobs) throws IOException {
    List<FmirunDirectory> byName = new ArrayList<>();
    for (FmirunDirectory job : jobs) {
      if (job.name().equals(named)) {
        byName.add(job);
      }
    }
    return byName.isEmpty()
        ? jobs.stream().filter(job -> job.jobId().startsWith(named)).toList()
        : byName;
  }

  static List<List<String>> rows(List<FmirunDirectory> jobs, int answerMillis)
      throws IOException, InterruptedException {
    long begun = System.nanoTime();
    List<CompletableFuture<String>> answers = jobs.stream().map(JobTable::ask).toList();
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      long left = TimeUnit.MILLISECONDS.toNanos(answerMillis) - (System.nanoTime() - begun);
      rows.add(row(jobs.get(i), answers.get(i), Math.max(0, left)));
    }
    return rows;
  }

  private static CompletableFuture<String> ask(FmirunDirectory job) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    if (job.fmirun() != null) {
      Runnable asks =
          () -> {
            ByteArrayOutputStream parts = new ByteArrayOutputStream();
            try {
              new JobClient().ask(job.path(), Question.of(Kind.JOB), parts::writeBytes);
              answer.complete(parts.toString(StandardCharsets.UTF_8).strip());
            } catch (IOException | RuntimeException e) {
              answer.completeExceptionally(e);
            }
          };
      // A job that never answers does not keep this process from ending.
      Thread.ofPlatform().daemon().name("fmi-asks-" + job.jobId()).start(asks);
    }
    return answer;
  }

  private static List<String> row(
      FmirunDirectory job, CompletableFuture<String> answer, long waitNanos)
      throws IOException, InterruptedException {
    String name = job.name().isEmpty() ? NOTHING : job.name();
    ProcessHandle fmirun = job.fmirun();
    if (fmirun == null) {
      return List.of(
          job.jobId(),
          name,
          NOTHING,
          NOTHING,
          NOTHING,
          "its fmirun has died; the next job on this machine deletes its leftovers: " + job.path());
    }
    String what;
    try {
      what = answer.get(waitNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      what = silent(fmirun);
    } catch (ExecutionException e) {
      String why = Objects.requireNonNull(e.getCause()).getMessage();
      what = isStopped(fmirun) ? silent(fmirun) : String.valueOf(why);
    }
    Instant since = fmirun.info().startInstant().orElse(null);
    return List.of(
        job.jobId(),
        name,
        Long.toString(fmirun.pid()),
        since == null
            ? NOTHING
            : Amounts.duration(
                (double) Math.max(0, Duration.between(since, Instant.now()).toSeconds())),
        directory(fmirun),
        what);
  }

  private static String silent(ProcessHandle fmirun) {
    return isStopped(fmirun)
        ? "its fmirun is stopped; continue it with kill -CONT " + fmirun.pid()
        : "its fmirun did not answer within 1 s";
  }

  private static boolean isStopped(ProcessHandle process) {
    try {
      return ProcessStat.of(Path.of("/proc", Long.toString(process.pid())))
          .field(STATE)
          .equals("T");
    } catch (IOException e) {
      return false; // it has just ended
    }
  }

  private static String directory(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
          .toString();
    } catch (IOException e) {
      return NOTHING; // it has just ended
    }
  }

  /** Returns rows under a header, in columns. */
  static String text(List<List<String>> rows) {
    List<List<String>> all = new ArrayList<>(rows);
    all.addFirst(HEADER);
    int last = HEADER.size() - 1;
    StringBuilder text = new StringBuilder();
    for (List<String> row : all) {
      for (int c = 0; c < last; c++) {
        int column = c;
        int width = all.stream().mapToInt(r -> r.get(column).length()).max().orElseThrow();
        text.append(row.get(c)).repeat(" ", width - row.get(c).length() + 2);
      }
      text.append(row.get(last)).append('\n');
    }
    return text.toString();
  }
}
