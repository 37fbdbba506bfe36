package org.fmi.transport.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.fmi.core.spi.Finding;
import org.fmi.core.spi.RankConfig;
import org.fmi.core.spi.Transport;
import org.fmi.core.spi.TransportProvider;
import org.fmi.verbs.Devices;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.VerbsProvider;

/** Makes RDMA transports, by the verbs provider that was chosen. */
public final class RdmaTransportProvider implements TransportProvider {
  /** Once a process, not once an epoch. */
  private boolean warned;

  @Override
  public String name() {
    return RdmaTransport.NAME;
  }

  @Override
  public int order() {
    return 20;
  }

  @Override
  public boolean present() {
    try {
      return !new Devices().ports().isEmpty();
    } catch (IOException e) {
      return true; // what is wrong there is said by whoever tries to use it
    }
  }

  @Override
  public List<Finding> diagnose() {
    return new Diagnosis(new Devices()).findings();
  }

  @Override
  public Transport open(RankConfig config, int epoch) throws IOException {
    VerbsProvider provider = VerbsProvider.chosen();
    return new RdmaTransport(
        config,
        epoch,
        provider.open(InetAddress.getByName(config.host())),
        mostRegistered(config, provider),
        reason -> warn(config.rank(), reason));
  }

  /**
   * Bytes of the program's memory that a rank may register: what the limit of locked memory leaves,
   * and not more than its share of a quarter of the machine's memory.
   */
  private static long mostRegistered(RankConfig config, VerbsProvider provider) throws IOException {
    long share = LockedMemory.machineBytes() / 4 / config.ranksOnMachine();
    if (LockedMemory.exempt()) {
      return share;
    }
    int peers = Math.max(1, config.size() - 1);
    // Each peer may have two connections for a moment, when both dial; and the next epoch has one.
    long connections = 2L * peers + 1;
    long locked =
        Diagnosis.locked(peers)
            + connections * provider.lockedBytes(ReceivePool.UNDER_WAY, Slab.FRAME_BYTES);
    return Math.clamp(LockedMemory.limit() - locked, 0, share);
  }

  private void warn(int rank, String reason) {
    if (!warned) {
      warned = true;
      System.err.println(
          "fmi: rank "
              + rank
              + " copies long messages, RDMA cannot read them from where they are: "
              + reason);
    }
  }
}
