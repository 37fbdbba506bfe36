package org.fmi.run.rank;

import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.BooleanSupplier;
import org.fmi.core.spi.CheckpointInterval;
import org.fmi.core.spi.FailureDetector;
import org.fmi.core.spi.FailureDetectorProvider;
import org.fmi.core.spi.RankConfig;
import org.fmi.core.spi.Transport;
import org.fmi.core.spi.TransportProvider;
import org.fmi.core.wire.Frame;

/**
 * Gets a standby ready: loads the classes that a rank needs and runs its transports once around, so
 * that it joins a recovery in milliseconds.
 */
final class WarmUp {
  private static final int ROUNDS = 1000;
  private final BooleanSupplier enough;

  /**
   * @param enough whether there is no more time: it is needed
   */
  WarmUp(BooleanSupplier enough) {
    this.enough = enough;
  }
}
