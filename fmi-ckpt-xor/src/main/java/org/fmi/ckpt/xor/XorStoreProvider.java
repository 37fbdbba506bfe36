package org.fmi.ckpt.xor;

import java.io.IOException;
import org.fmi.Comm;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;

/** Creates {@link XorStore}s. */
public final class XorStoreProvider implements CheckpointStoreProvider {
  private final int blockBytes;

  /** A provider of stores as used by jobs. */
  public XorStoreProvider() {
    this(PieceLayout.BLOCK_BYTES);
  }

  /**
   * A provider of stores for small images, for tests: small images behave like large ones.
   *
   * @param blockBytes the size of a full block, a multiple of 64
   */
  public XorStoreProvider(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  @Override
  public CheckpointStore open(RankConfig config, Comm system, NodeMemory memory)
      throws IOException {
    return new XorStore(
        config.rank(), config.group(), config.job().groupLosses(), blockBytes, system, memory);
  }
}
