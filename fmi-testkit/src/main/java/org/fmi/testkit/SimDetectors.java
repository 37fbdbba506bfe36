package org.fmi.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.RankConfig;

/** All simulated failure detectors: brings deaths and silence to those that watch. */
final class SimDetectors {
  private final SimCluster cluster;
  private final List<SimFailureDetector> all = new ArrayList<>();
  private final List<SimFailureDetector> open = new ArrayList<>();

  SimDetectors(SimCluster cluster) {
    this.cluster = cluster;
  }

  FailureDetector open(
      SimProcess process, RankConfig config, int epoch, FailureDetector.Listener listener) {
    SimFailureDetector detector =
        new SimFailureDetector(this, process, config, epoch, all.size(), listener);
    all.add(detector);
    open.add(detector);
    return detector;
  }

  SimFailureDetector find(byte[] endpoint) {
    return all.get(ByteBuffer.wrap(endpoint).getInt());
  }

  void closed(SimFailureDetector detector) {
    open.remove(detector);
  }

  /** Those that would notice if {@code detector} were gone. */
  private List<SimFailureDetector> watchers(SimFailureDetector detector) {
    return open.stream().filter(other -> other.watches(detector)).toList();
  }

  SimCluster cluster() {
    return cluster;
  }

  /** A process is dead. */
  void died(SimProcess process) {
    for (SimFailureDetector dead : List.copyOf(open)) {
      if (dead.process() == process) {
        if (process.silentlyDead()) {
          silent(dead, () -> true);
        } else {
          for (SimFailureDetector watcher : watchers(dead)) {
            watcher.hearAfter(
                cluster.network().delay(), process, dead.rank(), 0, "connection closed");
          }
        }
        dead.shut();
      }
    }
  }

  /** A process stopped; it is silent as long as that lasts. */
  void froze(SimProcess process) {
    int freeze = process.freezes();
    for (SimFailureDetector detector : List.copyOf(open)) {
      if (detector.process() == process) {
        silent(detector, () -> process.frozen() && process.freezes() == freeze);
      }
    }
  }

  /** The network between some nodes was cut: neighbours across the cut hear nothing. */
  void cut() {
    for (SimFailureDetector detector : List.copyOf(open)) {
      for (SimFailureDetector watcher : watchers(detector)) {
        if (cluster.network().silence(detector.process(), watcher.process())) {
          watcher.missAfterTimeout(
              detector, () -> cluster.network().silence(detector.process(), watcher.process()));
        }
      }
    }
  }

  /** {@code by}, if it runs, takes {@code rank} for dead though it is not. */
  void suspectFalsely(SimProcess by, int rank) {
    for (SimFailureDetector detector : List.copyOf(open)) {
      if (detector.process() == by) {
        detector.hearAfter(0, by, rank, 0, "heartbeats late");
      }
    }
  }

  private void silent(SimFailureDetector detector, BooleanSupplier still) {
    for (SimFailureDetector watcher : watchers(detector)) {
      watcher.missAfterTimeout(detector, still);
    }
  }
}
