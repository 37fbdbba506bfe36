package org.fmi.spi;

import java.io.IOException;
import java.util.function.Function;
import org.fmi.Comm;

/** Makes checkpoint stores; found through {@link java.util.ServiceLoader}. */
public interface CheckpointStoreProvider {
  /**
   * Opens the store of one rank for the life of its process.
   *
   * @param system a communicator of all ranks for the store's own traffic, valid across recoveries
   * @param memory the node's memory
   * @throws IOException if the pieces left by earlier processes of the rank cannot be read
   */
  CheckpointStore open(RankConfig config, Comm system, NodeMemory memory) throws IOException;

  /**
   * Opens what ranks that have ended have left in a node's memory, and compares it with its
   * checksums.
   *
   * @throws IOException if it cannot be read
   */
  default LeftCheckpoints left(NodeMemory memory) throws IOException {
    throw new IOException("these checkpoints cannot be read by another job");
  }

  /** The job's checkpoints in files, for one rank. */
  default CheckpointSource source(RankConfig config) {
    return CheckpointSource.NONE;
  }

  /**
   * A provider of the same stores with files in addition.
   *
   * @param files returns the source of a rank
   */
  default CheckpointStoreProvider with(Function<RankConfig, CheckpointSource> files) {
    CheckpointStoreProvider stores = this;
    return new CheckpointStoreProvider() {
      @Override
      public CheckpointStore open(RankConfig config, Comm system, NodeMemory memory)
          throws IOException {
        return stores.open(config, system, memory);
      }

      @Override
      public CheckpointSource source(RankConfig config) {
        return files.apply(config);
      }
    };
  }
}
