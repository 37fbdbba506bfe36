package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.fmi.job.control.Bootstrap;

/** Makes an end of a node: of its daemons, of the processes of its ranks, of its directories. */
public final class NodeFence {
  private NodeFence() {}

  /**
   * Makes an end of a node, as its last daemon knew it, with what it has on a disk. May be called
   * when there is nothing left of it.
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
   * Makes an end of a node: kills its daemons and all processes of its ranks, and deletes their
   * directories. May be called when there is nothing left of it.
   *
   * @param generation the last daemon that the job had there; it is done to those before it too
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
