package org.fmi.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import com.ibm.disni.verbs.impl.NatCmaIdPrivate;
import com.ibm.disni.verbs.impl.NatIbvCompChannel;
import com.ibm.disni.verbs.impl.NatIbvContext;
import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.ManagedVerbs;
import org.fmi.verbs.OpenDevice;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * {@link Verbs} by DiSNI's Java interface: memory, queues, queue pairs, work and completions.
 * Connections and device attributes come from rdma-core, whose structures DiSNI's objects stand
 * for.
 */
final class DisniVerbs extends ManagedVerbs {
  /** Completions fetched in one call. */
  private static final int BATCH = 32;

  // Of enum ibv_wc_status.
  private static final int SUCCEEDED = 0;
  private static final int FLUSHED = 5;

  /** A dispatcher that DiSNI asks for known values. */
  private static final @Nullable NativeDispatcher NOT_NEEDED = null;

  @SuppressWarnings("restricted") // addresses of buffers are guaranteed by the caller and the pairs
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final NatIbvContext context;
  private @Nullable Queues queues;
  private int descriptor = -1;

  /** Notifications taken and not acknowledged; wraps around, as the library's own count does. */
  private int untaken;

  private boolean closed;
  private final List<Registered> regions = new ArrayList<>();

  /** By place, see {@link WorkId}. */
  private final ArrayList<@Nullable DisniPair> pairs = new ArrayList<>();

  private final ArrayDeque<Integer> freePlaces = new ArrayDeque<>();
  private int generation;

  /** The size of the caller's buffers; 0 until there is one. */
  private int bufferBytes;

  /** Arrivals for which the caller had no buffer. */
  private final ArrayDeque<Arrival> waiting = new ArrayDeque<>();

  // The fetched completions: waiting ones, and a batch.
  private final IbvWC[] batch = new IbvWC[BATCH];
  private final long[] ids = new long[2 * BATCH];
  private final int[] statuses = new int[2 * BATCH];
  private final int[] numbers = new int[2 * BATCH];
  private final int[] lengths = new int[2 * BATCH];
  private final int[] immediates = new int[2 * BATCH];
  private int count;

  /** The objects made by {@link #open}. */
  private record Queues(
      Sizes sizes,
      IbvPd domain,
      IbvCompChannel channel,
      IbvCQ completions,
      SVCPollCq poll,
      SVCReqNotify notification,
      ReceiveQueue receives) {}

  private record Arrival(DisniPair pair, int slot, int status, int bytes, int immediate) {}

  /**
   * Finds a device with an active port and an IP address.
   *
   * @param preferred the address to use if it belongs to an RDMA device
   * @throws IOException if there is none; says what is missing
   */
  DisniVerbs(InetAddress preferred) throws IOException {
    super(preferred);
    context = new NatIbvContext(manager.context(), NOT_NEEDED);
    for (int i = 0; i < BATCH; i++) {
      batch[i] = new IbvWC();
    }
  }

  /** An exception with the device's name and, if DiSNI reports it, the reason of its refusal. */
  IOException failed(IOException disni) {
    String reason = String.valueOf(disni.getMessage()).strip();
    String message = "rdma: " + device() + ": DiSNI: " + reason;
    return new IOException(
        reason.contains("Cannot allocate memory")
            ? message + "; " + LockedMemory.refused()
            : message,
        disni);
  }

  /** The device's limits, except for the shared receive queue, which is emulated here. */
  @Override
  public Limits limits() {
    Limits all = super.limits();
    return new Limits(all.sends(), WorkId.MOST_SLOTS, all.completions());
  }

