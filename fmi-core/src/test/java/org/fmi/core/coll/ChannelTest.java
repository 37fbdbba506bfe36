package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.RollbackException;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.core.spi.Transport;
import org.junit.jupiter.api.Test;

/** What a channel lets collectives do. */
class ChannelTest {
  @Test
  void aFailedCollectiveIsForgottenInTheNextEpoch() {
    Messenger messenger = new Messenger(0, 1, new WaitStrategy(1, 1), 0, (peer, reason) -> {});
    messenger.enter(0, new Transport[0]);
    Channel channel = new Channel(messenger, 1, null, 0, 1);
    channel.begin();
    channel.end();
    channel.begin(); // and fails
    assertThatThrownBy(channel::begin)
        .isInstanceOf(FmiException.class)
        .hasMessageStartingWith(ErrorClass.COMM + ": a collective");
    // What the program's catch and finally blocks call after a failure is a rollback.
    messenger.revoke(0, "a rank has died");
    assertThatThrownBy(channel::begin).isInstanceOf(RollbackException.class);
    messenger.enter(1, new Transport[0]);
    assertThatCode(channel::begin).doesNotThrowAnyException();
  }
}
