package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.fmi.job.control.Bootstrap;

/** Removes a node: its daemons, the processes of its ranks, its directories. */
public final class NodeFence {
  private NodeFence() {}

  /**
   * Removes a node as known to its last daemon, including its data on a disk. May be called when
   * nothing of it is left.
   */
  public static void fence(Bootstrap last) throws IOException {
    fence(last, last.generation());
  }

  /**
   * Whether the last daemon of a node has certainly ended: its directory is here, and no process
   * holds its lock.
   */
  public static boolean isDead(Bootstrap last) throws IOException {
    Path path = NodePaths.of(last.jobId(), last.node(), last.generation(), last.secret());
    return NodeDirectory.isOwn(path) && DirectoryLock.isFree(DirectoryLock.in(path));
  }

  /** Removes the daemons of a node up to this generation, and what they have left. */
  static void fence(Bootstrap last, int generation) throws IOException {
    fence(last.jobId(), last.node(), generation, last.secret());
    for (int g = 0; g <= generation; g++) {
      Set<Path> paths = new LinkedHashSet<>();
      for (Path base : NodePaths.programBases(last.pieces())) {
        paths.add(NodePaths.ofProgram(base, last.jobId(), last.node(), g, last.secret()));
      }
      if (!last.pieces().isEmpty()) {
        paths.add(NodePaths.onDisk(last, g));
      }
      for (Path path : paths) {
        if (NodeDirectory.isOwn(path)) {
          NodeTree.delete(path);
        }
      }
    }
  }

  /**
   * Removes a node: kills its daemons and all processes of its ranks, and deletes their
   * directories. May be called when nothing of it is left.
   *
   * @param generation the last daemon of the job there; earlier ones are removed as well
   */
  static void fence(String jobId, int node, int generation, byte[] secret) throws IOException {
    boolean _ = kill(jobId, node, generation, secret);
    for (int g = 0; g <= generation; g++) {
      Path path = NodePaths.of(jobId, node, g, secret);
      if (NodeDirectory.isOwn(path)) {
        NodeTree.delete(path);
      }
    }
  }

  /**
   * Kills the daemons of a node up to this generation, and all processes of its ranks.
   *
   * @return whether none of them was left at the last look
   */
  static boolean kill(String jobId, int node, int generation, byte[] secret) throws IOException {
    boolean none = true;
    Set<String> names = new LinkedHashSet<>();
    for (int g = 0; g <= generation; g++) {
      Path path = NodePaths.of(jobId, node, g, secret);
      names.add(path.toString());
      ProcessHandle daemon = NodeDirectory.isOwn(path) ? DirectoryLock.holder(path) : null;
      if (daemon != null) {
        daemon.destroyForcibly();
        none = false;
      }
    }
    return NodeProcesses.kill(names) && none;
  }
}