  @Override
  public void open(Sizes sizes) throws IOException {
    if (sizes.sends() > WorkId.MOST_SLOTS || sizes.window() > WorkId.MOST_SLOTS) {
      throw new IOException("rdma: " + device() + ": DiSNI: queues too long: " + sizes);
    }
    // The receives of each connection complete too when it fails: the receives of an attempt that
    // the
    // peer refused, and of the surviving connection.
    long connections = Math.max(1, (sizes.completions() - sizes.receives()) / sizes.sends());
    long entries = connections * (sizes.sends() + 2L * sizes.window());
    if (entries > limits().completions()) {
      throw new IOException(
          "rdma: "
              + device()
              + ": too small for DiSNI and "
              + connections
              + " peers: a completion queue of "
              + entries
              + ", but the device takes "
              + limits().completions()
              + "; use --verbs native or --transport tcp");
    }
    try {
      IbvPd domain = context.allocPd();
      IbvCompChannel channel = context.createCompChannel();
      IbvCQ completions = context.createCQ(channel, (int) entries, 0);
      queues =
          new Queues(
              sizes,
              domain,
              channel,
              completions,
              completions.poll(batch, BATCH),
              completions.reqNotification(false),
              new ReceiveQueue(sizes.receives()));
      descriptor = OpenDevice.completionDescriptor(((NatIbvCompChannel) channel).getObjId());
    } catch (IOException e) {
      throw failed(e);
    }
    listen(this::createPair, sizes.inline());
  }

  private Queues queues() {
    Queues q = queues;
    if (q == null) {
      throw new IllegalStateException("not open yet");
    }
    return q;
  }

  private DisniPair createPair(long cmId, int inlineBytes) throws IOException {
    Queues q = queues();
    int place = freePlaces.isEmpty() ? pairs.size() : freePlaces.pop();
    if (place == WorkId.MOST_PLACES) {
      throw new IOException("rdma: " + device() + ": too many connections");
    }
    DisniPair pair;
    try {
      RdmaCmId id = new NatCmaIdPrivate(cmId, null, NOT_NEEDED);
      IbvQPInitAttr attributes = new IbvQPInitAttr();
      attributes.setQp_type(IbvQP.IBV_QPT_RC);
      attributes.setSend_cq(q.completions);
      attributes.setRecv_cq(q.completions);
      attributes.cap().setMax_send_wr(q.sizes.sends());
      attributes.cap().setMax_recv_wr(q.sizes.window());
      attributes.cap().setMax_inline_data(inlineBytes);
      IbvQP made = id.createQP(q.domain, attributes);
      pair = new DisniPair(this, id, made, WorkId.of(place, generation++), q.sizes.sends());
    } catch (IOException e) {
      freePlaces.push(place);
      throw failed(e);
    }
    if (place == pairs.size()) {
      pairs.add(pair);
    } else {
      pairs.set(place, pair);
    }
    try {
      if (bufferBytes > 0) {
        pair.provide(q.sizes.window(), bufferBytes);
      }
    } catch (IOException e) {
      pair.close();
      throw e;
    }
    return pair;
  }

  /** Drops a pair whose work is no longer of interest. */
  void forget(DisniPair pair) {
    int place = WorkId.place(pair.workId());
    pairs.set(place, null);
    freePlaces.push(place);
    waiting.removeIf(a -> a.pair == pair);
  }

