package org.fmi.transport.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Finding;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.verbs.Devices;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;

/** Creates RDMA transports with the chosen verbs provider. */
public final class RdmaTransportProvider implements TransportProvider {
  /** Whether the user was warned; per process, not per epoch. */
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
      return true; // the reason is reported when it is used
    }
  }

  @Override
  public List<Finding> diagnose() {
    return new Diagnosis(new Devices(), System.getenv(VerbsProvider.VARIABLE) != null).findings();
  }

  @Override
  public Transport open(RankConfig config, int epoch, Diagnostics diagnostics) throws IOException {
    VerbsProvider provider = VerbsProvider.chosen();
    new Devices().check(); // missing parts are reported before insufficient ones
    Verbs verbs = provider.open(InetAddress.getByName(config.host()));
    RegistrationCache.Room room;
    try {
      int peers = RdmaTransport.capacity(config, verbs.limits()).connections();
      room = room(config, peers, provider, LockedMemory.limit(), LockedMemory.exempt());
    } catch (IOException | RuntimeException | Error e) {
      verbs.close();
      throw e;
    }
    return new RdmaTransport(
        config,
        epoch,
        verbs,
        room,
        reason -> warn(config.rank(), reason, diagnostics),
        diagnostics);
  }

  /**
   * The amount of the program's memory that a rank may register: the limit of locked memory minus
   * its buffers and queues, and at most its share of a quarter of the machine's memory.
   *
   * @param peers the most peers that it connects to
   * @throws IOException if the limit is too low for buffers and queues, which are locked as peers
   *     are connected: the job would fail halfway
   */
  static RegistrationCache.Room room(
      RankConfig config, int peers, VerbsProvider provider, long limit, boolean exempt)
      throws IOException {
    long share = LockedMemory.machineBytes() / 4 / config.ranksOnMachine();
    long left = Long.MAX_VALUE;
    if (!exempt && limit != LockedMemory.UNLIMITED) {
      long needed = Diagnosis.locked(peers, provider);
      if (limit < needed) {
        throw new IOException(
            "rdma: one of "
                + config.size()
                + " ranks needs "
                + LockedMemory.kib(needed)
                + " of locked memory, and "
                + LockedMemory.limited(limit));
      }
      left = limit - needed;
    }
    return left < share
        ? new RegistrationCache.Room(left, LockedMemory.limited(limit))
        : new RegistrationCache.Room(share, "its share of a quarter of the machine's memory");
  }

  private void warn(int rank, String reason, Diagnostics diagnostics) {
    if (!warned) {
      warned = true;
      diagnostics.report(
          "rank " + rank + " copies long messages, as RDMA cannot read them in place: " + reason);
    }
  }
}
