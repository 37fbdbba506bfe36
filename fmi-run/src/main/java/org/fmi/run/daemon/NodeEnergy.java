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

/** The energy management of a daemon's machine: slows cores down, and reports the energy used. */
final class NodeEnergy {
  private final CpuFrequencies frequencies;
  private final EnergyCounters counters;
  private final Uplink uplink;
  private boolean refused;

  /**
   * Creates the energy management of one machine.
   *
   * @param cpus {@link CpuFrequencies#CPUS}, or a copy of it
   * @param powercap {@link EnergyCounters#POWERCAP}, or a copy of it
   * @param directory directory of the node
   */
  NodeEnergy(Path cpus, Path powercap, Path directory, Uplink uplink) {
    this.frequencies = new CpuFrequencies(cpus, directory);
    this.counters = new EnergyCounters(powercap);
    this.uplink = uplink;
    var _ = counters.microjoules(); // starts the count
  }

  /** Slows these cores down, and no others; if the system does not permit it, warns once. */
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
              "--idle-frequency: cores are not slowed down while their ranks wait: "
                  + e.getMessage()
                  + "; run fmi doctor to see what is missing"));
    }
  }

  /** Adds the energy used by the processors, if known. */
  Map<Counter, Long> with(Map<Counter, Long> levels) {
    Map<Counter, Long> all = new EnumMap<>(levels);
    OptionalLong microjoules = counters.microjoules();
    if (microjoules.isPresent()) {
      all.put(Counter.NODE_JOULES, TimeUnit.MICROSECONDS.toSeconds(microjoules.getAsLong()));
    }
    return all;
  }
}