  @Override
  public Region register(MemorySegment memory, int access) throws IOException {
    long bytes = memory.byteSize();
    if (bytes > Integer.MAX_VALUE) {
      throw new IOException(
          "rdma: "
              + device()
              + ": DiSNI registers at most 2 GiB at once, not "
              + bytes
              + " bytes; use --verbs native");
    }
    try {
      SVCRegMr call = queues().domain.regMr(memory.address(), (int) bytes, access).execute();
      Registered region = new Registered(call.getMr());
      call.free();
      regions.add(region);
      return region;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private final class Registered implements Region {
    private final IbvMr memory;

    Registered(IbvMr memory) {
      this.memory = memory;
    }

    @Override
    public int key() {
      return memory.getLkey();
    }

    @Override
    public int remoteKey() {
      return memory.getRkey();
    }

    @Override
    public void close() throws IOException {
      regions.remove(this);
      try {
        memory.deregMr().execute().free();
      } catch (IOException e) {
        if (!manager.removed()) {
          throw failed(e);
        }
      }
    }
  }

  // ---- data path

  @Override
  public void postReceive(long id, long address, int bytes, int key) throws IOException {
    Queues q = queues();
    if (bufferBytes == 0) {
      bufferBytes = bytes;
      for (DisniPair pair : pairs) {
        if (pair != null) {
          pair.provide(q.sizes.window(), bytes);
        }
      }
    }
    if (bytes != bufferBytes) {
      throw new IllegalArgumentException(bytes + " bytes, after buffers of " + bufferBytes);
    }
    if (q.receives.isFull()) {
      throw new IOException("rdma: " + device() + ": more receive buffers than " + q.sizes);
    }
    q.receives.add(id, address);
  }

  @Override
  public int poll() throws IOException {
    Queues q = queues();
    count = 0;
    while (!waiting.isEmpty() && !q.receives.isEmpty() && count < BATCH) {
      deliver(waiting.remove(), q);
    }
    int fetched;
    try {
      fetched = q.poll.execute().getPolls();
    } catch (IOException e) {
      throw failed(e);
    }
    for (int i = 0; i < fetched; i++) {
      take(batch[i], q);
    }
    return count;
  }

  private void take(IbvWC completion, Queues q) throws IOException {
    long id = completion.getWr_id();
    DisniPair pair = pairs.get(WorkId.place(id));
    if (pair == null || pair.workId() != WorkId.connection(id)) {
      return; // of a closed connection
    }
    int slot = WorkId.slot(id);
    int status = completion.getStatus();
    if (!WorkId.isReceive(id)) {
      complete(pair.send(slot), status, pair.number(), 0, 0);
    } else if (status != FLUSHED) {
      // A flushed buffer is none of the caller's.
      int bytes = status == SUCCEEDED ? completion.getByte_len() : 0;
      int immediate = DisniPair.networkOrder(completion.getImm_data());
      if (waiting.isEmpty() && !q.receives.isEmpty()) {
        deliver(pair, slot, status, bytes, immediate, q);
      } else {
        waiting.add(new Arrival(pair, slot, status, bytes, immediate));
      }
    }
  }

  private void deliver(Arrival a, Queues q) throws IOException {
    deliver(a.pair, a.slot, a.status, a.bytes, a.immediate, q);
  }

  private void deliver(DisniPair pair, int slot, int status, int bytes, int immediate, Queues q)
      throws IOException {
    ReceiveQueue buffers = q.receives;
    MemorySegment.copy(MEMORY, pair.received(slot), MEMORY, buffers.address(), bytes);
    complete(buffers.id(), status, pair.number(), bytes, immediate);
    buffers.remove();
    pair.repost(slot);
  }

  private void complete(long id, int status, int number, int bytes, int immediate) {
    ids[count] = id;
    statuses[count] = status;
    numbers[count] = number;
    lengths[count] = bytes;
    immediates[count] = immediate;
    count++;
  }

  @Override
  public long id(int i) {
    return ids[i];
  }

  @Override
  public boolean succeeded(int i) {
    return statuses[i] == SUCCEEDED;
  }

  @Override
  public String failure(int i) {
    IbvWC.IbvWcStatus[] known = IbvWC.IbvWcStatus.values();
    int status = statuses[i];
    return status >= 0 && status < known.length ? known[status].name() : "status " + status;
  }

  @Override
  public int connection(int i) {
    return numbers[i];
  }

  @Override
  public int bytes(int i) {
    return lengths[i];
  }

  @Override
  public int immediate(int i) {
    return immediates[i];
  }

  @Override
  public void requestNotification() throws IOException {
    try {
      queues().notification.execute();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public void takeNotifications() throws IOException {
    Queues q = queues();
    while (q.channel.getCqEvent(q.completions, 0)) {
      untaken++;
    }
  }

  // ---- waiting

  @Override
  public int completionDescriptor() {
    return descriptor;
  }

  // ---- the end

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    manager.closeConnections();
    for (Registered region : List.copyOf(regions)) {
      region.close();
    }
    Queues q = queues;
    if (q != null) {
      q.poll.free();
      q.notification.free();
      if (untaken != 0) {
        q.completions.ackEvents(untaken);
      }
      ended("ibv_destroy_cq", q.completions.destroyCQ());
      ended("ibv_destroy_comp_channel", q.channel.destroyCompChannel());
      ended("ibv_dealloc_pd", dealloc(q.domain));
    }
    manager.close();
  }

  private static int dealloc(IbvPd domain) throws IOException {
    try {
      return domain.deallocPd();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e); // declared, but never thrown
    }
  }

  private void ended(String what, int error) throws IOException {
    if (error != 0 && !manager.removed()) {
      throw new IOException("rdma: " + device() + ": DiSNI: " + what + ": error " + error);
    }
  }
}
