package org.fmi.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.FlightRecorder;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.StateRef;
import org.fmi.Status;
import org.junit.jupiter.api.Test;

final class JobOfOneTest {
  @Test
  void isRankZeroOfOne() throws IOException {
    try (Fmi fmi = JobOfOne.join()) {
      assertThat(fmi.world().rank()).isZero();
      assertThat(fmi.world().size()).isOne();
      assertThat(fmi.epoch()).isZero();
    }
  }

  @Test
  void sendsMessagesToItself() throws IOException {
    try (Fmi fmi = JobOfOne.join()) {
      Comm world = fmi.world();
      for (int length : new int[] {1, 100_000}) {
        int[] received = new int[length];
        int[] sent = new int[length];
        sent[length - 1] = 42;
        Request send = world.isend(sent, 0, 7);
        Status probed = world.probe(Comm.ANY_SOURCE, Comm.ANY_TAG);
        Status status = world.recv(received, Comm.ANY_SOURCE, Comm.ANY_TAG);
        send.waitFor();
        assertThat(status).isEqualTo(new Status(0, 7, 4L * length)).isEqualTo(probed);
        assertThat(received).isEqualTo(sent);
      }
    }
  }

  @Test
  void collectivesGiveWhatItPutIn() throws IOException {
    try (Fmi fmi = JobOfOne.join()) {
      for (Comm comm : List.of(fmi.world(), fmi.world().dup())) {
        double[] in = {3, 5};
        comm.barrier();
        comm.bcast(in, 0);
        double[] reduced = in.clone();
        comm.allReduce(reduced, Op.SUM);
        assertThat(reduced).isEqualTo(in);
        double[] gathered = new double[2];
        comm.gather(in, gathered, 0);
        assertThat(gathered).isEqualTo(in);
        double[] all = new double[2];
        comm.allGather(in, all);
        assertThat(all).isEqualTo(in);
        double[] exchanged = new double[2];
        comm.allToAll(in, exchanged);
        assertThat(exchanged).isEqualTo(in);
        double[] scanned = new double[2];
        comm.scan(in, scanned, Op.SUM);
        assertThat(scanned).isEqualTo(in);
      }
    }
  }

  @Test
  void runsLoopsWithStateOfAnyKind() throws IOException {
    Point point = new Point();
    long[] sum = new long[1];
    StateRef<double[][]> rows = StateRef.of(new double[2][3]);
    ByteBuffer buffer = ByteBuffer.allocate(13);
    List<Long> iterations = new ArrayList<>();
    try (Fmi fmi = JobOfOne.join();
        Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocate(5);
      for (int loop = 0; loop < 2; loop++) {
        fmi.loop(
            3,
            iteration -> {
              iterations.add(iteration);
              sum[0] += iteration;
              fmi.world().allReduce(sum, Op.SUM);
            },
            sum,
            rows,
            buffer,
            segment,
            point);
      }
      while (fmi.nextIteration(sum) < 2) {
        sum[0]++;
      }
      fmi.endLoop();
    }
    assertThat(iterations).containsExactly(0L, 1L, 2L, 0L, 1L, 2L);
    assertThat(sum[0]).isEqualTo(8);
  }

  @Test
  void aBodyDecidesWhetherToContinue() throws IOException {
    double[] x = {1};
    try (Fmi fmi = JobOfOne.join()) {
      long iterations =
          fmi.loopWhile(
              100,
              iteration -> {
                double before = x[0];
                x[0] = (x[0] + 2 / x[0]) / 2;
                return x[0] != before;
              },
              x);
      assertThat(iterations).isBetween(4L, 10L);
      assertThat(x[0] * x[0]).isBetween(1.999999, 2.000001);
      assertThat(fmi.loopWhile(3, iteration -> true)).isEqualTo(3);
    }
  }

  @Test
  void theLoopThrowsTheBodysException() throws IOException {
    int[] state = new int[1];
    try (Fmi fmi = JobOfOne.join()) {
      assertThatThrownBy(
              () ->
                  fmi.loop(
                      3,
                      iteration -> {
                        throw new IOException("disk full");
                      },
                      state))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("iteration 0 failed")
          .hasRootCauseMessage("disk full");
    }
  }

  @Test
  void stateOfNoSupportedTypeIsRefused() throws IOException {
    try (Fmi fmi = JobOfOne.join()) {
      assertThatThrownBy(() -> fmi.loop(1, iteration -> {}, "text"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void nothingIsSentAfterClose() throws IOException {
    Fmi fmi = JobOfOne.join();
    fmi.close();
    fmi.close();
    assertThatThrownBy(() -> fmi.world().barrier()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> fmi.loop(1, iteration -> {}))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aSeatIsTakenOnce() throws IOException {
    Seat seat = new Seat();
    seat.take().close();
    assertThatThrownBy(seat::take)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Fmi.init was called before in this process");
  }

  @Test
  void aProgramNeedsNoOptionsAndPrintsWhatItPrints() throws Exception {
    assertThat(run("close", 0)).isEqualTo("rank 0 of 1\n");
    assertThat(run("abort", 3)).isEqualTo("rank 0 of 1\n");
  }

  /** Its setup would take longer than the program itself. */
  @Test
  void theFlightRecorderIsLeftAlone() throws Exception {
    assertThat(run("recorder", 0)).isEqualTo("rank 0 of 1\nflight recorder: false\n");
  }

  /** Runs the program with {@code java} alone, without FMI's options. */
  private static String run(String end, int status) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                end)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(status);
    return output;
  }

  /** A complete program. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      try (Fmi fmi = Fmi.init(args)) {
        Comm world = fmi.world();
        double[] state = new double[1000];
        fmi.loop(10, iteration -> world.allReduce(state, Op.SUM), state);
        System.out.println("rank " + world.rank() + " of " + world.size());
        switch (args[0]) {
          case "abort" -> world.abort(3);
          case "recorder" ->
              System.out.println("flight recorder: " + FlightRecorder.isInitialized());
          default -> {}
        }
      }
    }
  }

  static final class Point implements BytesMarshallable {
    private int x = 1;

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeInt(x);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      x = bytes.readInt();
    }
  }
}
