package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.fmi.transport.rdma.RegistrationCache.Registration;
import org.fmi.verbs.UnpinnableMemoryException;
import org.fmi.verbs.Verbs;
import org.junit.jupiter.api.Test;

class RegistrationCacheTest {
  private static final long WINDOW = RegistrationCache.WINDOW_BYTES;
  private static final long MIB = 1 << 20;

  /** A device that records its registrations, and can register a limited number of bytes. */
  private static final class Device implements RegistrationCache.Registrar {
    final List<Known> known = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    int asked;
    int registered;
    long most = Long.MAX_VALUE;

    /** The address of memory that no device can register. */
    long unpinnable;

    @Override
    public Verbs.Region register(MemorySegment memory, int access) throws IOException {
      asked++;
      if (memory.address() == unpinnable) {
        throw new UnpinnableMemoryException("unpinnable");
      }
      Known k = new Known(this, memory.address(), memory.byteSize(), access);
      if (bytes() + memory.byteSize() > most) {
        throw new IOException("refused: " + memory.byteSize());
      }
      registered++;
      known.add(k);
      return k;
    }

    long bytes() {
      return known.stream().mapToLong(Known::bytes).sum();
    }

    RegistrationCache cache(long mostBytes) {
      return new RegistrationCache(
          this, new RegistrationCache.Room(mostBytes, "that is why"), warnings::add);
    }
  }

  private record Known(Device device, long address, long bytes, int access)
      implements Verbs.Region {
    @Override
    public int key() {
      return 1;
    }

    @Override
    public int remoteKey() {
      return 2;
    }

    @Override
    public void close() {
      assertThat(device.known.remove(this)).isTrue();
    }
  }

  private final Device device = new Device();

  /** Memory like a mapped file: its refusal does not affect other memory. */
  @Test
  void memoryThatNoDeviceCanBeGiven() {
    RegistrationCache cache = device.cache(Long.MAX_VALUE);
    try (Arena ofFile = Arena.ofConfined();
        Arena arena = Arena.ofConfined()) {
      MemorySegment file = ofFile.allocate(MIB);
      MemorySegment memory = arena.allocate(MIB);
      device.unpinnable = file.address();
      useOnce(cache, memory, 0, 100);
      assertThat(cache.use(file, 0, 50, false)).isNull();
      assertThat(cache.use(file, 100, 200, false)).isNull();
      assertThat(device.asked).isEqualTo(2);
      assertThat(device.warnings).containsExactly("unpinnable");
      useOnce(cache, memory, 0, 100);
      useOnce(cache, arena.allocate(MIB), 0, 100);
      assertThat(device.registered).isEqualTo(2);
    }
  }

  private static void useOnce(
      RegistrationCache cache, MemorySegment memory, long offset, long bytes) {
    use(cache, memory, offset, bytes).close();
  }

  private static Registration use(
      RegistrationCache cache, MemorySegment memory, long offset, long bytes) {
    Registration r = cache.use(memory, offset, bytes, false);
    if (r == null) {
      throw new AssertionError("not registered");
    }
    return r;
  }

