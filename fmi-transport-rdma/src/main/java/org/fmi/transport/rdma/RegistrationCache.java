package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import org.fmi.spi.RemoteMemory;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.UnpinnableMemoryException;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * The program's memory registered with the device. Registering costs more than sending, so memory
 * stays registered until the room is needed, least recently used first, or the transport closes.
 *
 * <p><b>Freed memory.</b> When memory is freed and other memory takes its address, the device's
 * mapping of that address is wrong. Each registration therefore knows the scope of its segment, and
 * is valid only while that scope is alive. It refers to the scope weakly, so that memory that lives
 * as long as it is used (direct byte buffers, automatic arenas) can be freed; its scope goes first.
 * A global scope means that the memory is never freed, which code that wraps an address in such a
 * segment has promised.
 *
 * <p><b>Windows.</b> A registration covers not only the message but all of its segment within
 * windows of {@link #WINDOW_BYTES}, as the messages of a program are close to each other.
 */
final class RegistrationCache {
  static final long WINDOW_BYTES = 16 << 20;
  static final int MOST_REGISTRATIONS = 512;

  /** Registers memory with the device. */
  interface Registrar {
    /**
     * See {@link Verbs#register(MemorySegment, int)}.
     *
     * @throws IOException if the device refuses
     */
    Verbs.Region register(MemorySegment memory, int access) throws IOException;
  }

  /**
   * The limit on registered memory.
   *
   * @param reason for a person: the reason of the limit, and what would help
   */
  record Room(long bytes, String reason) {}

  /** Registered memory. */
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

    /** Ends one use. */
    @Override
    public void close() {
      uses--;
    }
  }

  private final Registrar registrar;
  private final Room room;
  private final Consumer<String> warning;

  /** The first {@link #count} elements are in use, most recently used first. */
  private final Registration[] registrations = new Registration[MOST_REGISTRATIONS];

  private int count;
  private long bytes;

  /** Messages of at least this many bytes are refused. */
  private long refused = Long.MAX_VALUE;

  /** The last memory found that no device can register, whatever its size. */
  private WeakReference<MemorySegment.Scope> unpinnable = new WeakReference<>(null);

  private boolean unpinnableReported;

  /**
   * An empty cache.
   *
   * @param warning receives, once, the reason why long messages are copied
   */
  RegistrationCache(Registrar registrar, Room room, Consumer<String> warning) {
    this.registrar = registrar;
    this.room = room;
    this.warning = warning;
  }

  /**
   * Registers memory until the caller closes the registration.
   *
   * @param memory native, and alive
   * @param written whether the device writes to it
   * @return null if it cannot be registered, now or ever
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
          // The message alone may still succeed.
        }
      }
      if (length > room.bytes) {
        throw new IOException(
            "a message of "
                + LockedMemory.kib(length)
                + " exceeds the "
                + LockedMemory.kib(room.bytes)
                + " that this rank may lock for messages: "
                + room.reason);
      }
      return makeRoom(length) ? add(memory.asSlice(offset, length)) : null;
    } catch (UnpinnableMemoryException e) {
      if (!unpinnableReported) {
        unpinnableReported = true;
        warning.accept(String.valueOf(e.getMessage()));
      }
      if (!memory.scope().equals(Arena.global().scope())) { // which is shared with other memory
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

  /** Releases unused registrations until {@code more} bytes fit; returns whether they do. */
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
      // Possibly for lack of the room that existing registrations take.
      if (!releaseUnused()) {
        throw e;
      }
      return registrar.register(range, access);
    }
  }

  /** Releases all unused registrations; returns whether there were any. */
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

  /** The number of registered bytes. */
  long bytes() {
    return bytes;
  }

  /** Releases all registrations, used or not; the device must have no work that needs them. */
  void close() throws IOException {
    while (count > 0) {
      Registration r = registrations[0];
      remove(0);
      r.region.close();
    }
  }
}
