package org.fmi.jobsim;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Shape;

/** The right answers: those of jobs to which nothing happens. Any thread. */
final class Answers {
  private final Map<Integer, Long> bySize = new ConcurrentHashMap<>();

  /** The answer of {@link Workload} with {@code ranks} ranks. */
  long of(int size) {
    return bySize.computeIfAbsent(size, Answers::undisturbed);
  }

  private static long undisturbed(int size) {
    JobSimulation job = new JobSimulation(1, Shape.plain(size, 0, OnNoSpare.ABORT));
    Outcome outcome = job.run();
    if (outcome.status() != 0) {
      throw new AssertionError("a job without failures ends with " + outcome + "\n" + job.story());
    }
    return outcome.answer();
  }
}
