package org.fmi.jobsim;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;

/** The right answers: those of jobs to which nothing happens. Any thread. */
final class Answers {
  private final Map<Shape, Long> byShape = new ConcurrentHashMap<>();

  /** The answer of {@link Workload} with {@code size} ranks. */
  long of(int size) {
    return of(Shape.plain(size, 0, OnNoSpare.ABORT));
  }

  /** The answer of a job of this shape: it depends on the program and the number of ranks. */
  long of(Shape shape) {
    Shape plain = Shape.plain(shape.size(), 0, OnNoSpare.ABORT);
    return byShape.computeIfAbsent(
        shape.crosses() ? plain.withLocalRollback(1 << 20) : plain, Answers::undisturbed);
  }

  private static long undisturbed(Shape plain) {
    JobSimulation job = new JobSimulation(1, plain);
    Outcome outcome = job.run();
    if (outcome.status() != 0) {
      throw new AssertionError("a job without failures ends with " + outcome + "\n" + job.story());
    }
    return outcome.answer();
  }
}