  /** Reserves address space only: the tests never touch it. */
  @SuppressWarnings("restricted")
  private static MemorySegment at(long address, long bytes, Arena arena) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
  }

  @Test
  void registersMemoryNearAMessageToo() {
    RegistrationCache cache = device.cache(1L << 40);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = at(1 << 30, 5 * WINDOW / 2, arena);
      useOnce(cache, memory, 100, 1000);
      useOnce(cache, memory, WINDOW - 1000, 1000);
      useOnce(cache, memory.asSlice(5000), 0, 1000);
      assertThat(device.known)
          .containsExactly(
              new Known(device, 1 << 30, WINDOW, Verbs.LOCAL_WRITE | Verbs.REMOTE_READ));
      useOnce(cache, memory, 2 * WINDOW, WINDOW / 2);
      useOnce(cache, memory, WINDOW - 1, 2);
      assertThat(device.known.stream().map(Known::bytes))
          .containsExactly(WINDOW, WINDOW / 2, 2 * WINDOW);
      assertThat(device.registered).isEqualTo(3);
    }
  }

  @Test
  void readOnlyMemoryIsReadOnly() {
    RegistrationCache cache = device.cache(1L << 40);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = at(1 << 30, WINDOW, arena);
      useOnce(cache, memory.asReadOnly(), 0, 1000);
      assertThat(device.known.getFirst().access).isEqualTo(Verbs.REMOTE_READ);
      Registration written = cache.use(memory, 0, 1000, true);
      assertThat(written).isNotNull();
      assertThat(device.registered).isEqualTo(2);
    }
  }

  @Test
  void memoryThatWasFreedIsForgotten() {
    RegistrationCache cache = device.cache(1L << 40);
    for (int i = 1; i <= 3; i++) {
      try (Arena arena = Arena.ofConfined()) {
        useOnce(cache, at(1 << 30, WINDOW, arena), 0, 1000);
      }
      assertThat(device.registered).isEqualTo(i);
      assertThat(device.known).hasSize(1);
    }
  }

  /** The memory is freed when it is unreachable; the cache does not keep it reachable. */
  @Test
  void doesNotKeepMemoryReachable() throws InterruptedException {
    RegistrationCache cache = device.cache(1L << 40);
    WeakReference<MemorySegment> automatic = useAutomatic(cache);
    WeakReference<ByteBuffer> direct = useDirect(cache);
    assertThat(device.known).hasSize(2);
    long begin = System.nanoTime();
    while (automatic.get() != null || direct.get() != null) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(60_000_000_000L);
      System.gc();
      Thread.sleep(1);
    }
    try (Arena arena = Arena.ofConfined()) {
      useOnce(cache, at(1 << 30, 1000, arena), 0, 1000);
      assertThat(device.known).hasSize(1);
    }
  }

  private static WeakReference<MemorySegment> useAutomatic(RegistrationCache cache) {
    MemorySegment memory = Arena.ofAuto().allocate(MIB);
    useOnce(cache, memory, 0, MIB);
    return new WeakReference<>(memory);
  }

  private WeakReference<ByteBuffer> useDirect(RegistrationCache cache) {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) MIB);
    // As the API does: a new view each time.
    MemorySegment first = MemorySegment.ofBuffer(buffer.duplicate());
    useOnce(cache, first, 0, MIB);
    useOnce(cache, MemorySegment.ofBuffer(buffer.duplicate()), 0, MIB);
    assertThat(first.byteSize()).isEqualTo(MIB);
    return new WeakReference<>(buffer);
  }

  @Test
  void theLeastRecentlyUsedMakesRoom() {
    RegistrationCache cache = device.cache(3 * MIB);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment[] memory = new MemorySegment[5];
      for (int i = 0; i < memory.length; i++) {
        memory[i] = at((i + 1) * MIB * 2, MIB, arena);
      }
      for (int i : new int[] {0, 1, 2, 0, 3}) {
        useOnce(cache, memory[i], 0, MIB);
      }
      assertThat(device.known.stream().map(Known::address))
          .containsExactlyInAnyOrder(memory[0].address(), memory[2].address(), memory[3].address());
      // Registrations in use stay; later messages are not registered for now.
      List<Registration> used = new ArrayList<>();
      for (int i : new int[] {0, 1, 2}) {
        used.add(use(cache, memory[i], 0, MIB));
      }
      assertThat(cache.use(memory[4], 0, MIB, false)).isNull();
      used.get(1).close();
      assertThat(cache.use(memory[4], 0, MIB, false)).isNotNull();
      assertThat(cache.bytes()).isEqualTo(3 * MIB);
      assertThat(device.warnings).isEmpty();
    }
  }

  @Test
  void theNumberOfRegistrationsIsBounded() {
    RegistrationCache cache = device.cache(1L << 40);
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 1; i <= 2 * RegistrationCache.MOST_REGISTRATIONS; i++) {
        useOnce(cache, at(i * MIB, 1000, arena), 0, 1000);
      }
      assertThat(device.known).hasSize(RegistrationCache.MOST_REGISTRATIONS);
      assertThat(cache.bytes()).isEqualTo(device.bytes());
    }
  }

  @Test
  void reportsARefusalOnceAndSendsShorterMessages() {
    RegistrationCache cache = device.cache(1L << 40);
    device.most = 3 * MIB;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment small = at(1 << 30, 2 * MIB, arena);
      MemorySegment large = at(1L << 31, 4 * WINDOW, arena);
      useOnce(cache, small, 0, 1000);
      // Its window is refused, but not the message, for which the other registration is evicted.
      useOnce(cache, large, MIB, 3 * MIB);
      assertThat(device.bytes()).isEqualTo(3 * MIB);
      assertThat(device.warnings).isEmpty();
      assertThat(cache.use(large, 8 * MIB, 3 * MIB + 1, false)).isNull();
      assertThat(cache.use(large, 8 * MIB, 4 * MIB, false)).isNull();
      assertThat(device.warnings).containsExactly("refused: " + (3 * MIB + 1));
      useOnce(cache, small, 0, 1000);
    }
  }

  @Test
  void reportsAMessageBeyondTheLimit() {
    RegistrationCache cache = device.cache(MIB);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = at(1 << 30, WINDOW, arena);
      assertThat(cache.use(memory, 0, 2 * MIB, false)).isNull();
      assertThat(cache.use(memory, 0, 2 * MIB, false)).isNull();
      useOnce(cache, memory, 0, MIB);
      assertThat(device.warnings)
          .containsExactly(
              "a message of 2048 KiB exceeds the 1024 KiB that this rank may lock for messages:"
                  + " that is why");
    }
  }

  @Test
  void closeReleasesWhatIsInUseToo() throws IOException {
    RegistrationCache cache = device.cache(1L << 40);
    try (Arena arena = Arena.ofConfined()) {
      Registration used = use(cache, at(1 << 30, MIB, arena), 0, MIB);
      useOnce(cache, at(1L << 31, MIB, arena), 0, MIB);
      cache.close();
      assertThat(device.known).isEmpty();
      used.close();
    }
  }
}
