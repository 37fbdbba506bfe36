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
 * The metrics of a job: serves and pushes them. Created only on request, because it loads
 * third-party classes.
 */
public final class JobMetrics {
  private final JobNumbers numbers;
  private final RankMeters ofProgram;
  private final @Nullable MetricsServer server;
  private final @Nullable MetricsPusher pusher;

  /**
   * Starts to serve and push.
   *
   * @param listenAt address for Prometheus; null for none
   * @param pushTo receiver of OTLP over HTTP; null for none
   * @param say takes notices for the user
   * @throws IOException if the address cannot be used
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

  /** Returns the address that serves metrics; null if there is none. */
  public @Nullable URI address() {
    return server == null ? null : server.address();
  }

  /** Notes that the daemon of a node is up. */
  public void nodeUp(int node) {
    numbers.nodeUp(node);
  }

  /** Notes a new process of a rank. */
  public void spawned(int rank, int incarnation) {
    numbers.spawned(rank, incarnation);
    ofProgram.spawned(rank);
  }

  /** Takes reports of ranks of a node. */
  public void reported(FromDaemon.Reports message) {
    numbers.reported(message).forEach(shown -> ofProgram.reported(shown.rank(), shown.report()));
  }

  /** Takes an event. */
  public void on(Notice notice) {
    numbers.on(notice);
  }

  /** Pushes the last values; takes a second or two if the receiver does not answer. */
  public void close() {
    if (pusher != null) {
      pusher.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
