package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import org.fmi.spi.Endpoints;
import org.junit.jupiter.api.Test;

/** A peer's end is noticed, and a closed transport leaves nothing open. */
interface EndingContract extends TransportRanks {
  @Test
  default void aPeerThatClosesIsLostOnceAndOthersAreNot() throws Exception {
    run(
        3,
        member -> {
          ContractPeer peer = new ContractPeer(member, 3);
          peer.start();
          for (int to = 0; to < 3; to++) {
            if (to != member.rank()) {
              peer.send(to, 0);
            }
          }
          peer.until(() -> peer.receivedFromAll(1));
          peer.drainUntilAllAreDone();
          if (member.rank() == 2) {
            member.transport().close();
            peer.arrive();
            member.meet();
            return;
          }
          int other = 1 - member.rank();
          peer.until(() -> !peer.lost.isEmpty());
          for (int i = 1; i < 50; i++) {
            int expected = i + 1;
            peer.send(other, i);
            peer.until(() -> peer.received[other] >= expected);
          }
          assertThat(peer.lost).containsExactly(2);
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  default void aPeerThatIsGoneBeforeTheFirstFrameIsLost() throws Exception {
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          if (member.rank() == 1) {
            member.transport().close();
            member.meet();
            return;
          }
          member.meet();
          peer.until(
              () -> {
                if (peer.lost.isEmpty()) {
                  peer.offer(1, 0);
                }
                return !peer.lost.isEmpty();
              });
          assertThat(peer.lost).containsExactly(1);
        });
  }

  @Test
  default void aRankWithoutAnEndpointIsNotReached() throws Exception {
    run(
        2,
        member -> {
          byte[][] endpoints = member.endpoints().clone();
          endpoints[1 - member.rank()] = new byte[0];
          member.transport().start(Endpoints.of(endpoints));
          assertThat(member.transport().reaches(1 - member.rank())).isFalse();
        });
  }

  @Test
  default void aClosedTransportTakesLateWakeups() throws Exception {
    run(
        1,
        member -> {
          new ContractPeer(member, 1).start();
          member.transport().close();
          member.transport().wakeup();
          member.transport().close();
        });
  }

  @Test
  default void closeReleasesThreadsAndFiles() throws Exception {
    Body exchange =
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          peer.send(1 - member.rank(), 0);
          peer.until(() -> peer.receivedFromAll(1));
          peer.drainUntilAllAreDone();
        };
    for (int i = 0; i < 5; i++) {
      run(2, exchange);
    }
    int files = openFiles();
    int threads = Thread.activeCount();
    for (int i = 0; i < 20; i++) {
      run(2, exchange);
    }
    assertThat(openFiles()).as("open files").isLessThan(files + 10);
    assertThat(Thread.activeCount()).as("threads").isLessThan(threads + 10);
  }

  private static int openFiles() {
    String[] files = new File("/proc/self/fd").list();
    return files == null ? 0 : files.length;
  }
}
