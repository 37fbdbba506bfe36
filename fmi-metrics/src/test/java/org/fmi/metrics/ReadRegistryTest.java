package org.fmi.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.fmi.control.MeterReading;
import org.junit.jupiter.api.Test;

final class ReadRegistryTest {
  private final ReadRegistry read = new ReadRegistry();
  private final MeterRegistry registry = read.registry();

  @Test
  void readsWhatIsCounted() {
    registry.counter("tasks", "kind", "large").increment(3);
    assertThat(read.read())
        .containsExactly(
            new MeterReading(
                "tasks", "COUNTER", "", "", Map.of("kind", "large"), Map.of("COUNT", 3.0)));
  }

  @Test
  void readsAllThatATimerShows() {
    registry.timer("step").record(Duration.ofSeconds(2));
    registry.timer("step").record(Duration.ofSeconds(1));
    assertThat(read.read())
        .containsExactly(
            new MeterReading(
                "step",
                "TIMER",
                "seconds",
                "",
                Map.of(),
                Map.of("COUNT", 2.0, "TOTAL_TIME", 3.0, "MAX", 2.0)));
  }

  @Test
  void aFunctionThatThrowsShowsNoNumber() {
    Gauge.builder("depth", () -> Integer.parseInt("deep"))
        .description("of the queue")
        .register(registry);
    FunctionCounter.builder("read", this, _ -> Integer.parseInt("many")).register(registry);
    registry.counter("tasks").increment();
    assertThat(read.read())
        .extracting(MeterReading::name)
        .containsExactlyInAnyOrder("depth", "read", "tasks");
    assertThat(read.read())
        .filteredOn(reading -> !reading.name().equals("tasks"))
        .allSatisfy(reading -> assertThat(reading.values().values()).containsOnly(Double.NaN));
  }

  @Test
  void showsSoManyAndNoMore() {
    for (int i = 0; i < 2 * ReadRegistry.MOST; i++) {
      registry.counter("count", "of", Integer.toString(i));
    }
    assertThat(read.read()).hasSize(ReadRegistry.MOST);
  }
}
