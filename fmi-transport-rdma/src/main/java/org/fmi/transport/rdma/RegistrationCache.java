package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import org.fmi.spi.RemoteMemory;
import org.fmi.verbs.UnpinnableMemoryException;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * The program's memory that the device knows. To make it known costs more than to send it; so it
 * stays known until others need the room, least recently used first, or the transport closes.
 *
 * <p><b>When memory is freed</b> and other memory comes to lie at its address, what the device
 * knows of that address is wrong. Each registration therefore knows the scope of the segment it was
 * made for, and counts only while that is alive. It is known weakly: memory that lives as long as
 * somebody uses it (direct byte buffers, automatic arenas) is not kept from being freed, and its
 * scope is gone before it is. A scope that is global says that its memory is never freed; whoever
 * wraps an address as such a segment has promised that.
 *
 * <p><b>What is registered</b> is not the message alone but all of its segment within windows of
 * {@link #WINDOW_BYTES}: the messages of a program lie near each other.
 */
final class RegistrationCache {
  static final long WINDOW_BYTES = 16 << 20;
  static final int MOST_REGISTRATIONS = 512;

  /** Makes memory known to the device. */
  interface Registrar {
    /**
     * See {@link Verbs#register(MemorySegment, int)}.
     *
     * @throws IOException if the device refuses
     */
    Verbs.Region register(MemorySegment memory, int access) throws IOException;
  }

  /**
   * How much may be registered at a time.
   *
   * @param reason for a person: why not more, and what would help
   */
  record Room(long bytes, String reason) {}

  /** Memory known to the device. */
  static final class Registration implements RemoteMemory.Exposure {
    final Verbs.Region region;
    private final long begin;
    private final long end;
    private final boolean writable;
    private final WeakReference<MemorySegment.Scope> scope;
    private int uses;

    private Registration(Verbs.Region region, MemorySegment memory) {
      this.region = region;
      begin = memory.address();
      end = begin + memory.byteSize();
      writable = !memory.isReadOnly();
      scope = new WeakReference<>(memory.scope());
    }

    private long bytes() {
      return end - begin;
    }

    private boolean alive() {
      MemorySegment.Scope s = scope.get();
      return s != null && s.isAlive();
    }

    private boolean covers(long from, long to, boolean written) {
      return begin <= from && to <= end && (writable || !written);
    }

    /** It is used once less. */
    @Override
    public void close() {
      uses--;
    }
  }

  private final Registrar registrar;
  private final Room room;
  private final Consumer<String> warning;

  /** The first {@link #count}, the one used last first. */
  private final Registration[] registrations = new Registration[MOST_REGISTRATIONS];

  private int count;
  private long bytes;

  /** Messages of this many bytes are refused. */
  private long refused = Long.MAX_VALUE;

  /** Of memory that no device can be given, whatever its size: the last that was found. */
  private WeakReference<MemorySegment.Scope> unpinnable = new WeakReference<>(null);

  private boolean unpinnableTold;

  /**
   * An empty one.
   *
   * @param warning hears, once, why long messages are copied
   */
  RegistrationCache(Registrar registrar, Room room, Consumer<String> warning) {
    this.registrar = registrar;
    this.room = room;
    this.warning = warning;
  }

  /**
   * Registers memory for as long as its user wants it, until it closes the registration.
   *
   * @param memory native, and alive
   * @param written whether the device is to write it
   * @return null if it cannot be registered, now or at all
   */
  @Nullable Registration use(MemorySegment memory, long offset, long length, boolean written) {
    long from = memory.address() + offset;
    for (int i = 0; i < count; i++) {
      Registration r = registrations[i];
      if (r.covers(from, from + length, written) && r.alive()) {
        System.arraycopy(registrations, 0, registrations, 1, i);
        registrations[0] = r;
        r.uses++;
        return r;
      }
    }
    return length >= refused || memory.scope().equals(unpinnable.get())
        ? null
        : register(memory, offset, length);
  }

  private @Nullable Registration register(MemorySegment memory, long offset, long length) {
    try {
      for (int i = count - 1; i >= 0; i--) {
        if (!registrations[i].alive()) {
          release(i);
        }
      }
      long from = offset / WINDOW_BYTES * WINDOW_BYTES;
      long to =
          Math.min(memory.byteSize(), Math.ceilDiv(offset + length, WINDOW_BYTES) * WINDOW_BYTES);
      if (to - from > length && makeRoom(to - from)) {
        try {
          return add(memory.asSlice(from, to - from));
        } catch (UnpinnableMemoryException e) {
          throw e;
        } catch (IOException e) {
          // The message alone may still do.
        }
      }
      if (length > room.bytes) {
        throw new IOException(
            "a message of "
                + length
                + " bytes exceeds the "
                + room.bytes
                + " that this rank may lock for messages: "
                + room.reason);
      }
      return makeRoom(length) ? add(memory.asSlice(offset, length)) : null;
    } catch (UnpinnableMemoryException e) {
      if (!unpinnableTold) {
        unpinnableTold = true;
        warning.accept(String.valueOf(e.getMessage()));
      }
      if (!memory.scope().equals(Arena.global().scope())) { // which is that of other memory too
        unpinnable = new WeakReference<>(memory.scope());
      }
      return null;
    } catch (IOException e) {
      if (refused == Long.MAX_VALUE) {
        warning.accept(String.valueOf(e.getMessage()));
      }
      refused = Math.min(refused, length);
      return null;
    }
  }

  /** Releases what is not in use until {@code more} bytes may be registered; whether they may. */
  private boolean makeRoom(long more) throws IOException {
    if (more > room.bytes) {
      return false;
    }
    for (int i = count - 1; i >= 0 && !hasRoom(more); i--) {
      release(i);
    }
    return hasRoom(more);
  }

  private boolean hasRoom(long more) {
    return bytes + more <= room.bytes && count < MOST_REGISTRATIONS;
  }

  private Registration add(MemorySegment range) throws IOException {
    Registration r = new Registration(register(range), range);
    System.arraycopy(registrations, 0, registrations, 1, count);
    registrations[0] = r;
    count++;
    bytes += r.bytes();
    r.uses++;
    return r;
  }

  private Verbs.Region register(MemorySegment range) throws IOException {
    int access = Verbs.REMOTE_READ | (range.isReadOnly() ? 0 : Verbs.LOCAL_WRITE);
    try {
      return registrar.register(range, access);
    } catch (UnpinnableMemoryException e) {
      throw e;
    } catch (IOException e) {
      // Perhaps for want of what is registered already.
      if (!releaseUnused()) {
        throw e;
      }
      return registrar.register(range, access);
    }
  }

  /** Releases all that is not in use. Returns whether there was something. */
  boolean releaseUnused() throws IOException {
    int before = count;
    for (int i = count - 1; i >= 0; i--) {
      release(i);
    }
    return count < before;
  }

  /** Releases a registration, unless it is in use. */
  private void release(int index) throws IOException {
    Registration r = registrations[index];
    if (r.uses > 0) {
      return;
    }
    remove(index);
    r.region.close();
  }

  private void remove(int index) {
    count--;
    bytes -= registrations[index].bytes();
    System.arraycopy(registrations, index + 1, registrations, index, count - index);
  }

  /** Bytes registered. */
  long bytes() {
    return bytes;
  }

  /** Releases all, in use or not: no work of the device may need them any more. */
  void close() throws IOException {
    while (count > 0) {
      Registration r = registrations[0];
      remove(0);
      r.region.close();
    }
  }
}
