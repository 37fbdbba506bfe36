package org.fmi.run.shell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The addresses of this machine at which daemons on other hosts can reach fmirun. */
final class Addresses {
  private static final int SSH_PORT = 22;

  private final List<String> hosts;

  /**
   * @param hosts hosts of the job
   */
  Addresses(List<String> hosts) {
    this.hosts = List.copyOf(hosts);
  }

  /**
   * Returns all addresses to try, starting with the one that routes to the host. May take seconds.
   */
  List<String> forHost(String host) {
    try {
      List<InetAddress> own =
          NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
      return inOrder(host, hosts, Addresses::route, own);
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @param route this machine's address towards a host; null if unknown
   * @param own all addresses of this machine
   */
  static List<String> inOrder(
      String host,
      List<String> hosts,
      Function<String, @Nullable InetAddress> route,
      List<InetAddress> own) {
    InetAddress first = route.apply(host);
    if (!hosts.contains(host) && (first == null || !first.isLoopbackAddress())) {
      refuseIfAlone(host, hosts, route);
    }
    if (first != null && first.isLoopbackAddress()) {
      // This machine itself. Its ranks use the address by which its daemon reached fmirun. If there
      // are other hosts, they must be able to reach that address.
      first = towardsOthers(hosts, route, first);
    }
    Set<String> addresses = new LinkedHashSet<>();
    if (first != null) {
      addresses.add(first.getHostAddress());
    }
    own.stream()
        .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
        .sorted((a, b) -> Boolean.compare(a instanceof Inet6Address, b instanceof Inet6Address))
        .forEach(address -> addresses.add(address.getHostAddress()));
    return addresses.isEmpty()
        ? List.of(InetAddress.getLoopbackAddress().getHostAddress())
        : List.copyOf(addresses);
  }

  /** Refuses an added host that could not reach the ranks with which the job started. */
  private static void refuseIfAlone(
      String host, List<String> hosts, Function<String, @Nullable InetAddress> route) {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    if (loopback.equals(towardsOthers(hosts, route, loopback))) {
      String why =
          "the job started on this machine alone, so other hosts cannot reach its ranks; start it"
              + " with "
              + host
              + " as a spare";
      throw new UncheckedIOException(why, new IOException(why));
    }
  }

  /**
   * Returns the loopback address if all hosts are this machine; null if the route to others is
   * unknown.
   */
  private static @Nullable InetAddress towardsOthers(
      List<String> hosts, Function<String, @Nullable InetAddress> route, InetAddress loopback) {
    boolean alone = true;
    for (String host : hosts) {
      InetAddress address = route.apply(host);
      if (address != null && !address.isLoopbackAddress()) {
        return address;
      }
      alone &= address != null;
    }
    return alone ? loopback : null;
  }

  private static @Nullable InetAddress route(String host) {
    try (DatagramSocket route = new DatagramSocket()) {
      // Sends nothing: asks the system for the address it would use.
      route.connect(
          new InetSocketAddress(
              InetAddress.getByName(host.substring(host.indexOf('@') + 1)), SSH_PORT));
      return route.getLocalAddress();
    } catch (UnknownHostException e) {
      return null; // an alias that only ssh knows
    } catch (SocketException e) {
      return null; // no route to it; ssh will report that
    }
  }
}
