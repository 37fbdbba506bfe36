package org.fmi.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.support.JavaProcess;
import org.fmi.testkit.support.Seeds;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a writing process at random moments: its reader gets whole frames, in order, or none. */
class KilledWriterIT {
  private static final int MILLIS = 6_000;

  private int kills;

  @TempDir Path directory = Path.of("");

  /** The process to be killed: rank 1, which sends to rank 0 as fast as it can. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      Path directory = Path.of(args[0]);
      int epoch = Integer.parseInt(args[1]);
      Transport transport =
          new ShmTransportProvider().open(config(directory, 1, epoch), epoch, Diagnostics.NONE);
      byte[] other = Files.readAllBytes(directory.resolve("endpoint"));
      transport.start(Endpoints.of(other, transport.endpoint()));
      System.out.println(new String(transport.endpoint(), StandardCharsets.UTF_8));
      Frame frame = new Frame();
      byte[] payload = new byte[transport.maxPayload()];
      frame.base = payload;
      SplittableRandom random = new SplittableRandom(epoch);
      CRC32C sum = new CRC32C();
      for (int n = 0; ; n++) {
        frame.payload = random.nextInt(4) == 0 ? random.nextInt(payload.length) : n % 100;
        for (int i = 0; i < frame.payload; i++) {
          payload[i] = (byte) (n * 31 + i);
        }
        sum.reset();
        sum.update(payload, 0, frame.payload);
        frame.sequence = n;
        frame.length = sum.getValue();
        frame.epoch = epoch;
        frame.tag = n ^ epoch;
        while (!transport.offer(0, frame)) {
          Thread.onSpinWait();
        }
      }
    }
  }

  static RankConfig config(Path directory, int rank, int incarnation) {
    return RankConfigs.rank(rank, 2)
        .incarnation(incarnation)
        .nodeDirectory(directory.toString())
        .build();
  }

  @Test
  void noFrameIsTorn() {
    Seeds.forMillis(
        MILLIS, seed -> noFrameIsTorn(++kills, 1 + new SplittableRandom(seed).nextInt(30_000)));
  }

  private void noFrameIsTorn(int epoch, int killAt) throws Exception {
    try (Transport reader =
        new ShmTransportProvider().open(config(directory, 0, 0), epoch, Diagnostics.NONE)) {
      Files.write(directory.resolve("endpoint"), reader.endpoint());
      Process writer = start(epoch);
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
        String endpoint = out.readLine();
        assertThat(endpoint).as("endpoint of the writer").isNotNull();
        reader.start(Endpoints.of(reader.endpoint(), endpoint.getBytes(StandardCharsets.UTF_8)));
        Checker checker = new Checker(epoch);
        long begin = System.nanoTime();
        while (checker.frames < killAt) {
          reader.poll(checker);
          assertThat(System.nanoTime() - begin)
              .as("nanoseconds, epoch %s, frame %s", epoch, checker.frames)
              .isLessThan(TimeUnit.SECONDS.toNanos(60));
        }
        writer.destroyForcibly();
        while (writer.isAlive()) {
          reader.poll(checker);
        }
        // All frames that it had written whole, and nothing after them.
        while (reader.poll(checker) > 0) {
          assertThat(checker.frames).isPositive();
        }
        for (int i = 0; i < 1000; i++) {
          assertThat(reader.poll(checker)).isZero();
        }
      } finally {
        writer.destroyForcibly();
        assertThat(writer.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private Process start(int epoch) throws IOException {
    return JavaProcess.of(Writer.class, directory.toString(), Integer.toString(epoch)).start();
  }

  private static final class Checker implements FrameHandler {
    private final int epoch;
    private final byte[] payload = new byte[ShmTransport.MAX_PAYLOAD];
    private final CRC32C sum = new CRC32C();
    int frames;

    Checker(int epoch) {
      this.epoch = epoch;
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      String what = "frame " + frames + " of epoch " + epoch;
      assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE))
          .as(what)
          .isEqualTo(frames);
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.EPOCH)).as(what).isEqualTo(epoch);
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.TAG))
          .as(what)
          .isEqualTo(frames ^ epoch);
      int length = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
      MemorySegment.copy(
          memory, at + FrameLayout.HEADER_BYTES, MemorySegment.ofArray(payload), 0, length);
      sum.reset();
      sum.update(payload, 0, length);
      assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH))
          .as(what)
          .isEqualTo(sum.getValue());
      frames++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      throw new AssertionError(reason);
    }
  }
}
