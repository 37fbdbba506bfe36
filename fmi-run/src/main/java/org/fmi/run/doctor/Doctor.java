package org.fmi.run.doctor;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.job.control.CoreList;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.daemon.UsableCores;
import org.fmi.run.energy.CpuFrequencies;
import org.fmi.run.energy.EnergyCounters;
import org.fmi.run.process.Affinity;
import org.fmi.spi.Finding;
import org.fmi.spi.TransportProvider;
import org.jspecify.annotations.Nullable;

/** Checks this machine: its resources, what is missing, and whether each transport works. */
public final class Doctor {
  /** Below this limit, node memory is scarce even for small programs. */
  private static final long LEAST_NODE_MEMORY = 128L << 20;

  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

  private final List<TransportProvider> transports;
  private final @Nullable Path files;
  private final Consumer<Finding> report;
  private boolean well = true;

  /**
   * @param files directory for checkpoints; null for none
   * @param report receives each finding at once
   */
  public Doctor(
      List<TransportProvider> transports, @Nullable Path files, Consumer<Finding> report) {
    this.transports = transports;
    this.files = files;
    this.report = report;
  }

  /** Returns whether everything present works. */
  public boolean examine() {
    report(Finding.ok("FMI " + version() + ", JDK " + Runtime.version() + " in " + javaHome()));
    report(machine());
    report(load());
    report(binding());
    report(idleFrequency(CpuFrequencies.CPUS));
    report(energy(EnergyCounters.POWERCAP));
    try {
      // Named like a job's directory, so that a later job deletes it if this is interrupted.
      SecureRandom random = new SecureRandom();
      byte[] id = new byte[6];
      byte[] secret = new byte[32];
      random.nextBytes(id);
      random.nextBytes(secret);
      NodeDirectory directory = NodeDirectory.create(HexFormat.of().formatHex(id), 0, 0, secret);
      try {
        report(nodeMemory(directory));
        for (TransportProvider transport : transports) {
          transport.diagnose().forEach(this::report);
          if (transport.present()) {
            report(loopback(transport, directory.path()));
          }
        }
      } finally {
        directory.destroy();
      }
    } catch (IOException e) {
      report(Finding.failed("node memory: " + e + "; make /dev/shm writable"));
    }
    new SlurmTrial(System.getenv()).findings().forEach(this::report);
    if (files != null) {
      new FilesTrial(files, new PosixTarget()).findings().forEach(this::report);
    }
    return well;
  }

  private void report(Finding finding) {
    well &= finding.kind() != Finding.Kind.FAILED;
    report.accept(finding);
  }

  private static @Nullable String version() {
    return Doctor.class.getPackage().getImplementationVersion();
  }

  private static String javaHome() {
    return System.getProperty("java.home");
  }

  private static Finding machine() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return Finding.ok(
        Runtime.getRuntime().availableProcessors()
            + " cores and "
            + mib(system.getTotalMemorySize())
            + " of memory");
  }

  private static Finding load() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    try {
      int cores = Files.readAllLines(ONLINE).stream().mapToInt(l -> CoreList.parse(l).length).sum();
      return load(system.getSystemLoadAverage(), cores);
    } catch (IOException e) {
      return Finding.missing("load: the number of cores is unknown: " + e);
    }
  }

  /**
   * Checks whether other work leaves cores to a job.
   *
   * @param load threads of the whole machine that ran or waited for a core, averaged over a minute
   * @param cores cores of the whole machine
   */
  static Finding load(double load, int cores) {
    String text = String.format(Locale.ROOT, "load: %.1f on %s", load, count(cores, "core"));
    double free = cores - load;
    if (load < 0) {
      return Finding.missing("load: unknown on this system");
    }
    return free >= 1
        ? Finding.ok(text)
        : Finding.missing(
            text
                + " in the last minute: ranks would wait for other work on this machine; find that"
                + " work (top), or use another host");
  }

  private static Finding binding() {
    UsableCores usable;
    try {
      usable = UsableCores.find();
    } catch (IOException e) {
      return Finding.missing("binding: the usable cores are unknown, so ranks are not bound: " + e);
    }
    if (usable.cores().isEmpty()) {
      return Finding.missing("binding: the usable cores are unknown on this system");
    }
    int[] before = Affinity.ofCaller();
    return Affinity.bindCaller(usable.cores().getFirst()) && Affinity.bindCaller(before)
        ? Finding.ok(binding(usable))
        : Finding.missing(
            "binding: not permitted by the system (sched_setaffinity); ranks run on all cores");
  }

  /** Describes {@link org.fmi.job.control.CoreShare} for a job on this machine. */
  static String binding(UsableCores usable) {
    int[] threads = usable.cores().stream().flatMapToInt(Arrays::stream).sorted().toArray();
    int most = Math.min(threads.length, usable.whole());
    int ofProcesses = Math.min(most, usable.cores().size() / 2);
    StringBuilder text =
        new StringBuilder("binding: ").append(count(usable.cores().size(), "core"));
    text.append(" (hardware threads ").append(CoreList.format(threads)).append("):");
    if (ofProcesses > 0) {
      text.append(" up to ")
          .append(count(ofProcesses, "rank"))
          .append(" with two or more cores each;");
    }
    if (most > ofProcesses) {
      String fewest = ofProcesses + 1 == most ? "" : ofProcesses + 1 + " to ";
      text.append(" with ").append(fewest).append(count(most, "rank"));
      text.append(" each thread that calls Fmi.init has a dedicated core;");
    }
    return text.append(most > 0 ? " more ranks are not bound" : " no rank is bound").toString();
  }

  /**
   * Checks whether cores can be slowed down, which is optional.
   *
   * @param cpus directory of the cores
   */
  static Finding idleFrequency(Path cpus) {
    String problem = CpuFrequencies.problem(cpus, 0);
    return problem == null
        ? Finding.ok("--idle-frequency: cores can be slowed down while their ranks wait")
        : Finding.unused("--idle-frequency: " + problem);
  }

  /**
   * Checks whether energy can be measured.
   *
   * @param powercap directory of the energy counters
   */
  static Finding energy(Path powercap) {
    return new EnergyCounters(powercap).microjoules().isPresent()
        ? Finding.ok("energy: measured by the metric fmi_node_joules")
        : Finding.unused(
            "energy: not measured, because "
                + powercap
                + "/intel-rapl:* is missing or cannot be read");
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private static Finding nodeMemory(NodeDirectory directory) throws IOException {
    String free = mib(directory.free()) + " free for checkpoints and messages within the node";
    if (!NodeDirectory.inMemory()) {
      return Finding.missing(
          "/dev/shm: checkpoints go to "
              + directory.path().getParent()
              + ", which may be a slow disk; mount a tmpfs at /dev/shm");
    }
    return directory.free() < LEAST_NODE_MEMORY
        ? Finding.missing(
            "/dev/shm: only "
                + free
                + "; make it larger (mount -o remount,size=..., docker --shm-size)")
        : Finding.ok("/dev/shm: " + free);
  }

  private static String mib(long bytes) {
    return (bytes >> 20) + " MiB";
  }

  private static Finding loopback(TransportProvider transport, Path nodeDirectory) {
    String name = transport.name() + " loopback: ";
    try {
      return Finding.ok(
          String.format(
              Locale.ROOT,
              "%shalf a round trip takes %.1f us",
              name,
              Loopback.run(transport, nodeDirectory)));
    } catch (IOException | RuntimeException e) {
      return Finding.failed(name + e.getMessage());
    }
  }
}
