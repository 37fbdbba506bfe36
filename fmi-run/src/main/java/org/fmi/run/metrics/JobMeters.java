package org.fmi.run.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.fmi.control.Counter;
import org.fmi.run.metrics.JobNumbers.Checkpoint;
import org.fmi.run.metrics.JobNumbers.Recovery;
import org.fmi.run.metrics.JobNumbers.Scope;

/** The names, units and labels of a job's numbers. Values are read when they are sent. */
final class JobMeters implements MeterBinder {
  private static final String PREFIX = "fmi.";
  private static final String NANOS = ".nanos";
  private static final String SECONDS = "seconds";

  private final JobNumbers numbers;
  private final String jobId;

  JobMeters(JobNumbers numbers, String jobId) {
    this.numbers = numbers;
    this.jobId = jobId;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Tags job = Tags.of("job", jobId);
    bindJob(registry, job);
    for (int r = 0; r < (int) numbers.ranks(); r++) {
      bindRank(registry, job.and("rank", Integer.toString(r)), r);
    }
  }

  private void bindJob(MeterRegistry registry, Tags job) {
    gauge(registry, job, "ranks", "ranks of the job", JobNumbers::ranks);
    gauge(
        registry,
        job,
        "nodes",
        "nodes of the job, spares and lost ones included",
        JobNumbers::nodes);
    gauge(registry, job, "nodes.up", "nodes that are up, spares included", JobNumbers::nodesUp);
    gauge(registry, job, "epoch", "current epoch of the job", JobNumbers::epoch);
    gauge(registry, job, "recovering", "1 during a recovery, else 0", JobNumbers::recovering);
    counter(registry, job, "recoveries", "recoveries begun", JobNumbers::recoveries);
    for (Scope scope : Scope.values()) {
      counter(
          registry,
          job.and("scope", scope.name().toLowerCase(Locale.ROOT)),
          "rollbacks",
          "completed recoveries, by rollback: global, local, flow",
          n -> n.rollbacks(scope));
    }
    age(
        registry,
        job,
        "checkpoint.age",
        "time since the last checkpoint was committed",
        JobNumbers::checkpointAge);
    for (Recovery stage : Recovery.values()) {
      timer(
          registry,
          job,
          "recovery",
          "recoveries, by stage: join (H1), connect (H2), restore (H3)",
          stage);
    }
    for (Checkpoint part : Checkpoint.values()) {
      timer(
          registry,
          job,
          "checkpoint.stage",
          "checkpoints of rank 0, by stage: copy, encode, commit",
          part);
    }
  }

  private void bindRank(MeterRegistry registry, Tags tags, int rank) {
    gauge(registry, tags, "iteration", "current iteration of the rank", n -> n.iteration(rank));
    age(
        registry,
        tags,
        "heartbeat.age",
        "time since the last report of the rank",
        n -> n.age(rank));
    counter(registry, tags, "respawns", "replacement processes started", n -> n.respawns(rank));
    counter(
        registry,
        tags,
        "iterations.repeated",
        "iterations that the rank repeated, counted at the end of each loop",
        n -> n.repeated(rank));
    for (Counter counter : Counter.values()) {
      String name = counter.name().toLowerCase(Locale.ROOT).replace('_', '.');
      if (counter.isLevel()) {
        gauge(registry, tags, name, counter.meaning(), n -> n.value(rank, counter));
      } else if (name.endsWith(NANOS)) {
        FunctionCounter.builder(
                PREFIX + name.substring(0, name.length() - NANOS.length()),
                numbers,
                n -> n.value(rank, counter) / TimeUnit.SECONDS.toNanos(1))
            .description(counter.meaning())
            .baseUnit(SECONDS)
            .tags(tags)
            .register(registry);
      } else {
        counter(registry, tags, name, counter.meaning(), n -> n.value(rank, counter));
      }
    }
  }

  private void gauge(
      MeterRegistry registry,
      Tags tags,
      String name,
      String meaning,
      ToDoubleFunction<JobNumbers> value) {
    Gauge.builder(PREFIX + name, numbers, value).description(meaning).tags(tags).register(registry);
  }

  private void age(
      MeterRegistry registry,
      Tags tags,
      String name,
      String meaning,
      ToDoubleFunction<JobNumbers> seconds) {
    Gauge.builder(PREFIX + name, numbers, seconds)
        .description(meaning)
        .baseUnit(SECONDS)
        .tags(tags)
        .register(registry);
  }

  private void counter(
      MeterRegistry registry,
      Tags tags,
      String name,
      String meaning,
      ToDoubleFunction<JobNumbers> value) {
    FunctionCounter.builder(PREFIX + name, numbers, value)
        .description(meaning)
        .tags(tags)
        .register(registry);
  }

  private void timer(MeterRegistry registry, Tags job, String name, String meaning, Enum<?> stage) {
    FunctionTimer.builder(
            PREFIX + name, numbers, n -> n.count(stage), n -> n.nanos(stage), TimeUnit.NANOSECONDS)
        .description(meaning)
        .tags(job.and("stage", stage.name().toLowerCase(Locale.ROOT)))
        .register(registry);
  }
}
