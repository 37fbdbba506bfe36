package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.fmi.verbs.Structs.CmId;
import org.fmi.verbs.Structs.Completion;
import org.fmi.verbs.Structs.Context;
import org.fmi.verbs.Structs.MemoryRegion;
import org.fmi.verbs.Structs.Piece;
import org.fmi.verbs.Structs.QueuePair;
import org.fmi.verbs.Structs.QueuePairAttributes;
import org.fmi.verbs.Structs.ReceiveQueueAttributes;
import org.fmi.verbs.Structs.ReceiveRequest;
import org.fmi.verbs.Structs.SendRequest;

/**
 * {@link Verbs} by {@code libibverbs.so.1} and {@code librdmacm.so.1}, called through the foreign
 * function API. The verbs of the data path are inline functions in C's headers, which call pointers
 * in {@code struct ibv_context}; this class does the same.
 */
public final class NativeVerbs extends ManagedVerbs {
  /** Completions fetched in one call. */
  private static final int BATCH = 32;

  private static final ValueLayout.OfInt NETWORK_INT = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final Native calls;
  private final NativeFunctions lib;
  private final long context;
  private final MemorySegment pollCq;
  private final MemorySegment notifyCq;
  private final MemorySegment postSrqReceive;
  private final MemorySegment postSend;
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

