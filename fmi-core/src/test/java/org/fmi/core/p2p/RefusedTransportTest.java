package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.fmi.Rollback;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.NodeShare;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system refuses a transport what it needs. */
final class RefusedTransportTest {
  private static final int CONTEXT = 2;

  private final UncheckedIOException refusal =
      new UncheckedIOException("no socket", new IOException("Too many open files"));
  private final List<UncheckedIOException> reported = new ArrayList<>();

  /** A network of two in which one method of the transport is refused. */
  private Transport refusing(String method) {
    Transport real = new MemoryNetwork(2, 1, MemoryNetwork.Options.PLAIN).transport(0);
    return (Transport)
        Proxy.newProxyInstance(
            Transport.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (_, called, arguments) -> {
              if (called.getName().equals(method)) {
                throw refusal;
              }
              try {
                return called.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Messenger messenger(Transport transport) {
    MessengerListener listener =
        new MessengerListener() {
          @Override
          public void peerLost(int peer, String reason) {
            throw new AssertionError(reason);
          }

          @Override
          public RuntimeException refused(UncheckedIOException e) {
            reported.add(e);
            throw new Rollback("the process is replaced");
          }
        };
    Messenger messenger = new Messenger(0, 2, new WaitStrategy(1, 1), listener);
    messenger.enter(0, new Transport[] {transport});
    return messenger;
  }

  /** The program must not see it: it would take its message for lost, or for sent. */
  @ParameterizedTest
  @ValueSource(strings = {"poll", "await", "offer"})
  void itIsTheOwnersToDecideHowTheCallEnds(String method) {
    Messenger messenger = messenger(refusing(method));
    long[] box = {1};
    assertThatThrownBy(
            () -> {
              messenger.send(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
              messenger.recv(box, 0, 8, 1, CONTEXT, 1);
            })
        .isInstanceOf(Rollback.class);
    assertThat(reported).containsOnly(refusal);
  }

  @Test
  void soItIsForAWakeUp() {
    Messenger messenger = messenger(refusing("nothing"));
    NodeShare share =
        (NodeShare)
            Proxy.newProxyInstance(
                NodeShare.class.getClassLoader(),
                new Class<?>[] {NodeShare.class},
                (_, _, _) -> {
                  throw refusal;
                });
    assertThatThrownBy(() -> messenger.nudge(share, 1)).isInstanceOf(Rollback.class);
    assertThat(reported).containsOnly(refusal);
  }

  /** A queued message goes out later, while the rank waits. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1 << 20})
  void soItIsForAMessageThatWaits(int bytes) {
    Messenger messenger = messenger(refusing("offer"));
    assertThatThrownBy(
            () -> messenger.isend(new byte[bytes], 0, bytes, 1, CONTEXT, 1, Mode.SYNCHRONOUS))
        .isInstanceOf(Rollback.class);
    assertThat(reported).containsOnly(refusal);
  }
}
