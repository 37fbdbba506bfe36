package org.fmi.run.energy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a copy of the files of Linux. */
final class EnergyCountersTest {
  private static final long RANGE = 1_000_000;

  @TempDir private Path powercap;

  private void has(String zone, long microjoules) throws IOException {
    Path directory = Files.createDirectories(powercap.resolve(zone));
    Files.writeString(directory.resolve("energy_uj"), microjoules + "\n");
    Files.writeString(directory.resolve("max_energy_range_uj"), RANGE + "\n");
  }

  @Test
  void addsUpAllProcessors() throws IOException {
    has("intel-rapl:0", 500);
    has("intel-rapl:0:0", 400); // a part of it
    has("intel-rapl:1", RANGE - 10);
    has("dtpm", 77);
    EnergyCounters counters = new EnergyCounters(powercap);
    assertThat(counters.microjoules()).hasValue(0);
    has("intel-rapl:0", 800);
    has("intel-rapl:0:0", 700);
    assertThat(counters.microjoules()).hasValue(300);
    has("intel-rapl:1", 20); // it has come round
    assertThat(counters.microjoules()).hasValue(330);
  }

  @Test
  void knowsNothingWhereTheSystemDoesNotTell() {
    assertThat(new EnergyCounters(powercap).microjoules()).isEmpty();
    assertThat(new EnergyCounters(powercap.resolve("none")).microjoules()).isEmpty();
  }
}
