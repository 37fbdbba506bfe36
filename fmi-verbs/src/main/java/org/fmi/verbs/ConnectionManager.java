package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.fmi.verbs.Structs.CmEvent;
import org.fmi.verbs.Structs.CmId;
import org.fmi.verbs.Structs.Device;
import org.fmi.verbs.Structs.EventChannel;
import org.fmi.verbs.Structs.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections by {@code librdmacm}, which finds devices and routes by IP addresses. Serves
 * all providers, which supply the queue pairs.
 *
 * <pre>
 *   dial: rdma_resolve_addr --ADDR_RESOLVED--> rdma_resolve_route --ROUTE_RESOLVED--> rdma_connect
 *                                                          --ESTABLISHED | REJECTED | UNREACHABLE..-->
 *   listen:     --CONNECT_REQUEST--> rdma_accept --ESTABLISHED-->          --DISCONNECTED-->
 * </pre>
 *
 * The library executes the queue pair's transitions.
 */
public final class ConnectionManager {
  /** The time limit for resolving an address, and for resolving a route. */
  static final int RESOLVE_MILLIS = 4_000;

  private static final int BACKLOG = 1024;
  private static final int[] INLINE_ATTEMPTS = {1, 2, 4, 0};

  private final Arena arena = Arena.ofShared();
  final Native calls = new Native(arena);
  final NativeFunctions lib;
  private final MemorySegment result = arena.allocate(JAVA_LONG);
  private final long channel;
  private final int descriptor;
  private long listener;
  private InetSocketAddress address;
  private String device = "";
  private final OpenDevice openDevice;
  private int port;
  private int inline;
  private boolean removed;

  /** By the address of their id. */
  private final Map<Long, ManagedConnection> connections = new HashMap<>();

  private @Nullable QueuePairs queuePairs;

  /** Creates queue pairs; implemented by a provider. */
  @FunctionalInterface
  public interface QueuePairs {
    /**
     * Creates a queue pair.
     *
     * @param id the address of the connection's {@code struct rdma_cm_id}
     * @param inline the bytes that a send should carry in the work request
     * @throws IOException if the device refuses
     */
    QueuePair create(long id, int inline) throws IOException;
  }

  /** A connection's queue pair. The manager executes its transitions. */
  public interface QueuePair {
    /** See {@link RdmaConnection#number}. */
    int number();

    /** The bytes that a send may carry in the work request, possibly fewer than requested. */
    int inline();

    /**
     * Posts work.
     *
     * @param opcode a constant of {@code enum ibv_wr_opcode}
     * @param flags of {@code enum ibv_send_flags}
     * @param remoteAddress the address to read in the peer's memory
     * @param remoteKey the key of that memory
     * @throws IOException if the device takes no more
     */
    void post(
        int opcode,
        long id,
        long address,
        int bytes,
        int key,
        int immediate,
        int flags,
        long remoteAddress,
        int remoteKey)
        throws IOException;

    /** Frees it. */
    void close();
  }

  /**
   * Finds a device with an active port and an IP address.
   *
   * @param preferred the address to use if it belongs to an RDMA device
   * @throws IOException if there is none; says what is missing
   */
  public ConnectionManager(InetAddress preferred) throws IOException {
    Devices devices = new Devices();
    devices.check();
    lib = new NativeFunctions(Library.VERBS.load(), Library.CONNECTION_MANAGER.load());
    channel = calls.pointer(lib.createEventChannel);
    if (channel == 0) {
      String error = calls.message(calls.errno());
      arena.close();
      throw new IOException(
          "rdma: no connection manager: "
              + error
              + "; is the kernel module rdma_ucm loaded, and /dev/infiniband/rdma_cm there?");
    }
    descriptor = Native.at(channel, EventChannel.USED_BYTES).get(JAVA_INT, EventChannel.FD);
    address = new InetSocketAddress(preferred, 0);
    try {
      calls.setNonBlocking(descriptor);
      BoundAddress found = BoundAddress.find(this, devices, preferred);
      listener = found.id();
      device = found.device();
      port = found.port();
      address = new InetSocketAddress(found.address(), 0);
      openDevice = new OpenDevice(this, arena);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Binds to an address; if it fails, the error number has the reason. */
  boolean bound(long id, InetAddress candidate) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment sockaddr = sockaddr(own, new InetSocketAddress(candidate, 0));
      return calls.call(lib.bindAddr, id, sockaddr.address()) == 0;
    }
  }

  /** The name of a {@code struct ibv_device}. */
  static String deviceName(long device) {
    return Native.at(device, Device.NAME + Device.NAME_BYTES).getString(Device.NAME);
  }

