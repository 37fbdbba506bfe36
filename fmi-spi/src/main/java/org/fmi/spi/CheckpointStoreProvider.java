package org.fmi.spi;

import java.io.IOException;
import java.util.function.Function;
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

  /** What files hold of the job's checkpoints, for one rank. */
  default CheckpointSource source(RankConfig config) {
    return CheckpointSource.NONE;
  }

  /**
   * The same stores, with files beside them.
   *
   * @param files finds what they hold for a rank
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
