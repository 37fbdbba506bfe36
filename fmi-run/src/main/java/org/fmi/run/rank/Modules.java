package org.fmi.run.rank;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.fmi.ckpt.files.FileSource;
import org.fmi.control.JobLink;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.progress.ParkingClock;
import org.fmi.core.rank.RankRuntime;
import org.fmi.run.Transports;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;
import org.fmi.spi.TransportProvider;

/** The modules found on the class path that make up a rank's runtime. */
record Modules(
    List<TransportProvider> transports,
    FailureDetectorProvider detectors,
    CheckpointStoreProvider stores) {

  static Modules find() {
    return new Modules(
        Transports.find(), one(FailureDetectorProvider.class), one(CheckpointStoreProvider.class));
  }

  private static <T> T one(Class<T> service) {
    // FMI's own class loader: the program may have set another one for its thread.
    List<T> found = new ArrayList<>();
    ServiceLoader.load(service, Modules.class.getClassLoader()).forEach(found::add);
    if (found.size() != 1) {
      throw new IllegalStateException(
          found.size() + " modules for " + service.getSimpleName() + " on the class path, not 1");
    }
    return found.getFirst();
  }

  /** Joins the job. */
  RankRuntime join(RankConfig config, JobLink link, NodeMemory memory, OwnCore ownCore)
      throws IOException {
    List<TransportProvider> wanted =
        config.job().transports().isEmpty()
            ? transports.stream().filter(TransportProvider::present).toList()
            : transports.stream()
                .filter(t -> config.job().transports().contains(t.name()))
                .toList();
    if (wanted.isEmpty()) {
      throw new IllegalStateException(
          "none of the transports " + config.job().transports() + " is on the class path");
    }
    return new RankRuntime(
        config,
        link,
        wanted,
        detectors,
        stores.with(each -> EarlierSource.of(each, FileSource.of(each, link))),
        memory,
        new ParkingClock(),
        ownCore,
        Unwinding::isUnderWay);
  }
}
