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

/** Examines this machine: what there is, what is missing, and whether each transport works. */
public final class Doctor {
  /** Below it node memory is scarce even for small programs. */
  private static final long LEAST_NODE_MEMORY = 128L << 20;

  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

  private final List<TransportProvider> transports;
  private final @Nullable Path files;
  private final Consumer<Finding> report;
  private boolean well = true;

  /**
   * @param files where checkpoints are to be written to; null for nowhere
   * @param report gets each finding at once
   */
  public Doctor(
      List<TransportProvider> transports, @Nullable Path files, Consumer<Finding> report) {
    this.transports = transports;
    this.files = files;
    this.report = report;
  }

  /** Returns whether all that is there works. */
  public boolean examine() {
    report(Finding.ok("FMI " + version() + ", JDK " + Runtime.version() + " in " + javaHome()));
    report(machine());
    report(load());
    report(binding());
    report(idleFrequency(CpuFrequencies.CPUS));
    report(energy(EnergyCounters.POWERCAP));
    try {
      // Named as a job's, so that a later one deletes what is left if this is interrupted.
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
            + " of memory may be used");
  }

  private static Finding load() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    try {
      int cores = Files.readAllLines(ONLINE).stream().mapToInt(l -> CoreList.parse(l).length).sum();
      return load(system.getSystemLoadAverage(), cores);
    } catch (IOException e) {
      return Finding.missing("load: the system does not tell how many cores it has: " + e);
    }
  }

  /**
   * Whether others leave cores to a job.
   *
   * @param load how many threads of the whole machine ran or waited for a core, on average of a
   *     minute
   * @param cores of the whole machine
   */
  static Finding load(double load, int cores) {
    String text = String.format(Locale.ROOT, "load: %.1f on %s", load, count(cores, "core"));
    double free = cores - load;
    if (load < 0) {
      return Finding.missing("load: the system does not tell it");
    }
    return free >= 1
        ? Finding.ok(text)
        : Finding.missing(
            text
                + ", in the last minute: ranks would wait for other work on this machine; see who"
                + " it is (top), or use another host");
  }

  private static Finding binding() {
    UsableCores usable;
    try {
      usable = UsableCores.find();
    } catch (IOException e) {
      return Finding.missing("binding: which cores may be used is not known, none will be: " + e);
    }
    if (usable.cores().isEmpty()) {
      return Finding.missing("binding: the system does not tell which cores may be used");
    }
    int[] before = Affinity.ofCaller();
    return Affinity.bindCaller(usable.cores().getFirst()) && Affinity.bindCaller(before)
        ? Finding.ok(binding(usable))
        : Finding.missing(
            "binding: the system does not allow it (sched_setaffinity); ranks run on all cores");
  }

  /** What {@link org.fmi.job.control.CoreShare} means for a job of ranks on this machine. */
  static String binding(UsableCores usable) {
    int[] threads = usable.cores().stream().flatMapToInt(Arrays::stream).sorted().toArray();
    int most = Math.min(threads.length, usable.whole());
    int ofProcesses = Math.min(most, usable.cores().size() / 2);
    StringBuilder text =
        new StringBuilder("binding: ").append(count(usable.cores().size(), "core"));
    text.append(" (hardware threads ").append(CoreList.format(threads)).append("):");
    if (ofProcesses > 0) {
      text.append(" up to ").append(count(ofProcesses, "rank")).append(" with two or more each;");
    }
    if (most > ofProcesses) {
      String fewest = ofProcesses + 1 == most ? "" : ofProcesses + 1 + " to ";
      text.append(" with ").append(fewest).append(count(most, "rank"));
      text.append(" the thread that calls Fmi.init has one to itself;");
    }
    return text.append(most > 0 ? " more ranks are not bound" : " no rank is bound").toString();
  }

  /**
   * Whether cores can be slowed down. Nobody needs it who does not ask for it.
   *
   * @param cpus where the system has the cores
   */
  static Finding idleFrequency(Path cpus) {
    String problem = CpuFrequencies.problem(cpus, 0);
    return problem == null
        ? Finding.ok("--idle-frequency: cores can be slowed down while their ranks wait")
        : Finding.unused("--idle-frequency: " + problem);
  }

  /**
   * Whether energy can be measured.
   *
   * @param powercap where the system has what processors take
   */
  static Finding energy(Path powercap) {
    return new EnergyCounters(powercap).microjoules().isPresent()
        ? Finding.ok("energy: the metric fmi_node_joules has what the processors take")
        : Finding.unused(
            "energy: not measured, as "
                + powercap
                + "/intel-rapl:* cannot be read or is not there");
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
