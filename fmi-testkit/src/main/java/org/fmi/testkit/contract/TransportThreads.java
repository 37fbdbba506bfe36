package org.fmi.testkit.contract;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.support.RankThreads;

/** Runs a {@link TransportContract}'s ranks on real transports, each on a thread. */
public final class TransportThreads {
  private TransportThreads() {}

  /**
   * Opens a transport per rank, runs {@code body} on a thread for each, and closes them.
   *
   * @param nodeDirectory stands for the node's directory in node memory
   */
  public static void run(
      TransportProvider provider, Path nodeDirectory, int ranks, TransportRanks.Body body)
      throws InterruptedException {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    String job = "contract-" + Long.toHexString(new SecureRandom().nextLong());
    byte[][] endpoints = new byte[ranks][];
    CyclicBarrier barrier = new CyclicBarrier(ranks);
    AtomicInteger arrivals = new AtomicInteger();
    RankThreads.run(
        ranks,
        rank -> {
          RankConfig config =
              RankConfigs.rank(rank, ranks)
                  .jobId(job)
                  .secret(secret)
                  .nodeDirectory(nodeDirectory.toString())
                  .cores(Runtime.getRuntime().availableProcessors())
                  .build();
          try (Transport transport =
              provider.open(config, TransportContract.EPOCH, Diagnostics.NONE)) {
            endpoints[rank] = transport.endpoint();
            Member member = new Member(rank, transport, endpoints, barrier, arrivals);
            member.meet();
            body.run(member);
          }
        });
  }

  private record Member(
      int rank,
      Transport transport,
      byte[][] endpoints,
      CyclicBarrier barrier,
      AtomicInteger arrivals)
      implements TransportRanks.Member {
    @Override
    public void meet() throws Exception {
      barrier.await(60, TimeUnit.SECONDS);
    }

    @Override
    public void elsewhere(Runnable action) {
      new Thread(action, "other thread of rank " + rank).start();
    }
  }
}
