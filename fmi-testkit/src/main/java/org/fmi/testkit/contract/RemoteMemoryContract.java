package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.fmi.spi.RemoteMemory;
import org.junit.jupiter.api.Test;

/** A rank reads memory that its peers expose, if its transport can. */
interface RemoteMemoryContract extends TransportRanks {
  /**
   * Both ranks read messages of many lengths from each other's memory, while frames are in flight.
   */
  @Test
  default void exposedMemoryIsRead() throws Exception {
    assumeThat(hasRemoteMemory()).isTrue();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
          long least = Math.max(1, remote.leastBytes());
          long[] lengths = {least, 3 << 20, least + 13, 5 * least + 1, least, (1 << 20) + 7};
          try (Arena arena = Arena.ofShared()) {
            List<RemoteMemory.Exposure> exposures = new ArrayList<>();
            List<MemorySegment> read = new ArrayList<>();
            for (int i = 0; i < lengths.length; i++) {
              MemorySegment out = arena.allocate(lengths[i] + 40, 8);
              fill(out.asSlice(40), member.rank() * 100 + i);
              exposures.add(peer.expose(remote, out, 40, lengths[i]));
              peer.send(1 - member.rank(), i);
            }
            for (int i = 0; i < lengths.length; i++) {
              int tickets = i + 1;
              peer.until(() -> peer.raw.size() >= tickets);
              MemorySegment in = arena.allocate(lengths[i] + 24, 8);
              peer.read(remote, in, 24, lengths[i], i);
              read.add(in);
            }
            peer.until(() -> peer.read.size() == lengths.length);
            peer.until(() -> peer.receivedFromAll(lengths.length));
            assertThat(peer.read).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
            for (int i = 0; i < lengths.length; i++) {
              MemorySegment expected = arena.allocate(lengths[i] + 24, 8);
              fill(expected.asSlice(24), (1 - member.rank()) * 100 + i);
              assertThat(read.get(i).mismatch(expected)).as("message " + i).isEqualTo(-1);
            }
            peer.drainUntilAllAreDone();
            exposures.forEach(RemoteMemory.Exposure::close);
          }
        });
  }

  /** A rank reads into an array, if its transport can. */
  @Test
  default void exposedMemoryIsReadIntoArrays() throws Exception {
    assumeThat(readsIntoArrays()).isTrue();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
          long bytes = Math.max(1, remote.leastBytes()) / 8 * 8 + (1 << 20) + 24;
          try (Arena arena = Arena.ofShared()) {
            MemorySegment out = arena.allocate(bytes, 8);
            fill(out, member.rank());
            RemoteMemory.Exposure exposure = peer.expose(remote, out, 0, bytes);
            peer.until(() -> peer.raw.size() == 1);
            long[] in = new long[(int) (bytes / 8) + 5];
            peer.read(remote, in, 24, bytes, 0);
            peer.until(() -> peer.read.size() == 1);
            MemorySegment expected = MemorySegment.ofArray(new long[in.length]);
            fill(expected.asSlice(24, bytes), 1 - member.rank());
            assertThat(MemorySegment.ofArray(in).mismatch(expected)).isEqualTo(-1);
            peer.send(1 - member.rank(), 0);
            peer.until(() -> peer.receivedFromAll(1));
            peer.drainUntilAllAreDone();
            exposure.close();
          }
        });
  }

  /** A read sees the current memory at an address where other memory was before. */
  @Test
  default void memoryThatWasFreedIsForgotten() throws Exception {
    assumeThat(hasRemoteMemory()).isTrue();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
          long bytes = Math.max(1 << 20, remote.leastBytes());
          Set<Long> addresses = new HashSet<>();
          int rounds = 20;
          for (int round = 0; round < rounds; round++) {
            int expected = round + 1;
            try (Arena arena = Arena.ofShared()) {
              // So large that it is mapped when it is allocated, and unmapped when it is freed.
              MemorySegment memory = arena.allocate(bytes, 8);
              addresses.add(memory.address());
              if (member.rank() == 0) {
                fill(memory, round);
                try (RemoteMemory.Exposure exposure = peer.expose(remote, memory, 0, bytes)) {
                  assertThat(exposure).isNotNull();
                  peer.until(() -> peer.received[1] == expected);
                }
              } else {
                peer.until(() -> peer.raw.size() == expected);
                peer.read(remote, memory, 0, bytes, round);
                peer.until(() -> peer.read.size() == expected);
                MemorySegment filled = MemorySegment.ofArray(new byte[(int) bytes]);
                fill(filled, round);
                assertThat(memory.mismatch(filled)).as("round " + round).isEqualTo(-1);
                peer.send(0, round);
              }
            }
          }
          assertThat(addresses).as("an address is used for new memory").hasSizeLessThan(rounds);
          peer.drainUntilAllAreDone();
        });
  }

  /** One rank stops while the other reads its memory; then both use their own memory. */
  @Test
  default void memoryOfAStoppedRankIsItsOwnAgain() throws Exception {
    assumeThat(hasRemoteMemory()).isTrue();
    for (int polls = 0; polls < 64; polls += 1 + polls / 2) {
      int after = polls;
      run(
          2,
          member -> {
            ContractPeer peer = new ContractPeer(member, 2);
            peer.start();
            RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
            long bytes = Math.max(longRead(), remote.leastBytes());
            try (Arena arena = Arena.ofShared()) {
              MemorySegment out = arena.allocate(bytes, 8).fill((byte) 1);
              MemorySegment in = arena.allocate(bytes, 8);
              peer.expose(remote, out, 0, bytes);
              peer.until(() -> peer.raw.size() == 1);
              peer.read(remote, in, 0, bytes, 0);
              for (int i = 0; i < (member.rank() == 0 ? after : 0); i++) {
                peer.poll();
              }
              if (member.rank() == 0) {
                remote.stop();
                remote.stop();
                out.fill((byte) 2);
                in.fill((byte) 3);
                member.meet();
                member.meet();
                MemorySegment expected = arena.allocate(bytes, 8).fill((byte) 3);
                assertThat(in.mismatch(expected)).as("written after stop").isEqualTo(-1);
              } else {
                member.meet();
                for (int i = 0; i < 30; i++) {
                  peer.poll();
                  member.transport().await(10_000_000);
                }
                MemorySegment expected = arena.allocate(bytes, 8).fill((byte) 1);
                if (!peer.read.isEmpty()) {
                  assertThat(in.mismatch(expected)).as("read after stop").isEqualTo(-1);
                }
                assertThat(peer.lost).as("a rank that stops is not taken for dead").isEmpty();
                remote.stop();
                member.meet();
              }
              member.transport().close();
            }
          });
    }
  }

  private static void fill(MemorySegment memory, long seed) {
    byte[] block = new byte[4096];
    SplittableRandom random = new SplittableRandom(seed);
    for (long at = 0; at < memory.byteSize(); at += block.length) {
      random.nextBytes(block);
      int bytes = (int) Math.min(block.length, memory.byteSize() - at);
      MemorySegment.copy(block, 0, memory, ValueLayout.JAVA_BYTE, at, bytes);
    }
  }
}
