package org.fmi.ckpt.xor;

import java.io.IOException;
import org.fmi.Comm;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;

/** Makes {@link XorStore}s. */
public final class XorStoreProvider implements CheckpointStoreProvider {
  private final int blockBytes;

  /** Of stores as real jobs have them. */
  public XorStoreProvider() {
    this(PieceLayout.BLOCK_BYTES);
  }

  /**
   * Of stores for small images, for tests: what happens in large ones happens in them too.
   *
   * @param blockBytes of a full block, a multiple of 64
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
