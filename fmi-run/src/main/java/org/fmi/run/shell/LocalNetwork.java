package org.fmi.run.shell;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The way from one process of this machine to another. */
final class LocalNetwork {
  private static final int MILLIS = 5000;

  private LocalNetwork() {}

  /**
   * Checks that there is one: in a container or a namespace without network the loopback interface
   * may be down.
   *
   * @throws IOException if there is none
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
              + "): see that its loopback interface is up, as by 'ip link set lo up'",
          e);
    }
  }
}
