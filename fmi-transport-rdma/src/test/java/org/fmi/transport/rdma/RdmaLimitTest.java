package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.RemoteMemory;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.VerbsProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Enough locked memory for frames, but not for long messages. */
@Tag("rdma")
class RdmaLimitTest {
  /** An unregistrable message is refused with a single diagnostic, and ends nothing. */
  @Test
  void memoryBeyondTheLimitIsRefused() throws Exception {
    assumeFalse(LockedMemory.exempt() || LockedMemory.limit() > 64 << 20);
    List<String> warnings = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        RdmaTransport ours =
            new RdmaTransport(
                RdmaFaultsTest.config(0, RdmaFaultsTest.secret(1)),
                1,
                VerbsProvider.chosen().open(InetAddress.getLoopbackAddress()),
                new RegistrationCache.Room(1L << 40, "a test"),
                warnings::add,
                Diagnostics.NONE)) {
      RemoteMemory remote = ours.remoteMemory();
      long[] ticket = new long[RemoteMemory.TICKET_LONGS];
      MemorySegment large = arena.allocate(2 * LockedMemory.limit());
      MemorySegment small = arena.allocate(1 << 20);
      assertThat(remote.expose(small, 0, small.byteSize(), ticket)).isNotNull();
      for (int i = 0; i < 3; i++) {
        assertThat(remote.expose(large, 0, large.byteSize(), ticket)).isNull();
      }
      assertThat(warnings)
          .singleElement()
          .satisfies(w -> assertThat(w).contains("ulimit -l").contains("cannot register"));
      // a part of it can be exposed
      assertThat(remote.expose(large, 0, 1 << 20, ticket)).isNotNull();
    }
  }
}
