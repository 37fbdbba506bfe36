package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

final class LocalNetworkTest {
  @Test
  void thereIsAWayHere() {
    assertThatCode(() -> LocalNetwork.check(InetAddress.getLoopbackAddress()))
        .doesNotThrowAnyException();
  }

  /** Such an address is of no machine: of RFC 5737. */
  @Test
  void withoutOneTheInterfaceIsNamed() {
    assertThatThrownBy(() -> LocalNetwork.check(InetAddress.ofLiteral("192.0.2.1")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("processes of this machine cannot reach each other at 192.0.2.1 (")
        .hasMessageContaining("ip link set lo up");
  }
}
