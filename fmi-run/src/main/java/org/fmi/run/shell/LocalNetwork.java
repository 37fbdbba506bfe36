package org.fmi.run.shell;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The network between processes of this machine. */
final class LocalNetwork {
  private static final int MILLIS = 5000;

  private LocalNetwork() {}

  /**
   * Checks that it works: in a container or a namespace without network, the loopback interface may
   * be down.
   *
   * @throws IOException if it does not
   */
  static void check(InetAddress loopback) throws IOException {
    try (ServerSocket there = new ServerSocket(0, 1, loopback);
        Socket here = new Socket()) {
      here.connect(new InetSocketAddress(loopback, there.getLocalPort()), MILLIS);
    } catch (IOException e) {
      throw new IOException(
          "processes of this machine cannot reach each other at "
              + loopback.getHostAddress()
              + " ("
              + e.getMessage()
              + "): bring up the loopback interface, for example with 'ip link set lo up'",
          e);
    }
  }
}