  private static MemorySegment sockaddr(Arena arena, InetSocketAddress a) {
    MemorySegment s = arena.allocate(SocketAddress.BYTES, Long.BYTES);
    byte[] bytes = a.getAddress().getAddress();
    boolean six = a.getAddress() instanceof Inet6Address;
    s.set(JAVA_SHORT, SocketAddress.FAMILY, six ? SocketAddress.INET6 : SocketAddress.INET);
    s.set(JAVA_BYTE, SocketAddress.PORT, (byte) (a.getPort() >> 8));
    s.set(JAVA_BYTE, SocketAddress.PORT + 1, (byte) a.getPort());
    MemorySegment.copy(
        MemorySegment.ofArray(bytes),
        0,
        s,
        six ? SocketAddress.ADDRESS_6 : SocketAddress.ADDRESS_4,
        bytes.length);
    if (a.getAddress() instanceof Inet6Address v6) {
      s.set(JAVA_INT, SocketAddress.SCOPE_6, v6.getScopeId());
    }
    return s;
  }

  long createId() throws IOException {
    if (calls.call(lib.createId, channel, result.address(), 0, Structs.PORT_SPACE_TCP) != 0) {
      throw failed("rdma_create_id");
    }
    return result.get(JAVA_LONG, 0);
  }

  void destroyId(long id) throws IOException {
    if (calls.call(lib.destroyId, id) != 0) {
      throw failed("rdma_destroy_id");
    }
  }

  /** The address of the device's {@code struct ibv_context}. */
  public long context() {
    return Native.at(listener, CmId.USED_BYTES).get(JAVA_LONG, CmId.VERBS);
  }

  int port() {
    return port;
  }

  boolean portIsActive() throws IOException {
    return new Devices().active(device, port);
  }

  /** The device at whose address it listens. */
  public OpenDevice device() {
    return openDevice;
  }

  /** Whether the device is known to have been removed, with everything made on it. */
  public boolean removed() {
    return removed;
  }

  /** Notes that the kernel has reported the removal. */
  void setRemoved() {
    removed = true;
  }

  /** For a person: the device, its port and address. */
  public String describe() {
    return device + " port " + port + " at " + address.getAddress().getHostAddress();
  }

  /** The listening address. */
  public InetSocketAddress address() {
    return address;
  }

  IOException failed(String what, int error) {
    String name = device.isEmpty() ? "" : describe() + ": ";
    String message = "rdma: " + name + what + ": " + calls.message(error);
    return new IOException(
        error == Native.ENOMEM ? message + "; " + LockedMemory.refused() : message);
  }

  /** The error of the last call. */
  IOException failed(String what) {
    return failed(what, calls.errno());
  }

  /** See {@link Verbs#eventDescriptor}. */
  public int descriptor() {
    return descriptor;
  }

  /**
   * Starts to listen.
   *
   * @param wantedInline the bytes that a send should carry in the work request itself
   * @return the most of them that the device takes
   * @throws IOException if the device makes no queue pair at all, or cannot listen
   */
  public int open(QueuePairs pairs, int wantedInline) throws IOException {
    queuePairs = pairs;
    inline = findInline(wantedInline);
    if (calls.callWithInt(lib.listen, listener, BACKLOG) != 0) {
      throw failed("rdma_listen");
    }
    int p = Short.toUnsignedInt(Short.reverseBytes(calls.callForShort(lib.getSrcPort, listener)));
    address = new InetSocketAddress(address.getAddress(), p);
    return inline;
  }

  private int findInline(int wanted) throws IOException {
    IOException refused = new IOException();
    for (int divisor : INLINE_ATTEMPTS) {
      int bytes = divisor == 0 ? 0 : wanted / divisor;
      try {
        // Some devices make the queue pair, but take no inline bytes.
        return Math.min(bytes, tryQueuePair(bytes));
      } catch (IOException e) {
        refused = e;
      }
    }
    throw refused;
  }

  /**
   * Checks that the device makes queue pairs.
   *
   * @throws IOException if it does not
   */
  void tryQueuePair() throws IOException {
    tryQueuePair(inline);
  }

  /**
   * Makes a queue pair without a connection, and destroys it.
   *
   * @return see {@link QueuePair#inline}
   * @throws IOException if the device refuses
   */
  private int tryQueuePair(int inlineBytes) throws IOException {
    long id = createId();
    try {
      if (!bound(id, address.getAddress())) {
        throw failed("rdma_bind_addr");
      }
      QueuePair pair = createQueuePair(id, inlineBytes);
      int granted = pair.inline();
      pair.close();
      return granted;
    } finally {
      destroyId(id);
    }
  }

  /** Makes the queue pair of a connection. */
  QueuePair createQueuePair(long id) throws IOException {
    return createQueuePair(id, inline);
  }

