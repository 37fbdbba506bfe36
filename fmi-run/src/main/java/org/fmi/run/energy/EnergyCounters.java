package org.fmi.run.energy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The energy used by the processors of this machine: RAPL, as provided by Linux. Most systems let
 * only root read it; virtual machines have none.
 */
public final class EnergyCounters {
  /** The directory in Linux. */
  public static final Path POWERCAP = Path.of("/sys/class/powercap");

  private final Path powercap;

  /** The last readings, by processor. */
  private final Map<Path, Long> last = new TreeMap<>();

  private long microjoules;

  /**
   * @param powercap {@link #POWERCAP}, or a copy of it
   */
  public EnergyCounters(Path powercap) {
    this.powercap = powercap;
  }

  /**
   * Returns the microjoules since the first call; empty if unknown. Must be called before the
   * counters wrap around twice, which takes minutes at least.
   */
  public OptionalLong microjoules() {
    boolean found = false;
    try (DirectoryStream<Path> packages = Files.newDirectoryStream(powercap, "intel-rapl:[0-9]*")) {
      for (Path each : packages) {
        found |= add(each);
      }
    } catch (IOException | DirectoryIteratorException e) {
      return OptionalLong.empty();
    }
    return found ? OptionalLong.of(microjoules) : OptionalLong.empty();
  }

  private boolean add(Path processor) throws IOException {
    // Part of another counter has a second number: intel-rapl:0:1.
    String name = String.valueOf(processor.getFileName());
    if (name.indexOf(':') != name.lastIndexOf(':')) {
      return false;
    }
    long now = read(processor.resolve("energy_uj"));
    Long before = last.put(processor, now);
    if (before != null) {
      long more = now - before;
      microjoules += more < 0 ? more + read(processor.resolve("max_energy_range_uj")) : more;
    }
    return true;
  }

  private static long read(Path file) throws IOException {
    return Long.parseLong(Files.readString(file, StandardCharsets.US_ASCII).strip());
  }
}
