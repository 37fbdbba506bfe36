package org.fmi.run.shell;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.Session;
import org.fmi.run.launch.DaemonProcess;
import org.jspecify.annotations.Nullable;

/** fmirun's view of one node: the process that leads to its daemon, and the connection to it. */
final class NodeHandle {
  /** The reason of a loss that was caused from outside the job. */
  static final String TERMINATED = "its daemon was terminated from outside the job";

  /** One attempt to run a daemon on the node, from its start until the daemon is given up. */
  static final class Launch {
    final int generation;

    /** The generation of the first daemon whose memory it takes over; its own if of none. */
    final int memory;

    /** Completes when the attempt has succeeded or failed. */
    final CompletableFuture<?> settled = new CompletableFuture<>();

    /** Taken once: by the thread that then starts the daemon, or by the end of the job. */
    final AtomicBoolean turn = new AtomicBoolean();

    /** Whether the end of the job took the turn. */
    boolean cancelled;

    Launch(int generation, int memory) {
      this.generation = generation;
      this.memory = memory;
    }
  }

  final int number;
  final String name;
  int generation = -1;

  /** The generation of the first daemon with the present memory of the node. */
  int memory;

  /** Whether the last daemon that was up is lost, and its memory is kept for the next one. */
  boolean orphaned;

  /** Time at which that daemon was lost. */
  long orphanedAt;

  /** Whether the daemon is ready for ranks. */
  boolean up;

  /** Whether the daemon was terminated from outside the job. */
  boolean terminated;

  /** Why its last returning daemon could not be used; empty if it could. */
  String refusal = "";

  /** The process id of the daemon, on its host. */
  long pid;

  /** Free bytes for checkpoints when the daemon came up. */
  long memoryFree;

  /** The address at which the daemon listens for other daemons. */
  ToDaemon.@Nullable Peer listens;

  @Nullable Launch launch;

  /**
   * The messages between fmirun and the daemon, over one connection after the other; null before
   * the first.
   */
  @Nullable Session session;

  /** The newest connection; null while there is none. */
  @Nullable Connection connection;

  /** Why the last connection ended, while there is none. */
  @Nullable Closed closed;

  /** The number of its connections that have ended. */
  int breaks;

  /** The times of the last renewal of its lease, and of the last sign of it. */
  long grantedAt;

  long heardAt;

  /** Whether its silence was reported. */
  boolean silent;

  @Nullable DaemonProcess process;

  /** Completes when nothing is left of earlier daemons. */
  CompletableFuture<?> fenced = CompletableFuture.completedFuture(null);

  NodeHandle(int number, String name) {
    this.number = number;
    this.name = name;
  }

  /** Sends a message to the daemon once it is connected, or again; drops it before. */
  void send(ToDaemon message) {
    Session open = session;
    if (open != null) {
      open.send(ToDaemonCodec.encode(message));
    }
  }

  /** Gives the daemon up: from now on, its messages are those of a stranger. */
  void forget() {
    up = false;
    terminated = false;
    silent = false;
    settle();
    launch = null;
    disconnect();
    session = null;
    closed = null;
    DaemonProcess gone = process;
    process = null;
    if (gone != null) {
      gone.kill();
    }
  }

  /** Ends the current attempt. */
  void settle() {
    Launch attempt = launch;
    if (attempt != null) {
      attempt.settled.complete(null);
    }
  }

  void disconnect() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      leave(open);
      open.close();
    }
  }

  /** Notes that a connection is over. */
  void leave(Connection over) {
    Session open = session;
    if (open != null) {
      open.closed(over);
    }
  }
}
