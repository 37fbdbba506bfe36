package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;

/**
 * Frames arrive whole, once and in order, from memory of any kind, as fast as the receiver takes
 * them.
 */
interface MessagesContract extends TransportRanks {
  @Test
  default void limitsAreSane() throws Exception {
    run(
        1,
        member -> {
          Transport t = member.transport();
          assertThat(t.name()).isNotBlank();
          assertThat(t.maxPayload()).isPositive();
          assertThat(t.maxPayload() % 64).isZero();
          assertThat(t.eagerLimit()).isPositive().isLessThanOrEqualTo(t.maxPayload());
          assertThat(t.endpoint()).isNotEmpty();
          assertThat(t.remoteMemory() != null).isEqualTo(hasRemoteMemory());
        });
  }

  @Test
  default void framesArriveWholeOnceAndInOrder() throws Exception {
    int ranks = 3;
    int frames = 300;
    run(
        ranks,
        member -> {
          ContractPeer peer = new ContractPeer(member, ranks);
          peer.start();
          int[] sent = new int[ranks];
          boolean all = false;
          while (!all) {
            boolean accepted = false;
            all = true;
            for (int to = 0; to < ranks; to++) {
              if (to != member.rank() && sent[to] < frames) {
                if (peer.offer(to, sent[to])) {
                  sent[to]++;
                  accepted = true;
                }
                all &= sent[to] == frames;
              }
            }
            peer.progress(!accepted && !all);
          }
          peer.until(() -> peer.receivedFromAll(frames));
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  default void everyKindOfMemoryIsSent() throws Exception {
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          if (member.rank() == 0) {
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment bytes = arena.allocate(64);
              for (int i = 0; i < 64; i++) {
                bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 3));
              }
              peer.sendRaw(bytes, 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_BYTE), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_SHORT), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_CHAR), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_INT), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_LONG), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_FLOAT), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_DOUBLE), 8, 16);
            }
          } else {
            peer.until(() -> peer.raw.size() == 8);
            byte[] expected = new byte[16];
            for (int i = 0; i < 16; i++) {
              expected[i] = (byte) ((i + 8) * 3);
            }
            assertThat(peer.raw).allSatisfy(bytes -> assertThat(bytes).isEqualTo(expected));
          }
          peer.drainUntilAllAreDone();
        });
  }

  /** Covers repeated sends by a program that has closed the arena too early. */
  @Test
  default void aClosedPayloadLeaksNothing() throws Exception {
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          if (member.rank() == 0) {
            byte[] there = new byte[16];
            peer.sendRaw(there, 0, there.length);
            int bytes = member.transport().maxPayload();
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
              closed = arena.allocate(bytes);
            }
            for (int i = 0; i < 300; i++) {
              assertThatThrownBy(() -> peer.sendRaw(closed, 0, bytes))
                  .isInstanceOf(IllegalStateException.class);
            }
            peer.sendRaw(there, 0, there.length);
          } else {
            peer.until(() -> peer.raw.size() == 2);
            assertThat(peer.raw).allSatisfy(bytes -> assertThat(bytes).isEqualTo(new byte[16]));
          }
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  default void aReceiverThatDoesNotPollStopsTheSenderOnlyUntilItPolls() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.longest = true;
          peer.start();
          Transport t = member.transport();
          if (member.rank() == 0) {
            peer.send(1, 0);
            peer.until(() -> peer.received[1] == 1);
            member.meet();
            int sent = 1;
            int refused = 0;
            while (refused < 300) {
              if (peer.offer(1, sent)) {
                sent++;
                refused = 0;
                assertThat((long) sent * t.maxPayload())
                    .as("bytes accepted though the peer does not receive")
                    .isLessThan(1L << 30);
              } else {
                refused++;
                peer.poll();
                t.await(100_000);
              }
            }
            accepted.set(sent);
            member.meet();
            peer.send(1, sent);
          } else {
            peer.until(() -> peer.received[0] == 1);
            peer.send(0, 0);
            member.meet();
            member.meet();
            peer.until(() -> peer.received[0] == accepted.get() + 1);
          }
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  default void handedOverMessagesArriveWithoutFurtherCalls() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.longest = true;
          peer.start();
          if (member.rank() == 0) {
            peer.send(1, 0);
            peer.until(() -> peer.received[1] == 1);
            member.meet();
            int sent = 1;
            int refused = 0;
            while (refused < 100) {
              if (peer.offer(1, sent)) {
                sent++;
                refused = 0;
              } else {
                refused++;
                peer.poll();
              }
            }
            accepted.set(sent);
            member.meet();
            peer.until(() -> member.transport().handedOver(1));
          } else {
            peer.until(() -> peer.received[0] == 1);
            peer.send(0, 0);
            member.meet();
            member.meet();
            peer.until(() -> peer.received[0] == accepted.get());
          }
          member.meet();
          peer.drainUntilAllAreDone();
        });
  }
}
