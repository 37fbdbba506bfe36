package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Rollback;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.CollectiveCall.Name;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Ranks;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.NodeShare;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;

/** The calls that a channel allows. */
class ChannelTest {
  private static <T> T stub(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  /** With more ranks each rank's part would be empty. */
  @Test
  void veryManyRanksShareNoRegion() {
    NodeShare share =
        stub(
            NodeShare.class,
            (proxy, method, args) -> {
              if (method.getName().equals("node")) {
                return 0;
              }
              throw new AssertionError("shares memory");
            });
    PointToPoint p2p =
        stub(
            PointToPoint.class,
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "share" -> share;
                  case "epoch" -> 0;
                  default -> throw new AssertionError("communicates");
                });
    Channel most = new Channel(p2p, 1, null, 0, 1024);
    Channel more = new Channel(p2p, 1, null, 0, 1025);
    for (int use = 1; use < 8; use++) {
      assertThat(most.region()).isNull();
      assertThat(more.region()).isNull();
    }
    assertThatThrownBy(most::region).hasMessage("shares memory");
    assertThat(more.region()).isNull();
    assertThat(more.nodes()).isNull();
  }

  /** Messages name world ranks, whatever the ranks are in their communicator or node. */
  @Test
  void errorsNameWorldRanks() {
    Ranks.runOnOneNode(
        2,
        p2p -> {
          int rank = 1 - p2p.rank();
          Channel channel = new Channel(p2p, 1, new int[] {1, 0}, rank, 2);
          Location data = new Location(new byte[16], 0);
          if (rank == 0) {
            Collectives.bcast(channel, data, 8, 0);
          } else {
            assertThatThrownBy(() -> Collectives.bcast(channel, data, 16, 0))
                .hasMessageContaining("rank 1 has sent 8 bytes in ")
                .hasMessageContaining(", where rank 0 expects 16");
          }
          while (channel.region() == null) {
            Collectives.barrier(channel);
          }
          if (rank == 0) {
            channel.begin(CollectiveCall.of(Name.BCAST, Predefined.BYTE, 0, 8));
            Collectives.bcast(channel, data, 8, 0);
          } else {
            channel.begin(CollectiveCall.of(Name.BCAST, Predefined.BYTE, 0, 16));
            assertThatThrownBy(() -> Collectives.bcast(channel, data, 16, 0))
                .hasMessageContaining(
                    "rank 1 calls bcast(byte[8], root 0) where rank 0 calls bcast(byte[16], root"
                        + " 0)");
          }
        });
  }

  @Test
  void aFailedCollectiveIsForgottenInTheNextEpoch() {
    Messenger messenger = new Messenger(0, 1, new WaitStrategy(1, 1), (peer, reason) -> {});
    messenger.enter(0, new Transport[0]);
    Channel channel = new Channel(messenger, 1, null, 0, 1);
    channel.begin(0);
    channel.end();
    channel.begin(0); // and fails
    assertThatThrownBy(() -> channel.begin(0))
        .isInstanceOf(FmiException.class)
        .hasMessageStartingWith(ErrorClass.COMM + ": a collective");
    // After a failure, a call from the program's catch and finally blocks throws a rollback.
    messenger.revoke(0, "a rank has died");
    assertThatThrownBy(() -> channel.begin(0)).isInstanceOf(Rollback.class);
    messenger.enter(1, new Transport[0]);
    assertThatCode(() -> channel.begin(0)).doesNotThrowAnyException();
  }
}
