package org.fmi.transport.rdma;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.fmi.spi.RemoteMemory;
import org.fmi.transport.rdma.RegistrationCache.Registration;
import org.jspecify.annotations.Nullable;

/**
 * Long messages that the receiver's device reads from the sender's memory. A ticket is the memory's
 * address and the key that gives access to it.
 */
final class Reads implements RemoteMemory {
  /** Shorter messages are faster as frames, unless their memory is already registered. */
  static final long LEAST_BYTES = 32 << 10;

  private final RdmaTransport transport;
  private final RegistrationCache cache;
  private final ArrayDeque<Read> free = new ArrayDeque<>();

  Reads(RdmaTransport transport, RegistrationCache cache) {
    this.transport = transport;
    this.cache = cache;
  }

  @Override
  public long leastBytes() {
    return LEAST_BYTES;
  }

  @Override
  public @Nullable Exposure expose(MemorySegment memory, long offset, long bytes, long[] ticket) {
    Registration r = cache.use(memory, offset, bytes, false);
    if (r != null) {
      ticket[0] = memory.address() + offset;
      ticket[1] = r.region.remoteKey();
    }
    return r;
  }

  @Override
  public boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id) {
    if (!(base instanceof MemorySegment memory) || !memory.isNative()) {
      return false; // a device cannot access memory that moves
    }
    Registration registration = cache.use(memory, offset, bytes, true);
    if (registration == null) {
      return false;
    }
    Read read = free.isEmpty() ? new Read(registration) : free.pop();
    read.registration = registration;
    read.id = id;
    read.address = memory.address() + offset;
    read.key = registration.region.key();
    read.remoteAddress = ticket[0];
    read.remoteKey = (int) ticket[1];
    read.bytes = bytes;
    read.asked = 0;
    read.arrived = 0;
    transport.read(peer, read);
    return true;
  }

  /** Finishes a read that is complete. */
  void finish(Read read) {
    read.registration.close();
    free.push(read);
  }

  @Override
  public void stop() {
    transport.stop();
  }
}
