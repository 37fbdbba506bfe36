package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.fmi.verbs.Structs.AsyncEvent;
import org.fmi.verbs.Structs.CompletionChannel;
import org.fmi.verbs.Structs.Context;
import org.fmi.verbs.Structs.DeviceAttributes;
import org.fmi.verbs.Structs.PortAttributes;
import org.jspecify.annotations.Nullable;

/** The attributes and events of a device, for all providers, which share its context. */
public final class OpenDevice {
  private final ConnectionManager manager;
  private final MemorySegment event;
  private final int descriptor;

  /** The device of a manager. */
  OpenDevice(ConnectionManager manager, Arena arena) throws IOException {
    this.manager = manager;
    event = arena.allocate(AsyncEvent.BYTES, Long.BYTES);
    descriptor = Native.at(manager.context(), Context.USED_BYTES).get(JAVA_INT, Context.ASYNC_FD);
    // The library opens a device once per process: its other users read from the same descriptor.
    manager.calls.setNonBlocking(descriptor);
  }

  /** See {@link Verbs#limits}. */
  public Verbs.Limits limits() throws IOException {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment a = own.allocate(DeviceAttributes.BYTES, Long.BYTES);
      int error = manager.calls.call(manager.lib.queryDevice, manager.context(), a.address());
      if (error != 0) {
        throw manager.failed("ibv_query_device", error);
      }
      return new Verbs.Limits(
          a.get(JAVA_INT, DeviceAttributes.MAX_QP_WR),
          a.get(JAVA_INT, DeviceAttributes.MAX_SRQ_WR),
          a.get(JAVA_INT, DeviceAttributes.MAX_CQE));
    }
  }

  /** See {@link Verbs#longestMessage}. */
  public int longestMessage() throws IOException {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment a = own.allocate(PortAttributes.BYTES, Long.BYTES);
      int error =
          manager.calls.callWithByte(
              manager.lib.queryPort, manager.context(), (byte) manager.port(), a.address());
      if (error != 0) {
        throw manager.failed("ibv_query_port", error);
      }
      // An unsigned number of 32 bits.
      int most = a.get(JAVA_INT, PortAttributes.MAX_MSG_SZ);
      return most < 0 ? Integer.MAX_VALUE : most;
    }
  }

  /** See {@link Verbs#deviceFailure}. */
  public @Nullable String failure() throws IOException {
    Native calls = manager.calls;
    String failure = null;
    while (calls.call(manager.lib.getAsyncEvent, manager.context(), event.address()) == 0) {
      int type = event.get(JAVA_INT, AsyncEvent.EVENT_TYPE);
      if (type == AsyncEvent.DEVICE_FATAL) {
        failure = manager.describe() + ": the device has failed";
      } else if (type == AsyncEvent.PORT_ERR
          && event.get(JAVA_INT, AsyncEvent.ELEMENT) == manager.port()
          // The event may be old, as an epoch without RDMA reads none: the port may be up again.
          && !manager.portIsActive()) {
        failure = manager.describe() + ": the port is down";
      }
      calls.run(manager.lib.ackAsyncEvent, event.address());
    }
    int error = calls.errno();
    if (error == Native.EIO) {
      manager.setRemoved();
    } else if (error != Native.EAGAIN) {
      throw manager.failed("ibv_get_async_event", error);
    }
    return manager.removed() ? manager.describe() + ": the device was removed" : failure;
  }

  /** See {@link Verbs#failureDescriptor}. */
  public int failureDescriptor() {
    return descriptor;
  }

  /**
   * See {@link Verbs#completionDescriptor}.
   *
   * @param channel the address of a {@code struct ibv_comp_channel}
   */
  public static int completionDescriptor(long channel) {
    return Native.at(channel, CompletionChannel.USED_BYTES).get(JAVA_INT, CompletionChannel.FD);
  }
}
