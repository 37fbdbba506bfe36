package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Counter;
import org.fmi.job.control.FromDaemon;
import org.fmi.run.energy.CpuFrequencies;
import org.fmi.run.energy.EnergyCounters;

/** What a daemon does about its machine's energy: it slows cores down, and shows what was taken. */
final class NodeEnergy {
  private final CpuFrequencies frequencies;
  private final EnergyCounters counters;
  private final Uplink uplink;
  private boolean refused;

  /**
   * The energy of one machine.
   *
   * @param cpus {@link CpuFrequencies#CPUS}, or a copy of it
   * @param powercap {@link EnergyCounters#POWERCAP}, or a copy of it
   * @param directory of the node
   */
  NodeEnergy(Path cpus, Path powercap, Path directory, Uplink uplink) {
    this.frequencies = new CpuFrequencies(cpus, directory);
    this.counters = new EnergyCounters(powercap);
    this.uplink = uplink;
    var _ = counters.microjoules(); // from here on
  }

  /** Only these cores run slowly; where the system does not allow it, a line says so once. */
  void slowDown(List<Integer> cores, int megahertz) {
    if (refused) {
      return;
    }
    try {
      frequencies.slowDown(cores, megahertz);
    } catch (IOException e) {
      refused = true;
      uplink.send(
          new FromDaemon.Warning(
              "cores run as fast as always while their ranks wait (--idle-frequency): "
                  + e.getMessage()
                  + "; fmi doctor says what is missing"));
    }
  }

  /** With what the processors have taken, where the system tells. */
  Map<Counter, Long> with(Map<Counter, Long> levels) {
    Map<Counter, Long> all = new EnumMap<>(levels);
    OptionalLong microjoules = counters.microjoules();
    if (microjoules.isPresent()) {
      all.put(Counter.NODE_JOULES, TimeUnit.MICROSECONDS.toSeconds(microjoules.getAsLong()));
    }
    return all;
  }
}
