package org.fmi.bench.unprotected;

import org.fmi.spi.FailureDetector;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.RankConfig;

/**
 * Takes the log-ring's place: notices no failure and reports none. For measuring what its absence
 * would save.
 */
public final class NoDetectorProvider implements FailureDetectorProvider {
  @Override
  public FailureDetector open(RankConfig config, int epoch, FailureDetector.Listener listener) {
    return new NoDetector();
  }

  private static final class NoDetector implements FailureDetector {
    @Override
    public byte[] endpoint() {
      return new byte[0];
    }

    @Override
    public void connect(byte[][] endpoints) {}

    @Override
    public String transport() {
      return "nothing";
    }

    @Override
    public void announce(int rank, String reason) {}

    @Override
    public void close() {}
  }
}
