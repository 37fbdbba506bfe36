package org.fmi.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Proxy;
import org.fmi.Fmi;
import org.fmi.control.Metered;
import org.junit.jupiter.api.Test;

class FmiMetricsTest {
  @Test
  void aJobOfOneHasOneRegistry() {
    try (Fmi fmi = Fmi.init()) {
      MeterRegistry registry = FmiMetrics.of(fmi);
      registry.counter("tasks").increment();
      assertThat(FmiMetrics.of(fmi)).isSameAs(registry);
      assertThat(((Metered) fmi).meters(ReadRegistry::new))
          .isInstanceOfSatisfying(
              ReadRegistry.class,
              read ->
                  assertThat(read.read()).singleElement().extracting("name").isEqualTo("tasks"));
    }
  }

  @Test
  void anotherFmiHasNone() {
    Fmi other =
        (Fmi)
            Proxy.newProxyInstance(
                Fmi.class.getClassLoader(), new Class<?>[] {Fmi.class}, (_, _, _) -> null);
    assertThatThrownBy(() -> FmiMetrics.of(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("shows no meters: give the Fmi that Fmi.init has returned");
  }
}
