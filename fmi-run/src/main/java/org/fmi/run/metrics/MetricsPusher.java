package org.fmi.run.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.ipc.http.HttpUrlConnectionSender;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Pushes all meters by OTLP over HTTP, every ten seconds and at the end. An unreachable receiver
 * does not affect the job: one notice reports it, and another reports its return.
 */
final class MetricsPusher {
  private static final Duration STEP = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** The logger of Micrometer; held here, because its level would be lost otherwise. */
  private static final Logger LOGGER = Logger.getLogger("io.micrometer");

  private final URI to;
  private final Consumer<String> say;
  private final OtlpMetricsSender sender;
  private final OtlpMeterRegistry registry;

  /** Used by the one thread that pushes at a time. */
  private volatile boolean away;

  private volatile boolean closing;

  MetricsPusher(URI to, String jobId, MeterBinder meters, Consumer<String> say) {
    LOGGER.setLevel(Level.OFF);
    this.to = to;
    this.say = say;
    this.sender = new OtlpHttpMetricsSender(new HttpUrlConnectionSender(PATIENCE, PATIENCE));
    this.registry =
        OtlpMeterRegistry.builder(new Config(to.toString(), jobId))
            .clock(Clock.SYSTEM)
            .threadFactory(Thread.ofPlatform().daemon().name("fmi-otlp").factory())
            .metricsSender(this::send)
            .build();
    meters.bindTo(registry);
  }

  /** Headers, such as for authentication, come from the usual variables for OTLP. */
  private record Config(String url, String jobId) implements OtlpConfig {
    @Override
    public @Nullable String get(String key) {
      return null;
    }

    @Override
    public Duration step() {
      return STEP;
    }

    @Override
    public Map<String, String> resourceAttributes() {
      return Map.of("service.name", "fmi", "service.instance.id", jobId);
    }
  }

  private void send(OtlpMetricsSender.Request request) {
    if (away && closing) {
      return; // the end of the job must not wait for it
    }
    try {
      sender.send(request);
      if (away) {
        away = false;
        say.accept("fmi: --metrics-otlp " + to + ": accepts metrics again");
      }
    } catch (Exception e) {
      if (!away) {
        away = true;
        say.accept(
            "fmi: --metrics-otlp "
                + to
                + ": does not accept metrics ("
                + reason(e)
                + "); the job continues, and retries every "
                + STEP.toSeconds()
                + " s");
      }
    }
  }

  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null
        ? cause.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }

  void close() {
    closing = true;
    registry.close();
  }
}
