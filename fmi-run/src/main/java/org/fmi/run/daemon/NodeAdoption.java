package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;

/**
 * A daemon's takeover of the checkpoints that dead daemons of its node have left. It moves them one
 * by one into its own directory. If it is killed meanwhile, the next daemon finds some in either
 * place.
 */
final class NodeAdoption {
  /** The time that the system has to end the processes of a dead daemon. */
  private static final long DEATH_NANOS = TimeUnit.SECONDS.toNanos(30);

  private NodeAdoption() {}

  /**
   * Ends what the dead daemons have left running, takes over their checkpoints, and deletes all
   * else that they have left.
   *
   * @param pieces the new daemon's directory of checkpoints
   * @throws IOException if a process does not end, or the node's memory is gone
   */
  static void adopt(Bootstrap bootstrap, NodeDirectory pieces) throws IOException {
    int last = bootstrap.generation() - 1;
    long begin = System.nanoTime();
    while (!NodeFence.kill(bootstrap.jobId(), bootstrap.node(), last, bootstrap.secret())) {
      if (System.nanoTime() - begin > DEATH_NANOS) {
        throw new IOException("processes of its last daemon were killed and do not end");
      }
    }
    boolean found = false;
    for (int g = bootstrap.memory(); g <= last; g++) {
      Path memory = NodePaths.of(bootstrap.jobId(), bootstrap.node(), g, bootstrap.secret());
      // A disk may keep what was there before the machine was started again.
      Path left = bootstrap.pieces().isEmpty() ? memory : NodePaths.onDisk(bootstrap, g);
      if (NodeDirectory.isOwn(memory) && NodeDirectory.isOwn(left)) {
        pieces.takeCheckpoints(left);
        found = true;
      }
    }
    if (!found) {
      throw new IOException("the memory of its last daemon is gone");
    }
    NodeFence.fence(bootstrap, last);
  }
}
