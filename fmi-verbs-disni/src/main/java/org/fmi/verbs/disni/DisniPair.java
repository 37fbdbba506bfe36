package org.fmi.verbs.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.LinkedList;
import java.util.List;
import org.fmi.verbs.ConnectionManager;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/** A connection's queue pair, the ids of its sends, and its receive buffers. */
final class DisniPair implements ConnectionManager.QueuePair {
  private static final int PAGE_BYTES = 4096;
  private static final int CACHE_LINE_BYTES = 64;

  private final DisniVerbs verbs;
  private final RdmaCmId id;
  private final IbvQP pair;
  private final int number;
  private final long workId;

  /** The caller's ids, by slot. */
  private final long[] sends;

  private int posted;
  private @Nullable Receives receives;
  private boolean closed;

  /** Receive buffers, by slot. */
  private record Receives(
      Arena arena, Verbs.Region region, long address, int stride, SVCPostRecv[] calls) {}

  /**
   * @param workId see {@link WorkId#of}
   * @param depth the most outstanding sends
   */
  DisniPair(DisniVerbs verbs, RdmaCmId id, IbvQP pair, long workId, int depth) throws IOException {
    this.verbs = verbs;
    this.id = id;
    this.pair = pair;
    this.number = pair.getQp_num();
    this.workId = workId;
    this.sends = new long[depth];
  }

  private static int stride(int bytes) {
    return Math.ceilDiv(bytes, CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
  }

  /** The number of bytes that this many buffers lock. */
  static long lockedBytes(int count, int bytes) {
    return (long) count * stride(bytes);
  }

  /** Posts this many buffers, unless it has buffers already. */
  void provide(int count, int bytes) throws IOException {
    if (receives != null || closed) {
      return;
    }
    Arena arena = Arena.ofShared();
    Verbs.Region region;
    MemorySegment memory;
    try {
      memory = arena.allocate(lockedBytes(count, bytes), PAGE_BYTES);
      region = verbs.register(memory);
    } catch (IOException e) {
      arena.close();
      throw e;
    }
    SVCPostRecv[] calls = new SVCPostRecv[count];
    receives = new Receives(arena, region, memory.address(), stride(bytes), calls);
    for (int slot = 0; slot < count; slot++) {
      IbvRecvWR request = new IbvRecvWR();
      request.setWr_id(WorkId.receive(workId, slot));
      request.setSg_list(pieces(received(slot), bytes, region.key()));
      request.setNum_sge(1);
      calls[slot] = pair.postRecv(List.of(request), List.of());
      repost(slot);
    }
  }

  private Receives receives() {
    Receives r = receives;
    if (r == null) {
      throw new IllegalStateException("no receive buffers");
    }
    return r;
  }

  /** The address of the message that has arrived in a buffer. */
  long received(int slot) {
    Receives r = receives();
    return r.address + (long) slot * r.stride;
  }

  /** Posts a buffer again. */
  void repost(int slot) throws IOException {
    try {
      receives().calls[slot].execute();
    } catch (IOException e) {
      throw verbs.failed(e);
    }
  }

  @SuppressWarnings({"JdkObsolete", "NonApiType"}) // DiSNI takes no other list
  private static LinkedList<IbvSge> pieces(long address, int bytes, int key) {
    LinkedList<IbvSge> pieces = new LinkedList<>();
    if (bytes > 0) {
      IbvSge piece = new IbvSge();
      piece.setAddr(address);
      piece.setLength(bytes);
      piece.setLkey(key);
      pieces.add(piece);
    }
    return pieces;
  }

  @Override
  public int number() {
    return number;
  }

  /** Zero, as DiSNI does not report what the device has granted. */
  @Override
  public int inline() {
    return 0;
  }

  long workId() {
    return workId;
  }

  /** The caller's id of a send. */
  long send(int slot) {
    return sends[slot];
  }

  @Override
  public void post(
      int opcode,
      long callersId,
      long address,
      int bytes,
      int key,
      int immediate,
      int flags,
      long remoteAddress,
      int remoteKey)
      throws IOException {
    IbvSendWR request = new IbvSendWR();
    request.setWr_id(WorkId.send(workId, posted));
    request.setOpcode(opcode);
    request.setSend_flags(flags);
    request.setImm_data(networkOrder(immediate));
    request.setSg_list(pieces(address, bytes, key));
    request.getRdma().setRemote_addr(remoteAddress);
    request.getRdma().setRkey(remoteKey);
    // DiSNI can reuse a call with other addresses, but not with another immediate value.
    SVCPostSend call = pair.postSend(List.of(request), List.of());
    sends[posted] = callersId;
    try {
      call.execute();
    } catch (IOException e) {
      throw verbs.failed(e);
    } finally {
      call.free();
    }
    posted = posted + 1 == sends.length ? 0 : posted + 1;
  }

  /** Converts between host and network order. */
  static int networkOrder(int number) {
    return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? number : Integer.reverseBytes(number);
  }

  @Override
  public void close() {
    closed = true;
    verbs.forget(this);
    try {
      id.destroyQP();
      Receives r = receives;
      if (r != null) {
        for (SVCPostRecv call : r.calls) {
          if (call != null) {
            call.free();
          }
        }
        r.region.close();
        r.arena.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot free a queue pair", e);
    }
  }
}
