package org.fmi.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The amount of memory that this process may lock. Devices access locked memory only. */
public final class LockedMemory {
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** The way to raise the limit. */
  public static final String WAY_OUT =
      "set 'ulimit -l unlimited' where ranks start (limits.conf: memlock; slurmd:"
          + " LimitMEMLOCK=infinity)";

  private static final String LIMIT = "Max locked memory";
  private static final String CAPABILITIES = "CapEff:";
  private static final long IPC_LOCK = 1 << 14;
  private static final Path USERS = Path.of("/proc/self/uid_map");
  private static final String ALL_USERS = "0 0 4294967295";

  private LockedMemory() {}

  /** The limit in bytes, or {@link #UNLIMITED}. */
  public static long limit() throws IOException {
    return limit(Files.readAllLines(Path.of("/proc/self/limits")));
  }

  static long limit(List<String> limits) throws IOException {
    String soft = value(limits, LIMIT).split("\\s+", 2)[0];
    return soft.equals("unlimited") ? UNLIMITED : Long.parseLong(soft);
  }

  /**
   * Whether this process is exempt from the limit, as root's are: it has CAP_IPC_LOCK, and not only
   * in a user namespace, such as the namespace of a rootless container, where the capability
   * exempts from nothing.
   */
  public static boolean exempt() throws IOException {
    return exempt(
        Files.readAllLines(Path.of("/proc/self/status")),
        // A kernel without user namespaces has no such file.
        Files.exists(USERS) ? Files.readAllLines(USERS) : List.of(ALL_USERS));
  }

  static boolean exempt(List<String> status, List<String> users) throws IOException {
    boolean initial =
        users.size() == 1 && users.getFirst().strip().replaceAll(" +", " ").equals(ALL_USERS);
    return initial && (Long.parseUnsignedLong(value(status, CAPABILITIES), 16) & IPC_LOCK) != 0;
  }

  /** The machine's memory in bytes, the upper bound of locked memory. */
  public static long machineBytes() throws IOException {
    return machineBytes(Files.readAllLines(Path.of("/proc/meminfo")));
  }

  static long machineBytes(List<String> meminfo) throws IOException {
    return Long.parseLong(value(meminfo, "MemTotal:").split("\\s+", 2)[0]) << 10;
  }

  private static String value(List<String> lines, String name) throws IOException {
    for (String line : lines) {
      if (line.startsWith(name)) {
        return line.substring(name.length()).strip();
      }
    }
    throw new IOException("the kernel does not report '" + name + "'");
  }

  /** For a person: the size in the unit of {@code ulimit -l}. */
  public static String kib(long bytes) {
    return bytes == UNLIMITED ? "unlimited" : Math.ceilDiv(bytes, 1024) + " KiB";
  }

  /** For a person: a limit that is too low, and how to raise it. */
  public static String limited(long bytes) {
    return limited(kib(bytes));
  }

  private static String limited(String limit) {
    return "the limit of this process (ulimit -l) is " + limit + "; " + WAY_OUT;
  }

  /** The most likely meaning of a refusal for lack of memory. */
  public static String refused() {
    String limit;
    try {
      limit = kib(limit());
    } catch (IOException e) {
      limit = "unknown: " + e.getMessage();
    }
    return "RDMA needs locked memory, and " + limited(limit);
  }
}
