package org.fmi.run.launch;

import java.io.IOException;
import org.fmi.job.control.Bootstrap;

/**
 * Starts and ends the daemons of nodes. A node has a name, which is also the address of a remote
 * host. Calls may take seconds. Any thread.
 */
public interface Launcher {
  /**
   * Starts a node's daemon and sends it its instructions.
   *
   * @throws IOException if that fails on this machine
   */
  DaemonProcess start(String name, Bootstrap bootstrap) throws IOException;

  /**
   * Fences a node that is lost: kills its daemon and all its ranks, and deletes its memory. An
   * unreachable node is left alone: a daemon that has lost fmirun does the same by itself.
   *
   * @param last the instructions of the node's last daemon; earlier ones are fenced as well
   */
  void fence(String name, Bootstrap last) throws IOException;

  /**
   * Whether the system of a node reports that its daemon has ended. Also false if it does not
   * answer, or does not know.
   *
   * @param last the instructions of the daemon
   */
  boolean isDead(String name, Bootstrap last) throws IOException;

  /**
   * Kills only the daemon of a node, for tests.
   *
   * @param pid its process on that node
   */
  void killDaemon(String name, long pid) throws IOException;
}