  private QueuePair createQueuePair(long id, int inlineBytes) throws IOException {
    QueuePairs pairs = queuePairs;
    if (pairs == null) {
      throw new IllegalStateException("not open yet");
    }
    return pairs.create(id, inlineBytes);
  }

  /** See {@link Verbs#dial}. */
  public RdmaConnection dial(InetSocketAddress to, byte[] greeting) throws IOException {
    long id = createId();
    try (Arena own = Arena.ofConfined()) {
      MemorySegment from = sockaddr(own, new InetSocketAddress(address.getAddress(), 0));
      MemorySegment peer = sockaddr(own, to);
      if (calls.call(lib.resolveAddr, id, from.address(), peer.address(), RESOLVE_MILLIS) != 0) {
        IOException e = failed("cannot resolve " + to);
        destroyId(id);
        throw e;
      }
    }
    ManagedConnection connection = new ManagedConnection(this, id, greeting);
    connections.put(id, connection);
    return connection;
  }

  /** See {@link Verbs#nextEvent}. */
  public Verbs.@Nullable Event nextEvent() throws IOException {
    while (calls.call(lib.getCmEvent, channel, result.address()) == 0) {
      long address = result.get(JAVA_LONG, 0);
      MemorySegment e = Native.at(address, CmEvent.USED_BYTES);
      long id = e.get(JAVA_LONG, CmEvent.ID);
      int kind = e.get(JAVA_INT, CmEvent.EVENT);
      int status = e.get(JAVA_INT, CmEvent.STATUS);
      byte[] greeting = greeting(e);
      // An id cannot be destroyed before its events are acknowledged.
      if (calls.call(lib.ackCmEvent, address) != 0) {
        throw failed("rdma_ack_cm_event");
      }
      Verbs.Event event = take(id, kind, status, greeting);
      if (event != null) {
        return event;
      }
    }
    if (calls.errno() != Native.EAGAIN) {
      throw failed("rdma_get_cm_event");
    }
    return null;
  }

  private static byte[] greeting(MemorySegment e) {
    long data = e.get(JAVA_LONG, CmEvent.PRIVATE_DATA);
    int bytes = Byte.toUnsignedInt(e.get(JAVA_BYTE, CmEvent.PRIVATE_DATA_LEN));
    return data == 0 ? new byte[0] : Native.at(data, bytes).toArray(JAVA_BYTE);
  }

  /** Advances a connection; returns an event for its owner, or null. */
  private Verbs.@Nullable Event take(long id, int kind, int status, byte[] greeting) {
    if (kind == CmEvent.CONNECT_REQUEST) {
      ManagedConnection connection = new ManagedConnection(this, id, new byte[0]);
      connections.put(id, connection);
      return new Verbs.Event(Verbs.Event.Kind.REQUEST, connection, greeting, "");
    }
    if (kind == CmEvent.DEVICE_REMOVAL) {
      removed = true; // reported for each connection, but caused by no peer
      return null;
    }
    ManagedConnection connection = connections.get(id);
    if (connection == null) {
      return null;
    }
    return switch (kind) {
      case CmEvent.ADDR_RESOLVED -> connection.resolveRoute();
      case CmEvent.ROUTE_RESOLVED -> connection.connect();
      case CmEvent.ESTABLISHED ->
          new Verbs.Event(Verbs.Event.Kind.ESTABLISHED, connection, greeting, "");
      case CmEvent.REJECTED -> connection.rejected(status, greeting);
      case CmEvent.ADDR_ERROR -> connection.unresolved("address not reached", status);
      case CmEvent.ROUTE_ERROR -> connection.unresolved("no route", status);
      case CmEvent.UNREACHABLE ->
          new Verbs.Event(
              Verbs.Event.Kind.UNANSWERED,
              connection,
              greeting,
              "no answer: " + calls.message(-status));
      case CmEvent.CONNECT_ERROR -> connection.failed("not connected", -status);
      case CmEvent.DISCONNECTED ->
          new Verbs.Event(
              Verbs.Event.Kind.DISCONNECTED, connection, greeting, "disconnected by the peer");
      default -> null; // without consequence here
    };
  }

  /** Drops a connection; returns whether it was known, so that it is freed once. */
  boolean remove(long id, ManagedConnection connection) {
    return connections.remove(id, connection);
  }

  /** Frees all connections. It still listens, but events are no longer taken. */
  public void closeConnections() {
    for (ManagedConnection connection : connections.values().toArray(ManagedConnection[]::new)) {
      connection.close();
    }
  }

  /**
   * Closes the manager, after {@link #closeConnections} and after everything else made on the
   * device's context: for a removed device, the library closes the context with its last id.
   */
  public void close() throws IOException {
    try {
      if (listener != 0) {
        destroyId(listener);
      }
    } finally {
      calls.run(lib.destroyEventChannel, channel);
      arena.close();
    }
  }
}
