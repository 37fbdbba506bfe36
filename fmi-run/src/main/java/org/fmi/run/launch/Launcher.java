package org.fmi.run.launch;

import java.io.IOException;
import org.fmi.job.control.Bootstrap;

/**
 * Starts the daemons of nodes, and ends them. A node has a name, by which its host is reached if it
 * is on another one. Calls may take seconds. Any thread.
 */
public interface Launcher {
  /**
   * Starts a node's daemon and hands it its instructions.
   *
   * @throws IOException if not even that can be done here
   */
  DaemonProcess start(String name, Bootstrap bootstrap) throws IOException;

  /**
   * Makes an end of a node of which nothing is to be heard any more: kills its daemon and all its
   * ranks, and deletes its memory. What is not to be reached is left to its own devices: a daemon
   * that has lost fmirun does the same by itself.
   *
   * @param last what the node's last daemon was given; an end is made of those before it too
   */
  void fence(String name, Bootstrap last) throws IOException;

  /**
   * Kills only the daemon of a node, for tests.
   *
   * @param pid its process on that node
   */
  void killDaemon(String name, long pid) throws IOException;
}
