package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.fmi.verbs.Structs.CmId;
import org.fmi.verbs.Structs.ConnectionParameters;
import org.fmi.verbs.Structs.QueuePairState;
import org.fmi.verbs.Structs.SendRequest;
import org.jspecify.annotations.Nullable;

/** A connection made by the {@link ConnectionManager}, with a queue pair of the provider. */
final class ManagedConnection implements RdmaConnection {
  /** The maximum of the hardware's three-bit field. */
  private static final byte RETRIES = 7;

  /** Infinite: there always are buffers, but a receiver's device may be late. */
  private static final byte RETRIES_WITHOUT_BUFFER = 7;

  private static final int STATUS_NO_LISTENER = 8;
  private static final int STATUS_STALE = 10;

  private final ConnectionManager manager;
  private final Native calls;
  private final NativeFunctions lib;
  private final long id;
  private final byte[] greeting;
  private ConnectionManager.@Nullable QueuePair queuePair;
  private boolean asked;

  /**
   * @param id the address of its {@code struct rdma_cm_id}
   * @param greeting sent to the peer with the request
   */
  ManagedConnection(ConnectionManager manager, long id, byte[] greeting) {
    this.manager = manager;
    this.calls = manager.calls;
    this.lib = manager.lib;
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
      case STATUS_NO_LISTENER ->
          new Verbs.Event(Verbs.Event.Kind.REJECTED, this, new byte[0], "no process listens there");
      default -> new Verbs.Event(Verbs.Event.Kind.REJECTED, this, words, "refused by the peer");
    };
  }

  Verbs.@Nullable Event resolveRoute() {
    return calls.callWithInt(lib.resolveRoute, id, ConnectionManager.RESOLVE_MILLIS) == 0
        ? null
        : failed("rdma_resolve_route", calls.errno());
  }

  Verbs.@Nullable Event connect() {
    try {
      queuePair = manager.createQueuePair(id);
    } catch (IOException e) {
      return new Verbs.Event(
          Verbs.Event.Kind.REFUSED_HERE, this, new byte[0], String.valueOf(e.getMessage()));
    }
    asked = agree(lib.connect, greeting) == 0;
    return asked ? null : failed("rdma_connect", calls.errno());
  }

  private ConnectionManager.QueuePair queuePair() throws IOException {
    ConnectionManager.QueuePair pair = queuePair;
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
      queuePair = manager.createQueuePair(id);
    } catch (IOException e) {
      // The peer may have given up. If the device is the cause, it refuses this one too.
      manager.tryQueuePair();
      return false;
    }
    return agree(lib.accept, words) == 0;
  }

  @Override
  public void reject(byte[] words) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment data = own.allocate(Math.max(1, words.length));
      MemorySegment.copy(MemorySegment.ofArray(words), 0, data, 0, words.length);
      // An error means that the other side has already gone.
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
            SendRequest.RDMA_READ, workId, at, bytes, key, 0, SIGNALLED, remoteAddress, remoteKey);
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
      // An error means that it was not connected.
      calls.callWithInt(lib.modifyQp, pair, a.address(), QueuePairState.MASK_STATE);
    }
  }

  @Override
  public void disconnect() {
    if (queuePair != null) {
      // An error means that it was not connected.
      calls.call(lib.disconnect, id);
    }
  }

  @Override
  public void close() {
    if (!manager.remove(id, this)) {
      return;
    }
    if (queuePair != null) {
      queuePair.close();
      queuePair = null;
    }
    calls.call(lib.destroyId, id);
  }
}
