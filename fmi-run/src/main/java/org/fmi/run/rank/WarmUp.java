package org.fmi.run.rank;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.core.progress.OwnCore;
import org.fmi.node.SharedMemory;
import org.fmi.run.StandardError;
import org.fmi.runtime.MiniJob;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.spi.TransportProvider;

/**
 * Warms up a standby: runs a job inside this process, with checkpoints and a rollback, so that the
 * classes of a recovery are loaded and its code has run once. Two of its ranks share a node, the
 * third is alone, so that messages use every transport.
 *
 * <p>It is a {@link MiniJob}, without the decision maker of {@code org.fmi.job}. That begins a
 * recovery only when a process is lost, and starts another in its place; here all ranks are threads
 * of one process, and none is lost. It would also make every standby load and run classes that only
 * fmirun needs.
 */
final class WarmUp {
  private static final int SIZE = 3;
  private static final int ITERATIONS = 6;
  private static final int ROLLBACK_AT = 4;
  private static final int INTERVAL = 2;
  private static final int STATE = 10_000;

  private final Path directory;
  private final Modules modules = Modules.find();
  private final byte[] secret = new byte[32];
  private final MiniJob job = new MiniJob(SIZE, _ -> {}, new StandardError());

  private WarmUp(Path directory) {
    this.directory = directory;
    new SecureRandom().nextBytes(secret);
  }

  /**
   * Starts in the background. Takes well under a second, and does no harm if the process is needed
   * earlier.
   *
   * @param directory directory to create, where there is memory for its checkpoints
   */
  static void begin(Path directory, String mainClass) {
    Thread.ofPlatform()
        .daemon()
        .name("fmi-warm-up")
        .start(
            () -> {
              try {
                Class.forName(mainClass, false, WarmUp.class.getClassLoader());
                run(directory);
              } catch (IOException | ClassNotFoundException | RuntimeException e) {
                // The process is no worse than a cold one; the problem will show up again.
                System.err.println("fmi: warm-up: " + e);
              }
            });
  }

  /**
   * Runs it now.
   *
   * @param directory directory to create, where there is memory for its checkpoints; deleted at the
   *     end
   * @throws IOException if checkpoints cannot be made there
   */
  static void run(Path directory) throws IOException {
    new WarmUp(Files.createDirectory(directory)).run();
  }

  private void run() throws IOException {
    for (int node = 0; node <= nodeOf(SIZE - 1); node++) {
      Files.createDirectory(directoryOf(node));
    }
    for (int rank = 0; rank < SIZE; rank += 2) {
      for (TransportProvider transport : modules.transports()) {
        // Transports that this little job lacks are not worth a message.
        Files.createFile(config(rank).withoutMarker(transport.name()));
      }
    }
    List<Thread> others = new ArrayList<>();
    for (int rank = 1; rank < SIZE; rank++) {
      int number = rank;
      others.add(Thread.ofPlatform().daemon().name("fmi-warm-up").start(() -> runRank(number)));
    }
    runRank(0);
    for (Thread other : others) {
      boolean interrupted = false;
      try {
        other.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    for (int node = 0; node <= nodeOf(SIZE - 1); node++) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directoryOf(node))) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
      Files.delete(directoryOf(node));
    }
    Files.delete(directory);
  }

  private static int nodeOf(int rank) {
    return rank / 2;
  }

  private Path directoryOf(int node) {
    return directory.resolve(Integer.toString(node));
  }

  private void runRank(int rank) {
    SharedMemory memory = new SharedMemory(directoryOf(nodeOf(rank)));
    try (Fmi fmi = modules.join(config(rank), job.link(rank), memory, OwnCore.NONE)) {
      Comm world = fmi.world();
      double[] state = new double[STATE];
      fmi.loop(
          ITERATIONS,
          iteration -> {
            communicate(world, state);
            if (iteration == ROLLBACK_AT) {
              job.revoke(1);
            }
          },
          state);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Uses some typical calls of programs. */
  private static void communicate(Comm world, double[] state) {
    int next = (world.rank() + 1) % SIZE;
    int previous = (world.rank() + SIZE - 1) % SIZE;
    world.sendRecv(Slice.of(state, 0, 100), next, 1, Slice.of(state, 100, 100), previous, 1);
    Request received = world.irecv(Slice.of(state, 0, 100), previous, 2);
    world.send(Slice.of(state, 100, 100), next, 2);
    received.waitFor();
    world.barrier();
    world.bcast(state, 0);
    for (Object buffer :
        new Object[] {new double[1], new int[1], new long[1], new float[1], new byte[1]}) {
      world.allReduce(buffer, Op.SUM);
      world.allReduce(buffer, Op.MAX);
      world.allReduce(buffer, Op.MIN);
    }
    world.gather(Slice.of(state, 0, 1), Slice.of(state, 1, world.size()), 0);
    world.allGather(Slice.of(state, 0, 1), Slice.of(state, 1, world.size()));
  }

  private RankConfig config(int rank) {
    JobSettings job =
        JobSettings.builder()
            .size(SIZE)
            .interval(new CheckpointInterval.Every(INTERVAL))
            .heartbeatMillis(60_000)
            .recordLimitBytes(1 << 20)
            .build();
    return MiniJob.config("warm-up", secret, rank, job)
        .node(nodeOf(rank))
        .nodeDirectory(directoryOf(nodeOf(rank)).toString())
        .cores(1)
        .build();
  }
}
