package org.fmi.run.metrics;

import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.function.Consumer;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * Lets others measure a job: serves its numbers, and pushes them. Exists only if that was asked
 * for, as it brings classes of others.
 */
public final class JobMetrics {
  private final JobNumbers numbers;
  private final RankMeters ofProgram;
  private final @Nullable MetricsServer server;
  private final @Nullable MetricsPusher pusher;

  /**
   * Begins to serve and push.
   *
   * @param listenAt where to be asked by Prometheus; null not at all
   * @param pushTo who gets them by OTLP over HTTP; null nobody
   * @param say tells the user a line
   * @throws IOException if nobody can listen there
   */
  public JobMetrics(
      JobSpec spec,
      String jobId,
      @Nullable InetSocketAddress listenAt,
      @Nullable URI pushTo,
      Consumer<String> say)
      throws IOException {
    numbers = new JobNumbers(spec, System::nanoTime);
    JobMeters meters = new JobMeters(numbers, jobId);
    ofProgram = new RankMeters(jobId, spec.size());
    MeterBinder all =
        registry -> {
          meters.bindTo(registry);
          ofProgram.bindTo(registry);
        };
    server = listenAt == null ? null : new MetricsServer(listenAt, all);
    pusher = pushTo == null ? null : new MetricsPusher(pushTo, jobId, all, say);
  }

  /** Where it can be asked; null if nowhere. */
  public @Nullable URI address() {
    return server == null ? null : server.address();
  }

  /** The daemon of a node is up. */
  public void nodeUp(int node) {
    numbers.nodeUp(node);
  }

  /** A process is being started for a rank. */
  public void spawned(int rank, int incarnation) {
    numbers.spawned(rank, incarnation);
    ofProgram.spawned(rank);
  }

  /** What ranks of a node show. */
  public void reported(FromDaemon.Reports message) {
    numbers.reported(message).forEach(shown -> ofProgram.reported(shown.rank(), shown.report()));
  }

  /** Something happened. */
  public void on(Notice notice) {
    numbers.on(notice);
  }

  /** Pushes the last numbers; takes a second or two if nobody answers. */
  public void close() {
    if (pusher != null) {
      pusher.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
