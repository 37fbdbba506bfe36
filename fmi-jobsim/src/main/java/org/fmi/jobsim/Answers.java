package org.fmi.jobsim;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;

/** Right answers, computed by jobs without faults. Any thread may ask. */
final class Answers {
  private final Map<Shape, Long> byShape = new ConcurrentHashMap<>();

  /** The answer of {@link Workload} with {@code size} ranks. */
  long of(int size) {
    return of(Shape.plain(size, 0, OnNoSpare.ABORT));
  }

  /** The answer of a job of this shape: it depends on the program and the number of ranks. */
  long of(Shape shape) {
    return byShape.computeIfAbsent(shape.undisturbed(), Answers::undisturbed);
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
