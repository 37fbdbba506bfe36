package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.fmi.verbs.Structs.CmId;

/**
 * An address of this machine that belongs to an RDMA device.
 *
 * @param id the address of the {@code struct rdma_cm_id} bound to it
 * @param device the device's name
 * @param port the device's port
 */
record BoundAddress(long id, String device, int port, InetAddress address) {
  /**
   * Binds to the first address that belongs to an RDMA device with an active port.
   *
   * @param preferred the first address to try
   * @throws IOException if there is none; says what was tried
   */
  static BoundAddress find(ConnectionManager manager, Devices devices, InetAddress preferred)
      throws IOException {
    Set<InetAddress> candidates = new LinkedHashSet<>();
    if (!preferred.isLoopbackAddress()) {
      candidates.add(preferred);
    }
    candidates.addAll(addresses());
    List<String> tried = new ArrayList<>();
    String refusal = "";
    for (InetAddress candidate : candidates) {
      long id = manager.createId();
      if (!manager.bound(id, candidate)) {
        int error = manager.calls.errno();
        if (error != Native.ENODEV) { // the address belongs to no RDMA device
          refusal = "; the last error was: " + manager.calls.message(error);
        }
      } else {
        MemorySegment i = Native.at(id, CmId.USED_BYTES);
        long context = i.get(JAVA_LONG, CmId.VERBS);
        int number = i.get(JAVA_BYTE, CmId.PORT_NUM);
        if (context != 0) {
          String name =
              ConnectionManager.deviceName(Native.at(context, Long.BYTES).get(JAVA_LONG, 0));
          if (devices.active(name, number)) {
            return new BoundAddress(id, name, number, candidate);
          }
        }
      }
      tried.add(candidate.getHostAddress());
      manager.destroyId(id);
    }
    throw new IOException(
        "rdma: no IP address belongs to an RDMA device with an active port; devices: "
            + devices.ports()
            + ", addresses: "
            + tried
            + refusal
            + "; give the device's network interface (InfiniBand: IPoIB) an address");
  }

  private static List<InetAddress> addresses() throws IOException {
    List<InetAddress> v4 = new ArrayList<>();
    List<InetAddress> v6 = new ArrayList<>();
    for (NetworkInterface i : NetworkInterface.networkInterfaces().toList()) {
      if (i.isUp() && !i.isLoopback()) {
        i.inetAddresses()
            .filter(a -> !a.isLinkLocalAddress())
            .forEach(a -> (a instanceof Inet4Address ? v4 : v6).add(a));
      }
    }
    v4.addAll(v6);
    return v4;
  }
}
