package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.fmi.verbs.Structs.AsyncEvent;
import org.fmi.verbs.Structs.Completion;
import org.fmi.verbs.Structs.CompletionChannel;
import org.fmi.verbs.Structs.Context;
import org.fmi.verbs.Structs.DeviceAttributes;
import org.fmi.verbs.Structs.MemoryRegion;
import org.fmi.verbs.Structs.Piece;
import org.fmi.verbs.Structs.PortAttributes;
import org.fmi.verbs.Structs.QueuePairAttributes;
import org.fmi.verbs.Structs.QueuePairState;
import org.fmi.verbs.Structs.ReceiveQueueAttributes;
import org.fmi.verbs.Structs.ReceiveRequest;
import org.fmi.verbs.Structs.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * {@link Verbs} by {@code libibverbs.so.1} and {@code librdmacm.so.1}, called through the foreign
 * function API. The verbs of the data path are inline functions in C's headers, that call pointers
 * inside {@code struct ibv_context}; so does this class.
 */
public final class NativeVerbs implements Verbs {
  /** Completions fetched in one call. */
  private static final int BATCH = 32;

  private static final ValueLayout.OfInt NETWORK_INT = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final int[] INLINE_ATTEMPTS = {1, 2, 4, 0};

  private final Arena arena = Arena.ofShared();
  final Native calls = new Native(arena);
  private final NativeFunctions lib;
  private final ConnectionManager manager;
  private final long context;
  private final String name;
  private final Limits limits;
  private final int longestMessage;
  private final MemorySegment pollCq;
  private final MemorySegment notifyCq;
  private final MemorySegment postSrqReceive;
  private final MemorySegment postSend;
  private final int asyncDescriptor;
  private final MemorySegment completions;
  private final MemorySegment sendRequest;
  private final MemorySegment sendPiece;
  private final MemorySegment receiveRequest;
  private final MemorySegment receivePiece;
  private final MemorySegment bad;
  private final MemorySegment event;
  private long domain;
  private long channel;
  private int channelDescriptor = -1;
  private long queue;
  private long receives;
  private int inline;
  private int untaken;
  private Sizes sizes = new Sizes(0, 0, 0, 0);
  private boolean closed;
  private final List<Region> regions = new ArrayList<>();

