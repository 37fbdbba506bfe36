package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Lets a thread sleep until one of some descriptors is readable, a datagram arrives at its bell, or
 * another thread wakes it.
 *
 * <pre>
 *   struct pollfd: 0 fd, 4 events, 6 revents      in the set: 0 wake-ups, 1 the bell, 2.. the rest
 * </pre>
 */
public final class Sleeper implements AutoCloseable {
  private static final int ENTRY_BYTES = 8;
  private static final int EVENTS = 4;
  private static final int REVENTS = 6;
  private static final short POLLIN = 1;
  private static final int WAKEUPS = 0;
  private static final int BELL = 1;
  private static final int OTHERS = 2;

  private static final int EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
  private static final int AF_INET = 2;
  private static final int SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
  private static final int SOCKADDR_BYTES = 16;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final Arena arena = Arena.ofShared();

  /** For the sleeping thread. */
  private final MemorySegment saved = arena.allocate(Posix.SAVED);

  private final MemorySegment set;
  private final MemorySegment timeout = arena.allocate(2 * JAVA_LONG.byteSize(), Long.BYTES);
  private final MemorySegment word = arena.allocate(JAVA_LONG);
  private final int count;

  /** Guards the memory of waking threads. */
  private final Object waking = new Object();

  private final MemorySegment wakingSaved = arena.allocate(Posix.SAVED);
  private final MemorySegment one = arena.allocate(JAVA_LONG);
  private int port;
  private boolean closed;

  /**
   * @param descriptors the descriptors to wait for; -1 for none yet
   */
  public Sleeper(int... descriptors) throws IOException {
    count = OTHERS + descriptors.length;
    set = arena.allocate((long) count * ENTRY_BYTES, Long.BYTES);
    for (int i = 0; i < count; i++) {
      set.set(JAVA_SHORT, (long) i * ENTRY_BYTES + EVENTS, POLLIN);
      set(i, i < OTHERS ? -1 : descriptors[i - OTHERS]);
    }
    one.set(JAVA_LONG, 0, 1);
    int wakeups = Posix.eventfd(saved, EFD_NONBLOCK_CLOEXEC);
    if (wakeups < 0) {
      IOException e = Posix.failed("eventfd", saved);
      arena.close();
      throw e;
    }
    set(WAKEUPS, wakeups);
  }

  private void set(int i, int descriptor) {
    set.set(JAVA_INT, (long) i * ENTRY_BYTES, descriptor);
  }

  private int get(int i) {
    return set.get(JAVA_INT, (long) i * ENTRY_BYTES);
  }

  private boolean readable(int i) {
    return set.get(JAVA_SHORT, (long) i * ENTRY_BYTES + REVENTS) != 0;
  }

  /** Changes the descriptors to wait for. */
  public void watch(int... descriptors) {
    for (int i = 0; i < descriptors.length; i++) {
      set(OTHERS + i, descriptors[i]);
    }
  }

  /** The bell: a UDP port of the loopback address, where a datagram ends the sleep. */
  public int bell() throws IOException {
    if (port == 0) {
      int socket = Posix.socket(saved, AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC);
      if (socket < 0) {
        throw Posix.failed("no UDP port for wake-ups: socket", saved);
      }
      set(BELL, socket);
      try (Arena own = Arena.ofConfined()) {
        MemorySegment address = own.allocate(SOCKADDR_BYTES, Long.BYTES);
        address.set(JAVA_SHORT, 0, (short) AF_INET);
        MemorySegment.copy(MemorySegment.ofArray(LOOPBACK), 0, address, 4, LOOPBACK.length);
        MemorySegment length = own.allocateFrom(JAVA_INT, SOCKADDR_BYTES);
        if (Posix.bind(saved, socket, address) != 0
            || Posix.getsockname(saved, socket, address, length) != 0) {
          throw Posix.failed("no UDP port for wake-ups", saved);
        }
        port =
            Byte.toUnsignedInt(address.get(JAVA_BYTE, 2)) << 8
                | Byte.toUnsignedInt(address.get(JAVA_BYTE, 3));
      }
    }
    return port;
  }

  /**
   * Sleeps for at most {@code maxNanos}; returns at once if something is readable.
   *
   * @param maxNanos {@link Long#MAX_VALUE} for no limit
   * @return whether one of the descriptors is readable
   */
  public boolean sleep(long maxNanos) throws IOException {
    MemorySegment limit = MemorySegment.NULL;
    if (maxNanos < Long.MAX_VALUE) {
      timeout.set(JAVA_LONG, 0, maxNanos / NANOS_PER_SECOND);
      timeout.set(JAVA_LONG, JAVA_LONG.byteSize(), maxNanos % NANOS_PER_SECOND);
      limit = timeout;
    }
    int ready = Posix.ppoll(saved, set, count, limit);
    if (ready < 0) {
      if (Posix.errno(saved) == Posix.EINTR) {
        return false;
      }
      throw Posix.failed("ppoll", saved);
    }
    if (ready == 0) {
      return false;
    }
    if (readable(WAKEUPS)) {
      empty(WAKEUPS);
    }
    if (readable(BELL)) {
      empty(BELL);
    }
    boolean others = false;
    for (int i = OTHERS; i < count; i++) {
      others |= readable(i);
    }
    return others;
  }

  /** Drains a descriptor; its content does not matter. */
  private void empty(int i) throws IOException {
    long n;
    do {
      n = Posix.read(saved, get(i), word);
    } while (n >= 0 && i == BELL);
    if (n < 0 && Posix.errno(saved) != Posix.EAGAIN && i == WAKEUPS) {
      throw Posix.failed("read", saved);
    }
  }

  /** Ends the sleep, or the next one. Any thread, even after {@link #close}. */
  public void wakeup() {
    synchronized (waking) {
      // It fails only if it already holds 2^64 - 1 wake-ups.
      if (!closed) {
        Posix.write(wakingSaved, get(WAKEUPS), one);
      }
    }
  }

  @Override
  public void close() {
    synchronized (waking) {
      if (closed) {
        return;
      }
      closed = true;
      Posix.close(saved, get(WAKEUPS));
      if (get(BELL) >= 0) {
        Posix.close(saved, get(BELL));
      }
      arena.close();
    }
  }
}