  /** Notifications taken and not acknowledged; wraps around, as the library's own count does. */
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
    super(preferred);
    calls = manager.calls;
    lib = manager.lib;
    context = manager.context();
    MemorySegment c = Native.at(context, Context.USED_BYTES);
    pollCq = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.POLL_CQ));
    notifyCq = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.REQ_NOTIFY_CQ));
    postSrqReceive = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.POST_SRQ_RECV));
    postSend = MemorySegment.ofAddress(c.get(JAVA_LONG, Context.POST_SEND));
    completions = allocate((long) BATCH * Completion.BYTES);
    sendRequest = allocate(SendRequest.BYTES);
    sendPiece = allocate(Piece.BYTES);
    receiveRequest = allocate(ReceiveRequest.BYTES);
    receivePiece = allocate(Piece.BYTES);
    bad = allocate(JAVA_LONG.byteSize());
    event = allocate(JAVA_LONG.byteSize());
    sendRequest.set(JAVA_LONG, SendRequest.SG_LIST, sendPiece.address());
    receiveRequest.set(JAVA_LONG, ReceiveRequest.SG_LIST, receivePiece.address());
    receiveRequest.set(JAVA_INT, ReceiveRequest.NUM_SGE, 1);
  }

  /** Memory without a scope check at each access; valid until {@link #close}. */
  private MemorySegment allocate(long bytes) {
    return Native.at(arena.allocate(bytes, Long.BYTES).address(), bytes);
  }

  @Override
  public void open(Sizes wanted) throws IOException {
    sizes = wanted;
    domain = calls.pointer(lib.allocPd, context);
    if (domain == 0) {
      throw manager.failed("ibv_alloc_pd");
    }
    channel = calls.pointer(lib.createCompChannel, context);
    if (channel == 0) {
      throw manager.failed("ibv_create_comp_channel");
    }
    channelDescriptor = OpenDevice.completionDescriptor(channel);
    calls.setNonBlocking(channelDescriptor);
    queue = calls.pointer(lib.createCq, context, wanted.completions(), 0, channel, 0);
    if (queue == 0) {
      throw manager.failed("a completion queue of " + wanted.completions());
    }
    MemorySegment attributes = allocate(ReceiveQueueAttributes.BYTES);
    attributes.set(JAVA_INT, ReceiveQueueAttributes.MAX_WR, wanted.receives());
    attributes.set(JAVA_INT, ReceiveQueueAttributes.MAX_SGE, 1);
    receives = calls.pointer(lib.createSrq, domain, attributes.address());
    if (receives == 0) {
      throw manager.failed("a shared receive queue of " + wanted.receives());
    }
    listen(Pair::new, wanted.inline());
  }

  private final class Pair implements ConnectionManager.QueuePair {
    private final long id;
    private final long address;
    private final int number;
    private final int inline;

    Pair(long id, int inlineBytes) throws IOException {
      this.id = id;
      try (Arena own = Arena.ofConfined()) {
        MemorySegment a = own.allocate(QueuePairAttributes.BYTES, Long.BYTES);
        a.set(JAVA_LONG, QueuePairAttributes.SEND_CQ, queue);
        a.set(JAVA_LONG, QueuePairAttributes.RECV_CQ, queue);
        a.set(JAVA_LONG, QueuePairAttributes.SRQ, receives);
        a.set(JAVA_INT, QueuePairAttributes.MAX_SEND_WR, sizes.sends());
        a.set(JAVA_INT, QueuePairAttributes.MAX_SEND_SGE, 1);
        a.set(JAVA_INT, QueuePairAttributes.MAX_INLINE_DATA, inlineBytes);
        a.set(JAVA_INT, QueuePairAttributes.QP_TYPE, QueuePairAttributes.RELIABLE);
        if (calls.call(lib.createQp, id, domain, a.address()) != 0) {
          throw manager.failed("a queue pair");
        }
        // The library stores the granted value there.
        inline = a.get(JAVA_INT, QueuePairAttributes.MAX_INLINE_DATA);
      }
      address = Native.at(id, CmId.USED_BYTES).get(JAVA_LONG, CmId.QP);
      number = Native.at(address, QueuePair.USED_BYTES).get(JAVA_INT, QueuePair.QP_NUM);
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public int inline() {
      return inline;
    }

    @Override
    public void post(
        int opcode,
        long work,
        long at,
        int bytes,
        int key,
        int immediate,
        int flags,
        long remoteAddress,
        int remoteKey)
        throws IOException {
      sendPiece.set(JAVA_LONG, Piece.ADDR, at);
      sendPiece.set(JAVA_INT, Piece.LENGTH, bytes);
      sendPiece.set(JAVA_INT, Piece.LKEY, key);
      sendRequest.set(JAVA_LONG, SendRequest.WR_ID, work);
      sendRequest.set(JAVA_INT, SendRequest.NUM_SGE, bytes == 0 ? 0 : 1);
      sendRequest.set(JAVA_INT, SendRequest.OPCODE, opcode);
      sendRequest.set(JAVA_INT, SendRequest.SEND_FLAGS, flags);
      sendRequest.set(NETWORK_INT, SendRequest.IMM_DATA, immediate);
      sendRequest.set(JAVA_LONG, SendRequest.REMOTE_ADDR, remoteAddress);
      sendRequest.set(JAVA_INT, SendRequest.RKEY, remoteKey);
      int error = Native.post(postSend, address, sendRequest.address(), bad.address());
      if (error != 0) {
        throw manager.failed("ibv_post_send", error);
      }
    }

    @Override
    public void close() {
      calls.run(lib.destroyQp, id);
    }
  }

  @Override
  public Region register(MemorySegment memory, int access) throws IOException {
    long region = calls.pointer(lib.regMr, domain, memory.address(), memory.byteSize(), access);
    if (region == 0) {
      int error = calls.errno();
      IOException e = manager.failed("cannot register " + memory.byteSize() + " bytes", error);
      throw error == Native.EFAULT || error == Native.EOPNOTSUPP
          ? new UnpinnableMemoryException(String.valueOf(e.getMessage()))
          : e;
    }
    int key = Native.at(region, MemoryRegion.USED_BYTES).get(JAVA_INT, MemoryRegion.LKEY);
    int remoteKey = Native.at(region, MemoryRegion.USED_BYTES).get(JAVA_INT, MemoryRegion.RKEY);
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
      throw manager.failed("ibv_post_srq_recv", error);
    }
  }

  @Override
  public int poll() throws IOException {
    int n = Native.poll(pollCq, queue, BATCH, completions.address());
    if (n < 0) {
      throw manager.failed("ibv_poll_cq", -n);
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
    if (error != 0 && error != Native.EIO) {
      throw manager.failed("ibv_req_notify_cq", error);
    }
  }

  @Override
  public void takeNotifications() throws IOException {
    // The two results are the queue and its owner's context: not needed here.
    while (calls.call(lib.getCqEvent, channel, bad.address(), event.address()) == 0) {
      untaken++;
    }
    int error = calls.errno();
    if (error != Native.EAGAIN && error != Native.EIO) {
      throw manager.failed("ibv_get_cq_event", error);
    }
  }

  // ---- waiting

  @Override
  public int completionDescriptor() {
    return channelDescriptor;
  }

  // ---- the end

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    manager.closeConnections();
    if (queue != 0) {
      if (untaken != 0) {
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
      if (error == Native.EIO) {
        manager.setRemoved();
      }
      // The kernel has ended it with the device, whatever error the library returns.
      if (error != 0 && !manager.removed()) {
        throw manager.failed(what, error);
      }
    }
  }
}
