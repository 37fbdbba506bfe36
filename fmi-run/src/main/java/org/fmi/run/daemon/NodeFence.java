package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
    fence(last.jobId(), last.node(), last.generation(), last.secret());
    for (int g = 0; g <= last.generation(); g++) {
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
    Set<String> names = new LinkedHashSet<>();
    List<Path> own = new ArrayList<>();
    for (int g = 0; g <= generation; g++) {
      Path path = NodePaths.of(jobId, node, g, secret);
      names.add(path.toString());
      if (NodeDirectory.isOwn(path)) {
        own.add(path);
        ProcessHandle daemon = DirectoryLock.holder(path);
        if (daemon != null) {
          daemon.destroyForcibly();
        }
      }
    }
    NodeProcesses.kill(names);
    for (Path path : own) {
      NodeTree.delete(path);
    }
  }
}
