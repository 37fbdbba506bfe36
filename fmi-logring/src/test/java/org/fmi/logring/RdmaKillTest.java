package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FailureDetector;
import org.fmi.testkit.contract.DetectorThreads;
import org.fmi.testkit.support.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real processes, of which one is killed: rank 3 on its own; the other ranks share two processes.
 * Over RDMA, and over TCP to compare.
 */
@Tag("rdma")
final class RdmaKillTest {
  private static final int SIZE = 8;
  private static final int ROUNDS = 5;
  private static final int VICTIM = 3;

  /**
   * A notice visits a rank once, and never the failed one. The shortest paths have log2 SIZE hops,
   * but the first notice that arrives may have taken a longer one: ranks wait for processors.
   */
  private static final int MOST_HOPS = SIZE - 2;

  /**
   * Some ranks: in each epoch they print their addresses, read all addresses, and wait for a
   * failure.
   */
  static final class Member {
    private Member() {}

    public static void main(String[] args) throws Exception {
      String transport = args[0];
      int firstRank = Integer.parseInt(args[1]);
      int lastRank = Integer.parseInt(args[2]);
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
      for (int epoch = Integer.parseInt(args[3]); ; epoch++) {
        int current = epoch;
        List<FailureDetector> detectors = new ArrayList<>();
        for (int rank = firstRank; rank <= lastRank; rank++) {
          FailureDetector detector =
              new RingDetectorProvider()
                  .open(
                      DetectorThreads.config(rank, SIZE, transport, new byte[32], 60_000),
                      epoch,
                      (failed, hops, reason) -> {
                        long now = System.nanoTime();
                        out.println(
                            String.join(
                                " ",
                                "heard",
                                "" + current,
                                "" + failed,
                                "" + hops,
                                "" + now,
                                reason));
                      },
                      Diagnostics.NONE);
          detectors.add(detector);
          out.println("endpoint " + HexFormat.of().formatHex(detector.endpoint()));
        }
        byte[][] endpoints =
            Arrays.stream(in.readLine().split(" "))
                .map(HexFormat.of()::parseHex)
                .toArray(byte[][]::new);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
          List<Future<?>> connecting = new ArrayList<>();
          for (FailureDetector detector : detectors) {
            connecting.add(
                threads.submit(
                    () -> {
                      detector.connect(Endpoints.of(endpoints));
                      return null;
                    }));
          }
          for (Future<?> each : connecting) {
            each.get();
          }
        }
        out.println("connected " + detectors.getFirst().transport());
        if (in.readLine() == null) {
          return;
        }
        detectors.forEach(FailureDetector::close);
      }
    }
  }

  private static final class Child {
    final Process process;
    final BufferedReader out;
    final PrintStream in;

    final int ranks;

    Child(String transport, int firstRank, int lastRank, int epoch) throws IOException {
      ranks = lastRank - firstRank + 1;
      process =
          JavaProcess.of(
                  Member.class,
                  transport,
                  Integer.toString(firstRank),
                  Integer.toString(lastRank),
                  Integer.toString(epoch))
              .start();
      out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** The words of its next line, which must begin with {@code first}. */
    String[] expect(String first) throws IOException {
      String line = out.readLine();
      assertThat(line).as("process %s", process.pid()).startsWith(first + " ");
      return line.split(" ", 6);
    }

    void kill() throws IOException, InterruptedException {
      process.destroyForcibly();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      out.close();
      in.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {RdmaLinks.NAME, TcpLinks.NAME})
  void allHearOfAKilledProcess(String transport) throws Exception {
    List<Child> children = new ArrayList<>();
    List<Long> firstMicros = new ArrayList<>();
    List<Long> lastMicros = new ArrayList<>();
    int mostHops = 0;
    try {
      children.add(new Child(transport, 0, VICTIM - 1, 0));
      children.add(new Child(transport, VICTIM, VICTIM, 0));
      children.add(new Child(transport, VICTIM + 1, SIZE - 1, 0));
      for (int epoch = 0; epoch < ROUNDS; epoch++) {
        StringBuilder endpoints = new StringBuilder();
        for (Child child : children) {
          for (int i = 0; i < child.ranks; i++) {
            endpoints.append(child.expect("endpoint")[1]).append(' ');
          }
        }
        for (Child child : children) {
          child.in.println(endpoints.toString().strip());
        }
        for (Child child : children) {
          assertThat(child.expect("connected")[1]).isEqualTo(transport);
        }
        long killed = System.nanoTime();
        children.remove(1).kill();
        List<Long> micros = new ArrayList<>();
        int disconnected = 0;
        for (Child child : children) {
          for (int i = 0; i < child.ranks; i++) {
            String[] words = child.expect("heard");
            assertThat(words[1]).as("epoch").isEqualTo(Integer.toString(epoch));
            assertThat(words[2]).as("the failed").isEqualTo(Integer.toString(VICTIM));
            int hops = Integer.parseInt(words[3]);
            mostHops = Math.max(mostHops, hops);
            micros.add(TimeUnit.NANOSECONDS.toMicros(Long.parseLong(words[4]) - killed));
            if (hops == 0) {
              assertThat(words[5]).isIn("disconnected by the peer", "closed by the peer");
              disconnected++;
            }
          }
        }
        assertThat(disconnected).as("neighbours that saw it themselves").isPositive();
        assertThat(mostHops).isLessThanOrEqualTo(MOST_HOPS);
        micros.sort(null);
        firstMicros.add(micros.getFirst());
        lastMicros.add(micros.getLast());
        children.add(1, new Child(transport, VICTIM, VICTIM, epoch + 1));
        children.getFirst().in.println("next");
        children.getLast().in.println("next");
      }
    } finally {
      for (Child child : children) {
        child.kill();
      }
    }
    firstMicros.sort(null);
    lastMicros.sort(null);
    System.out.printf(
        "%s: %d ranks, %d runs, ms from SIGKILL: first notified %.1f (%.1f), all %.1f (%.1f), at"
            + " most %d hops%n",
        transport,
        SIZE,
        ROUNDS,
        firstMicros.get(ROUNDS / 2) / 1e3,
        firstMicros.getLast() / 1e3,
        lastMicros.get(ROUNDS / 2) / 1e3,
        lastMicros.getLast() / 1e3,
        mostHops);
  }
}
