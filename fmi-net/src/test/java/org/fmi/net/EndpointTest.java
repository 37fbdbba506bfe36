package org.fmi.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "127.0.0.1", "127.0.0.5"})
  void aLoopbackIsListenedAt(String host) throws Exception {
    InetSocketAddress at = Endpoint.listening(host);
    assertThat(at.getAddress()).isEqualTo(InetAddress.getByName(host));
    assertThat(at.getPort()).isZero();
  }

  @Test
  void eachAddressOfThisMachineIsListenedAt() throws Exception {
    List<InetAddress> all =
        NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
    assertThat(all).isNotEmpty();
    for (InetAddress address : all) {
      assertThat(Endpoint.listening(address.getHostAddress()).getAddress()).isEqualTo(address);
    }
  }

  /** TEST-NET-1, which no machine has: one that others reach it by, as behind a translation. */
  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "2001:db8::1", "node7", "node7.example", "fe80::zz"})
  void allInterfacesAreListenedAtForNamesAndAddressesOfOthers(String host) throws Exception {
    assertThat(Endpoint.listening(host).getAddress().isAnyLocalAddress()).isTrue();
  }

  @Test
  void bytesAreReadAsTheyWereWritten() {
    Endpoint endpoint = new Endpoint("node7.example", 65_535);
    assertThat(Endpoint.of(endpoint.bytes())).isEqualTo(endpoint);
  }
}
