package org.fmi.ckpt.xor;

import java.io.IOException;
import org.fmi.Comm;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;

/** Makes {@link XorStore}s. */
public final class XorStoreProvider implements CheckpointStoreProvider {
  @Override
  public CheckpointStore open(RankConfig config, Comm system, NodeMemory memory)
      throws IOException {
    return new XorStore(config.rank(), config.group(), config.groupLosses(), system, memory);
  }
}
