package org.fmi.transport.rdma;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.fmi.spi.Finding;
import org.fmi.verbs.Devices;
import org.fmi.verbs.Library;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.PortQuery;
import org.fmi.verbs.VerbsProvider;

/** RDMA's requirements of a machine, and whether this one meets them. */
final class Diagnosis {
  private static final int MANY_PEERS = 1000;

  private final Devices devices;

  /** False without a device, where nothing else is needed unless the user asks for RDMA. */
  private final boolean wanted;

  /** The findings; a missing library is one finding, however many ports need it. */
  private final Set<Finding> findings = new LinkedHashSet<>();

  /**
   * A diagnosis of these devices.
   *
   * @param asked whether the user has chosen a provider
   */
  Diagnosis(Devices devices, boolean asked) {
    this.devices = devices;
    this.wanted = asked || !isWithoutDevice(devices);
  }

  private static boolean isWithoutDevice(Devices devices) {
    try {
      return devices.ports().isEmpty();
    } catch (IOException e) {
      return false; // reported as a finding
    }
  }

  private interface Item {
    /**
     * Describes the item.
     *
     * @throws IOException if it is missing; says what would help
     */
    String describe() throws IOException;
  }

  List<Finding> findings() {
    add(
        () -> {
          VerbsProvider provider = VerbsProvider.chosen();
          return "verbs provider " + provider.name() + ": " + provider.check();
        });
    for (Library library : Library.values()) {
      add(
          () -> {
            library.load();
            return library + " loads";
          });
    }
    add(() -> lockedMemory(LockedMemory.limit(), LockedMemory.exempt(), VerbsProvider.chosen()));
    try {
      List<Devices.Port> ports = devices.ports();
      if (ports.isEmpty()) {
        devices.check();
      }
      for (Devices.Port port : ports) {
        add(() -> describe(port));
      }
    } catch (IOException e) {
      missing(e);
    }
    return List.copyOf(findings);
  }

  private void add(Item item) {
    try {
      findings.add(Finding.ok("rdma: " + item.describe()));
    } catch (IOException e) {
      missing(e);
    }
  }

  private void missing(IOException e) {
    String text = e instanceof FileSystemException ? "rdma: " + e : String.valueOf(e.getMessage());
    findings.add(wanted ? Finding.missing(text) : Finding.unused(text));
  }

  private String describe(Devices.Port port) throws IOException {
    String described = port + ", " + devices.linkLayer(port);
    if (!port.active()) {
      throw new IOException("rdma: " + described + "; is a cable or the subnet manager missing?");
    }
    return described
        + ", MTU "
        + new PortQuery().activeMtu(port)
        + ", GIDs "
        + String.join(" ", devices.gids(port));
  }

  /**
   * Describes the limit of locked memory.
   *
   * @throws IOException if it is too low for any rank
   */
  static String lockedMemory(long limit, boolean exempt, VerbsProvider provider)
      throws IOException {
    long least = locked(1, provider);
    String described =
        "locked memory (ulimit -l): "
            + LockedMemory.kib(limit)
            + "; a rank needs "
            + LockedMemory.kib(least)
            + ", with "
            + MANY_PEERS
            + " peers "
            + LockedMemory.kib(locked(MANY_PEERS, provider));
    if (limit >= least) {
      return described;
    }
    if (exempt) {
      return described + "; this process is exempt (CAP_IPC_LOCK)";
    }
    throw new IOException("rdma: " + described + "; " + LockedMemory.WAY_OUT);
  }

  /**
   * The most bytes that a rank locks for its buffers and queues: in a recovery it opens the next
   * epoch's transport before it closes the previous one.
   */
  static long locked(int peers, VerbsProvider provider) {
    int last = SendPool.FRAMES + ReceivePool.most(peers);
    int next = SendPool.FRAMES + ReceivePool.most(1);
    // Each peer may briefly have two connections, when both dial; and the next epoch has one.
    long connections = 2L * peers + 1;
    return (long) (last + next) * Slab.FRAME_BYTES
        + connections
            * provider.lockedBytes(RdmaTransport.DEPTH, ReceivePool.IN_FLIGHT, Slab.FRAME_BYTES);
  }
}
