package org.fmi.spi;

import java.io.IOException;
import org.fmi.Comm;

/** Makes checkpoint stores; found through {@link java.util.ServiceLoader}. */
public interface CheckpointStoreProvider {
  /**
   * Opens the store of one rank for the life of its process.
   *
   * @param system a communicator of all ranks for the store's own traffic; it stays valid over
   *     recoveries
   * @param memory the node's memory
   * @throws IOException if what earlier processes of the rank left there cannot be read
   */
  CheckpointStore open(RankConfig config, Comm system, NodeMemory memory) throws IOException;

  /** What the job begins from. */
  default CheckpointSource source(RankConfig config) {
    return CheckpointSource.NONE;
  }
}
