package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.fmi.verbs.Structs.CmEvent;
import org.fmi.verbs.Structs.CmId;
import org.fmi.verbs.Structs.ConnectionParameters;
import org.fmi.verbs.Structs.Device;
import org.fmi.verbs.Structs.EventChannel;
import org.fmi.verbs.Structs.QueuePairState;
import org.fmi.verbs.Structs.SendRequest;
import org.fmi.verbs.Structs.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections by {@code librdmacm}, which finds devices and routes by IP addresses. For all
 * providers: the queue pairs are theirs.
 *
 * <pre>
 *   dial: rdma_resolve_addr --ADDR_RESOLVED--> rdma_resolve_route --ROUTE_RESOLVED--> rdma_connect
 *                                                          --ESTABLISHED | REJECTED | UNREACHABLE..-->
 *   listen:     --CONNECT_REQUEST--> rdma_accept --ESTABLISHED-->          --DISCONNECTED-->
 * </pre>
 *
 * The library does the queue pair's transitions.
 */
public final class ConnectionManager {
  private static final int BACKLOG = 1024;
  private static final int RESOLVE_MILLIS = 4_000;

  /** The most that the hardware's field of three bits takes. */
  private static final byte RETRIES = 7;

  /** For ever: buffers are there by construction, but a receiver's device may be late. */
  private static final byte RETRIES_WITHOUT_BUFFER = 7;

  private static final int STATUS_NOBODY_LISTENS = 8;
  private static final int STATUS_STALE = 10;
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

  /** By their id's address. */
  private final Map<Long, Link> links = new HashMap<>();

  private @Nullable QueuePairs queuePairs;

  /** Makes queue pairs, as a provider does. */
  @FunctionalInterface
  public interface QueuePairs {
    /**
     * Makes one.
     *
     * @param id where the connection's {@code struct rdma_cm_id} lies
     * @param inline bytes that a send should carry in the work request
     * @throws IOException if the device refuses
     */
    QueuePair create(long id, int inline) throws IOException;
  }

  /** A connection's queue pair. The manager does its transitions. */
  public interface QueuePair {
    /** See {@link Connection#number}. */
    int number();

    /** Bytes that a send may carry in the work request; it may be fewer than were asked for. */
    int inline();

    /**
     * Posts work.
     *
     * @param opcode of {@code enum ibv_wr_opcode}
     * @param flags of {@code enum ibv_send_flags}
     * @param remoteAddress in the peer's memory, of what is read
     * @param remoteKey of that memory
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
      bind(devices, preferred);
      openDevice = new OpenDevice(this, arena);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Binds to the first address that belongs to an RDMA device with an active port. */
  private void bind(Devices devices, InetAddress preferred) throws IOException {
    Set<InetAddress> candidates = new LinkedHashSet<>();
    if (!preferred.isLoopbackAddress()) {
      candidates.add(preferred);
    }
    candidates.addAll(addresses());
    List<String> tried = new ArrayList<>();
    String refusal = "";
    for (InetAddress candidate : candidates) {
      long id = createId();
      if (!bound(id, candidate)) {
        int error = calls.errno();
        if (error != Native.ENODEV) { // as of addresses that are of no RDMA device
          refusal = "; the last error was: " + calls.message(error);
        }
      } else {
        MemorySegment i = Native.at(id, CmId.USED_BYTES);
        long context = i.get(JAVA_LONG, CmId.VERBS);
        int number = i.get(JAVA_BYTE, CmId.PORT_NUM);
        if (context != 0) {
          String name = deviceName(Native.at(context, Long.BYTES).get(JAVA_LONG, 0));
          if (devices.active(name, number)) {
            listener = id;
            device = name;
            port = number;
            address = new InetSocketAddress(candidate, 0);
            return;
          }
        }
      }
      tried.add(candidate.getHostAddress());
      destroyId(id);
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

  private boolean bound(long id, InetAddress candidate) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment sockaddr = sockaddr(own, new InetSocketAddress(candidate, 0));
      return calls.call(lib.bindAddr, id, sockaddr.address()) == 0;
    }
  }

  /** Of a {@code struct ibv_device}. */
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

  private long createId() throws IOException {
    if (calls.call(lib.createId, channel, result.address(), 0, Structs.PORT_SPACE_TCP) != 0) {
      throw failed("rdma_create_id");
    }
    return result.get(JAVA_LONG, 0);
  }

  private void destroyId(long id) throws IOException {
    if (calls.call(lib.destroyId, id) != 0) {
      throw failed("rdma_destroy_id");
    }
  }

  /** Where the device's {@code struct ibv_context} lies. */
  public long context() {
    return Native.at(listener, CmId.USED_BYTES).get(JAVA_LONG, CmId.VERBS);
  }

  int port() {
    return port;
  }

  boolean portIsActive() throws IOException {
    return new Devices().active(device, port);
  }