  /**
   * Finds a device with an active port and an IP address.
   *
   * @param preferred the address to use if it belongs to an RDMA device
   * @throws IOException if there is none; says what is missing
   */
  public NativeVerbs(InetAddress preferred) throws IOException {
    Devices devices = new Devices();
    devices.check();
    lib = new NativeFunctions(Library.VERBS.load(), Library.CONNECTION_MANAGER.load());
    manager = new ConnectionManager(this, lib, arena, devices, preferred);
    context = manager.context();
    name = manager.describe();
    MemorySegment c = raw(context, Context.USED_BYTES);
    pollCq = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.POLL_CQ));
    notifyCq = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.REQ_NOTIFY_CQ));
    postSrqReceive = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.POST_SRQ_RECV));
    postSend = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.POST_SEND));
    asyncDescriptor = c.get(JAVA_INT, Context.ASYNC_FD);
    completions = allocate((long) BATCH * Completion.BYTES);
    sendRequest = allocate(SendRequest.BYTES);
    sendPiece = allocate(Piece.BYTES);
    receiveRequest = allocate(ReceiveRequest.BYTES);
    receivePiece = allocate(Piece.BYTES);
    bad = allocate(JAVA_LONG.byteSize());
    event = allocate(AsyncEvent.BYTES);
    sendRequest.set(JAVA_LONG, SendRequest.SG_LIST, sendPiece.address());
    receiveRequest.set(JAVA_LONG, ReceiveRequest.SG_LIST, receivePiece.address());
    receiveRequest.set(JAVA_INT, ReceiveRequest.NUM_SGE, 1);
    try {
      // The library opens a device once a process: its other users read from the same descriptor.
      calls.setNonBlocking(asyncDescriptor);
      limits = queryLimits();
      longestMessage = queryLongestMessage();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Without a check of its scope at each access; valid until {@link #close}. */
  private MemorySegment allocate(long bytes) {
    return raw(arena.allocate(bytes, Long.BYTES).address(), bytes);
  }

  static MemorySegment raw(long address, long bytes) {
    return Native.at(address, bytes);
  }

  private Limits queryLimits() throws IOException {
    MemorySegment a = allocate(DeviceAttributes.BYTES);
    int error = calls.call(lib.queryDevice, context, a.address());
    if (error != 0) {
      throw failed("ibv_query_device", error);
    }
    return new Limits(
        a.get(JAVA_INT, DeviceAttributes.MAX_QP_WR),
        a.get(JAVA_INT, DeviceAttributes.MAX_SRQ_WR),
        a.get(JAVA_INT, DeviceAttributes.MAX_CQE));
  }

  private int queryLongestMessage() throws IOException {
    MemorySegment a = allocate(PortAttributes.BYTES);
    int error = calls.callWithByte(lib.queryPort, context, (byte) manager.port(), a.address());
    if (error != 0) {
      throw failed("ibv_query_port", error);
    }
    // Of 32 bits without a sign.
    int most = a.get(JAVA_INT, PortAttributes.MAX_MSG_SZ);
    return most < 0 ? Integer.MAX_VALUE : most;
  }

  IOException failed(String what, int error) {
    String message = "rdma: " + name() + what + ": " + calls.message(error);
    return new IOException(
        error == Native.ENOMEM ? message + "; " + LockedMemory.refused() : message);
  }

  /** Of the last call. */
  IOException failed(String what) {
    return failed(what, calls.errno());
  }

  @SuppressWarnings("NullAway") // null while the constructor runs
  private String name() {
    return name == null ? "" : name + ": ";
  }

  @Override
  public String device() {
    return name;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public void open(Sizes wanted) throws IOException {
    sizes = wanted;
    domain = calls.pointer(lib.allocPd, context);
    if (domain == 0) {
      throw failed("ibv_alloc_pd");
    }
    channel = calls.pointer(lib.createCompChannel, context);
    if (channel == 0) {
      throw failed("ibv_create_comp_channel");
    }
    channelDescriptor =
        raw(channel, CompletionChannel.USED_BYTES).get(JAVA_INT, CompletionChannel.FD);
    calls.setNonBlocking(channelDescriptor);
    queue = calls.pointer(lib.createCq, context, wanted.completions(), 0, channel, 0);
    if (queue == 0) {
      throw failed("a completion queue of " + wanted.completions());
    }
    MemorySegment attributes = allocate(ReceiveQueueAttributes.BYTES);
    attributes.set(JAVA_INT, ReceiveQueueAttributes.MAX_WR, wanted.receives());
    attributes.set(JAVA_INT, ReceiveQueueAttributes.MAX_SGE, 1);
    receives = calls.pointer(lib.createSrq, domain, attributes.address());
    if (receives == 0) {
      throw failed("a shared receive queue of " + wanted.receives());
    }
    inline = manager.findInline(wanted.inline(), INLINE_ATTEMPTS);
    manager.listen();
  }

  /** The queue pair for a connection's id. */
  void createQueuePair(long id, int inlineBytes) throws IOException {
    int error = tryQueuePair(id, inlineBytes);
    if (error != 0) {
      throw failed("a queue pair", error);
    }
  }

  /** Returns the error number. */
  int tryQueuePair(long id, int inlineBytes) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment a = own.allocate(QueuePairAttributes.BYTES, Long.BYTES);
      a.set(JAVA_LONG, QueuePairAttributes.SEND_CQ, queue);
      a.set(JAVA_LONG, QueuePairAttributes.RECV_CQ, queue);
      a.set(JAVA_LONG, QueuePairAttributes.SRQ, receives);
      a.set(JAVA_INT, QueuePairAttributes.MAX_SEND_WR, sizes.sends());
      a.set(JAVA_INT, QueuePairAttributes.MAX_SEND_SGE, 1);
      a.set(JAVA_INT, QueuePairAttributes.MAX_INLINE_DATA, inlineBytes);
      a.set(JAVA_INT, QueuePairAttributes.QP_TYPE, QueuePairAttributes.RELIABLE);
      return calls.call(lib.createQp, id, domain, a.address()) == 0 ? 0 : calls.errno();
    }
  }

  /** Its work completes, with errors, and it takes no more. */
  void stop(long queuePair) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment a = own.allocate(QueuePairState.BYTES, Long.BYTES);
      a.set(JAVA_INT, QueuePairState.QP_STATE, QueuePairState.ERROR);
      // An error says that it was not connected.
      calls.callWithInt(lib.modifyQp, queuePair, a.address(), QueuePairState.MASK_STATE);
    }
  }

  @Override
  public InetSocketAddress address() {
    return manager.address();
  }

  @Override
  public int longestMessage() {
    return longestMessage;
  }

  @Override
  public int inline() {
    return inline;
  }

  @Override
  public Region register(MemorySegment memory, int access) throws IOException {
    long region = calls.pointer(lib.regMr, domain, memory.address(), memory.byteSize(), access);
    if (region == 0) {
      throw failed("cannot register " + memory.byteSize() + " bytes");
    }
    int key = raw(region, MemoryRegion.USED_BYTES).get(JAVA_INT, MemoryRegion.LKEY);
    int remoteKey = raw(region, MemoryRegion.USED_BYTES).get(JAVA_INT, MemoryRegion.RKEY);
    Region registered =
        new Region() {
          @Override
          public int key() {
            return key;
          }

          @Override
          public int remoteKey() {
            return remoteKey;
          }

          @Override
          public void close() throws IOException {
            regions.remove(this);
            end("ibv_dereg_mr", lib.deregMr, region);
          }
        };
    regions.add(registered);
    return registered;
  }

  // ---- data path

  @Override
  public void postReceive(long id, long address, int bytes, int key) throws IOException {
    receivePiece.set(JAVA_LONG, Piece.ADDR, address);
    receivePiece.set(JAVA_INT, Piece.LENGTH, bytes);
    receivePiece.set(JAVA_INT, Piece.LKEY, key);
    receiveRequest.set(JAVA_LONG, ReceiveRequest.WR_ID, id);
    int error = Native.post(postSrqReceive, receives, receiveRequest.address(), bad.address());
    if (error != 0) {
      throw failed("ibv_post_srq_recv", error);
    }
  }

  void postSend(
      long queuePair,
      int opcode,
      long id,
      long address,
      int bytes,
      int key,
      int immediate,
      int flags,
      long remoteAddress,
      int remoteKey)
      throws IOException {
    sendPiece.set(JAVA_LONG, Piece.ADDR, address);
    sendPiece.set(JAVA_INT, Piece.LENGTH, bytes);
    sendPiece.set(JAVA_INT, Piece.LKEY, key);
    sendRequest.set(JAVA_LONG, SendRequest.WR_ID, id);
    sendRequest.set(JAVA_INT, SendRequest.NUM_SGE, bytes == 0 ? 0 : 1);
    sendRequest.set(JAVA_INT, SendRequest.OPCODE, opcode);
    sendRequest.set(JAVA_INT, SendRequest.SEND_FLAGS, flags);
    sendRequest.set(NETWORK_INT, SendRequest.IMM_DATA, immediate);
    sendRequest.set(JAVA_LONG, SendRequest.REMOTE_ADDR, remoteAddress);
    sendRequest.set(JAVA_INT, SendRequest.RKEY, remoteKey);
    int error = Native.post(postSend, queuePair, sendRequest.address(), bad.address());
    if (error != 0) {
      throw failed("ibv_post_send", error);
    }
  }

  @Override
  public int poll() throws IOException {
    int n = Native.poll(pollCq, queue, BATCH, completions.address());
    if (n < 0) {
      throw failed("ibv_poll_cq", -n);
    }
    return n;
  }

  private long at(int i, int field) {
    return (long) i * Completion.BYTES + field;
  }

  @Override
  public long id(int i) {
    return completions.get(JAVA_LONG, at(i, Completion.WR_ID));
  }

  @Override
  public boolean succeeded(int i) {
    return completions.get(JAVA_INT, at(i, Completion.STATUS)) == 0;
  }

  @Override
  public String failure(int i) {
    int status = completions.get(JAVA_INT, at(i, Completion.STATUS));
    return Native.text(calls.pointerOfInt(lib.wcStatusStr, status));
  }

  @Override
  public int connection(int i) {
    return completions.get(JAVA_INT, at(i, Completion.QP_NUM));
  }

  @Override
  public int bytes(int i) {
    return completions.get(JAVA_INT, at(i, Completion.BYTE_LEN));
  }

  @Override
  public int immediate(int i) {
    return completions.get(NETWORK_INT, at(i, Completion.IMM_DATA));
  }

  @Override
  public void requestNotification() throws IOException {
    int error = Native.notify(notifyCq, queue, 0);
    if (error != 0) {
      throw failed("ibv_req_notify_cq", error);
    }
  }

  @Override
  public void takeNotifications() throws IOException {
    // The two results are the queue and its owner's word: of no use here.
    while (calls.call(lib.getCqEvent, channel, bad.address(), event.address()) == 0) {
      untaken++;
    }
    if (calls.errno() != Native.EAGAIN) {
      throw failed("ibv_get_cq_event");
    }
  }

  // ---- connections

  @Override
  public Connection dial(InetSocketAddress to, byte[] greeting) throws IOException {
    return manager.dial(to, greeting);
  }

  @Override
  public @Nullable Event nextEvent() throws IOException {
    return manager.nextEvent();
  }

  @Override
  public @Nullable String deviceFailure() throws IOException {
    String failure = null;
    while (calls.call(lib.getAsyncEvent, context, event.address()) == 0) {
      int type = event.get(JAVA_INT, AsyncEvent.EVENT_TYPE);
      if (type == AsyncEvent.DEVICE_FATAL) {
        failure = name + ": the device has failed";
      } else if (type == AsyncEvent.PORT_ERR
          && event.get(JAVA_INT, AsyncEvent.ELEMENT) == manager.port()) {
        failure = name + ": the port is down";
      }
      calls.run(lib.ackAsyncEvent, event.address());
    }
    if (calls.errno() != Native.EAGAIN) {
      throw failed("ibv_get_async_event");
    }
    return failure;
  }

  // ---- waiting

  @Override
  public int completionDescriptor() {
    return channelDescriptor;
  }

  @Override
  public int eventDescriptor() {
    return manager.descriptor();
  }

  @Override
  public int failureDescriptor() {
    return asyncDescriptor;
  }

  // ---- the end

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    manager.closeIds();
    if (queue != 0) {
      if (untaken > 0) {
        calls.run(lib.ackCqEvents, queue, untaken);
      }
      end("ibv_destroy_srq", lib.destroySrq, receives);
      end("ibv_destroy_cq", lib.destroyCq, queue);
    }
    for (Region region : List.copyOf(regions)) {
      region.close();
    }
    end("ibv_destroy_comp_channel", lib.destroyCompChannel, channel);
    end("ibv_dealloc_pd", lib.deallocPd, domain);
    manager.close();
    arena.close();
  }

  private void end(String what, MemorySegment function, long object) throws IOException {
    if (object != 0) {
      int error = calls.call(function, object);
      if (error != 0) {
        throw failed(what, error);
      }
    }
  }
}
