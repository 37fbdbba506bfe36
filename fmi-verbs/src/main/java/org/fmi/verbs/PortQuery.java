package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.fmi.verbs.Structs.PortAttributes;

/** Queries libibverbs for attributes of a port that the kernel's files lack. */
public final class PortQuery {
  private final MemorySegment getDeviceList;
  private final MemorySegment freeDeviceList;
  private final MemorySegment openDevice;
  private final MemorySegment closeDevice;
  private final MemorySegment queryPort;

  /**
   * Loads the library.
   *
   * @throws IOException if it is missing
   */
  public PortQuery() throws IOException {
    SymbolLookup verbs = Library.VERBS.load();
    getDeviceList = Native.function(verbs, "ibv_get_device_list");
    freeDeviceList = Native.function(verbs, "ibv_free_device_list");
    openDevice = Native.function(verbs, "ibv_open_device");
    closeDevice = Native.function(verbs, "ibv_close_device");
    queryPort = Native.function(verbs, "ibv_query_port");
  }

  /**
   * The largest payload of a packet, in bytes.
   *
   * @throws IOException if the library cannot use the device; says what would help
   */
  public int activeMtu(Devices.Port port) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Native calls = new Native(arena);
      long context = open(calls, port.device());
      try {
        MemorySegment attributes = arena.allocate(PortAttributes.BYTES, Long.BYTES);
        byte number = (byte) Integer.parseInt(port.number());
        int error = calls.callWithByte(queryPort, context, number, attributes.address());
        if (error != 0) {
          throw new IOException(
              "rdma: " + port.device() + ": ibv_query_port: " + calls.message(error));
        }
        return PortAttributes.MTU_BASE << attributes.get(JAVA_INT, PortAttributes.ACTIVE_MTU);
      } finally {
        calls.call(closeDevice, context);
      }
    }
  }

  private long open(Native calls, String device) throws IOException {
    long list = calls.pointer(getDeviceList, 0);
    if (list == 0) {
      throw new IOException("rdma: ibv_get_device_list: " + calls.message(calls.errno()));
    }
    try {
      for (long entry = list; ; entry += Long.BYTES) {
        long found = Native.at(entry, Long.BYTES).get(JAVA_LONG, 0);
        if (found == 0) {
          throw new IOException(
              "rdma: "
                  + device
                  + ": "
                  + Library.VERBS
                  + " has no driver for it; install the device's provider (Debian:"
                  + " ibverbs-providers)");
        }
        if (!ConnectionManager.deviceName(found).equals(device)) {
          continue;
        }
        long context = calls.pointer(openDevice, found);
        if (context == 0) {
          throw new IOException(
              "rdma: "
                  + device
                  + ": cannot be opened: "
                  + calls.message(calls.errno())
                  + "; is /dev/infiniband/uverbs* there, and accessible?");
        }
        return context;
      }
    } finally {
      calls.run(freeDeviceList, list);
    }
  }
}