  /** What it listens at. */
  public OpenDevice device() {
    return openDevice;
  }

  /** Whether the device is known to have been removed: nothing that was made on it is left. */
  public boolean removed() {
    return removed;
  }

  /** The kernel says so. */
  void setRemoved() {
    removed = true;
  }

  /** For a person: the device, its port and address. */
  public String describe() {
    return device + " port " + port + " at " + address.getAddress().getHostAddress();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return address;
  }

  IOException failed(String what, int error) {
    String name = device.isEmpty() ? "" : describe() + ": ";
    String message = "rdma: " + name + what + ": " + calls.message(error);
    return new IOException(
        error == Native.ENOMEM ? message + "; " + LockedMemory.refused() : message);
  }

  /** Of the last call. */
  IOException failed(String what) {
    return failed(what, calls.errno());
  }

  /** See {@link Verbs#eventDescriptor}. */
  public int descriptor() {
    return descriptor;
  }

  /**
   * Begins to listen.
   *
   * @param wantedInline bytes that a send should carry in the work request itself
   * @return the most of those that the device takes
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
        // Some devices make the queue pair, and take none of them.
        return Math.min(bytes, tryQueuePair(bytes));
      } catch (IOException e) {
        refused = e;
      }
    }
    throw refused;
  }

  /**
   * Makes a queue pair of no connection, and destroys it.
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

  private QueuePair createQueuePair(long id, int inlineBytes) throws IOException {
    QueuePairs pairs = queuePairs;
    if (pairs == null) {
      throw new IllegalStateException("not open yet");
    }
    return pairs.create(id, inlineBytes);
  }

  /** See {@link Verbs#dial}. */
  public Connection dial(InetSocketAddress to, byte[] greeting) throws IOException {
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
    Link link = new Link(id, greeting);
    links.put(id, link);
    return link;
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

  /** Goes on with the connection; returns what its owner must know, null if nothing. */
  private Verbs.@Nullable Event take(long id, int kind, int status, byte[] greeting) {
    if (kind == CmEvent.CONNECT_REQUEST) {
      Link link = new Link(id, new byte[0]);
      links.put(id, link);
      return new Verbs.Event(Verbs.Event.Kind.REQUEST, link, greeting, "");
    }
    if (kind == CmEvent.DEVICE_REMOVAL) {
      removed = true; // told for each connection, but no peer's doing
      return null;
    }
    Link link = links.get(id);
    if (link == null) {
      return null;
    }
    return switch (kind) {
      case CmEvent.ADDR_RESOLVED -> link.resolveRoute();
      case CmEvent.ROUTE_RESOLVED -> link.connect();
      case CmEvent.ESTABLISHED -> new Verbs.Event(Verbs.Event.Kind.ESTABLISHED, link, greeting, "");
      case CmEvent.REJECTED -> link.rejected(status, greeting);
      case CmEvent.ADDR_ERROR -> link.unresolved("address not reached", status);
      case CmEvent.ROUTE_ERROR -> link.unresolved("no route", status);
      case CmEvent.UNREACHABLE ->
          new Verbs.Event(
              Verbs.Event.Kind.UNANSWERED, link, greeting, "no answer: " + calls.message(-status));
      case CmEvent.CONNECT_ERROR -> link.failed("not connected", -status);
      case CmEvent.DISCONNECTED ->
          new Verbs.Event(
              Verbs.Event.Kind.DISCONNECTED, link, greeting, "disconnected by the peer");
      default -> null; // of no consequence here
    };
  }

  /** Frees all that is left of connections. It listens on, though nobody looks. */
  public void closeConnections() {
    for (Link link : links.values().toArray(Link[]::new)) {
      link.close();
    }
  }

  /**
   * After {@link #closeConnections}, and after all else that was made on the device's context: the
   * library closes that of a device that was removed with the last id that it has for it.
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

  private final class Link implements Connection {
    private final long id;
    private final byte[] greeting;
    private @Nullable QueuePair queuePair;
    private boolean asked;

    Link(long id, byte[] greeting) {
      this.id = id;
      this.greeting = greeting;
    }

    Verbs.Event failed(String what, int error) {
      return new Verbs.Event(
          Verbs.Event.Kind.FAILED, this, new byte[0], what + ": " + calls.message(error));
    }

    Verbs.Event unresolved(String what, int status) {
      return new Verbs.Event(
          Verbs.Event.Kind.UNRESOLVED, this, new byte[0], what + ": " + calls.message(-status));
    }

    Verbs.Event rejected(int status, byte[] words) {
      return switch (status) {
        case STATUS_STALE ->
            new Verbs.Event(
                Verbs.Event.Kind.FAILED, this, words, "the peer still holds an older connection");
        case STATUS_NOBODY_LISTENS ->
            new Verbs.Event(Verbs.Event.Kind.REJECTED, this, new byte[0], "nobody listens there");
        default -> new Verbs.Event(Verbs.Event.Kind.REJECTED, this, words, "refused by the peer");
      };
    }

    Verbs.@Nullable Event resolveRoute() {
      return calls.callWithInt(lib.resolveRoute, id, RESOLVE_MILLIS) == 0
          ? null
          : failed("rdma_resolve_route", calls.errno());
    }

    Verbs.@Nullable Event connect() {
      try {
        queuePair = createQueuePair(id, inline);
      } catch (IOException e) {
        return new Verbs.Event(
            Verbs.Event.Kind.REFUSED_HERE, this, new byte[0], String.valueOf(e.getMessage()));
      }
      asked = agree(lib.connect, greeting) == 0;
      return asked ? null : failed("rdma_connect", calls.errno());
    }

    private QueuePair queuePair() throws IOException {
      QueuePair pair = queuePair;
      if (pair == null) {
        throw new IOException("rdma: not connected");
      }
      return pair;
    }

    private int agree(MemorySegment function, byte[] words) {
      try (Arena own = Arena.ofConfined()) {
        MemorySegment data = own.allocate(Math.max(1, words.length));
        MemorySegment.copy(MemorySegment.ofArray(words), 0, data, 0, words.length);
        MemorySegment p = own.allocate(ConnectionParameters.BYTES, Long.BYTES);
        p.set(JAVA_LONG, ConnectionParameters.PRIVATE_DATA, data.address());
        p.set(JAVA_BYTE, ConnectionParameters.PRIVATE_DATA_LEN, (byte) words.length);
        p.set(JAVA_BYTE, ConnectionParameters.RESPONDER_RESOURCES, ConnectionParameters.MOST_READS);
        p.set(JAVA_BYTE, ConnectionParameters.INITIATOR_DEPTH, ConnectionParameters.MOST_READS);
        p.set(JAVA_BYTE, ConnectionParameters.RETRY_COUNT, RETRIES);
        p.set(JAVA_BYTE, ConnectionParameters.RNR_RETRY_COUNT, RETRIES_WITHOUT_BUFFER);
        return calls.call(function, id, p.address());
      }
    }

    @Override
    public int number() {
      return queuePair == null ? 0 : queuePair.number();
    }

    @Override
    public boolean asked() {
      return asked;
    }

    @Override
    public boolean accept(byte[] words) throws IOException {
      try {
        queuePair = createQueuePair(id, inline);
      } catch (IOException e) {
        // Who has asked may have given up by now. If it is the device, it refuses this one too.
        tryQueuePair(inline);
        return false;
      }
      return agree(lib.accept, words) == 0;
    }

    @Override
    public void reject(byte[] words) {
      try (Arena own = Arena.ofConfined()) {
        MemorySegment data = own.allocate(Math.max(1, words.length));
        MemorySegment.copy(MemorySegment.ofArray(words), 0, data, 0, words.length);
        // An error says that the other side has gone already.
        calls.callWithByte(lib.reject, id, data.address(), (byte) words.length);
      }
    }

    @Override
    public void send(long workId, long at, int bytes, int key, int immediate, int flags)
        throws IOException {
      queuePair().post(SendRequest.SEND_WITH_IMM, workId, at, bytes, key, immediate, flags, 0, 0);
    }

    @Override
    public void read(long workId, long at, int bytes, int key, long remoteAddress, int remoteKey)
        throws IOException {
      queuePair()
          .post(
              SendRequest.RDMA_READ,
              workId,
              at,
              bytes,
              key,
              0,
              SIGNALLED,
              remoteAddress,
              remoteKey);
    }

    @Override
    public void sendMarker(long workId) throws IOException {
      queuePair().post(SendRequest.RDMA_WRITE, workId, 0, 0, 0, 0, SIGNALLED, 0, 0);
    }

    @Override
    public void halt() {
      if (queuePair == null) {
        return;
      }
      long pair = Native.at(id, CmId.USED_BYTES).get(JAVA_LONG, CmId.QP);
      try (Arena own = Arena.ofConfined()) {
        MemorySegment a = own.allocate(QueuePairState.BYTES, Long.BYTES);
        a.set(JAVA_INT, QueuePairState.QP_STATE, QueuePairState.ERROR);
        // An error says that it was not connected.
        calls.callWithInt(lib.modifyQp, pair, a.address(), QueuePairState.MASK_STATE);
      }
    }

    @Override
    public void disconnect() {
      if (queuePair != null) {
        // An error says that it was not connected.
        calls.call(lib.disconnect, id);
      }
    }

    @Override
    public void close() {
      if (!links.remove(id, this)) {
        return;
      }
      if (queuePair != null) {
        queuePair.close();
        queuePair = null;
      }
      calls.call(lib.destroyId, id);
    }
  }
}
