package org.fmi.testkit.support;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;

/** The connections that a system makes for a listening process, which has not accepted them. */
public final class AcceptQueue {
  private AcceptQueue() {}

  /**
   * Connects until the system makes no more connections.
   *
   * @param queue receives the connections, also if this fails
   */
  public static void fill(ServerSocket peer, List<Socket> queue) throws IOException {
    for (boolean full = false; !full; ) {
      Socket socket = new Socket();
      queue.add(socket);
      try {
        socket.connect(peer.getLocalSocketAddress(), 1000);
      } catch (SocketTimeoutException e) {
        full = true;
      }
    }
  }
}
