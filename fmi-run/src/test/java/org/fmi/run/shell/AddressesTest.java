package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** This machine is host "here", whose name stands for its loopback address, as Debian has it. */
final class AddressesTest {
  /** This machine's address towards each host that is known. */
  private final Map<String, InetAddress> routes = new TreeMap<>();

  private final List<InetAddress> own = new ArrayList<>();

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  AddressesTest() {
    for (String text :
        List.of("127.0.0.1", "::1", "fd00::1", "fe80::1", "172.17.0.1", "10.0.0.1", "10.9.0.1")) {
      own.add(address(text));
    }
    routes.put("here", address("127.0.0.1"));
    routes.put("localhost", address("127.0.0.1"));
    routes.put("beta", address("10.0.0.1"));
    routes.put("gamma", address("10.9.0.1"));
  }

  private List<String> addresses(String host, String... hosts) {
    return Addresses.inOrder(host, List.of(hosts), routes::get, own);
  }

  @Test
  void firstIsTheOneTowardsTheHost() {
    assertThat(addresses("gamma", "here", "beta", "gamma"))
        .containsExactly("10.9.0.1", "172.17.0.1", "10.0.0.1", "fd00:0:0:0:0:0:0:1");
  }

  /** Its ranks take that address: other hosts must reach it. */
  @Test
  void amongOthersThisMachineHasTheAddressTowardsThem() {
    assertThat(addresses("here", "here", "beta", "gamma"))
        .containsExactly("10.0.0.1", "172.17.0.1", "10.9.0.1", "fd00:0:0:0:0:0:0:1");
    assertThat(addresses("localhost", "localhost", "alias", "gamma")).startsWith("10.9.0.1");
  }

  @Test
  void byItselfThisMachineNeedsNoNetwork() {
    assertThat(addresses("here", "here", "localhost")).startsWith("127.0.0.1");
  }

  @Test
  void ofAnAliasOfSshNoRouteIsKnown() {
    List<String> all = List.of("172.17.0.1", "10.0.0.1", "10.9.0.1", "fd00:0:0:0:0:0:0:1");
    assertThat(addresses("alias", "here", "alias")).isEqualTo(all);
    assertThat(addresses("here", "here", "alias")).isEqualTo(all);
  }

  @Test
  void withoutAnyOtherItIsTheLoopbackAddress() {
    own.removeIf(address -> !address.isLoopbackAddress());
    assertThat(addresses("here", "here", "alias")).containsExactly("127.0.0.1");
  }

  @Test
  void aHostThatIsAddedMustReachTheOthers() {
    assertThatThrownBy(() -> addresses("beta", "here", "localhost"))
        .hasMessageContaining("started on this machine alone")
        .hasMessageContaining("with beta as a spare");
    assertThatThrownBy(() -> addresses("alias", "here")).hasMessageContaining("with alias");
    assertThat(addresses("localhost", "here")).startsWith("127.0.0.1");
    assertThat(addresses("gamma", "here", "beta")).startsWith("10.9.0.1");
  }
}
