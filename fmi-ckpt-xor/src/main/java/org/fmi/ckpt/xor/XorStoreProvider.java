package org.fmi.ckpt.xor;

import java.io.IOException;
import org.fmi.Comm;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.LeftCheckpoints;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;

/** Creates {@link XorStore}s. */
public final class XorStoreProvider implements CheckpointStoreProvider {
  /** The size of a full block in jobs. */
  public static final int BLOCK_BYTES = PieceLayout.BLOCK_BYTES;

  private final int blockBytes;

  /** A provider of stores as used by jobs. */
  public XorStoreProvider() {
    this(BLOCK_BYTES);
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

  @Override
  public LeftCheckpoints left(NodeMemory memory) throws IOException {
    return new NodePieces(memory, blockBytes);
  }
}
