package org.fmi.run.doctor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.fmi.run.StandardError;
import org.fmi.runtime.MiniJob;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;

/** A job of two ranks in one thread, which send frames to each other over one transport. */
final class Loopback {
  private static final int RANKS = 2;
  private static final int EPOCH = 0;
  private static final int WARM_UP = 200;
  private static final int ROUND_TRIPS = 500;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Frame frame = new Frame();
  private final byte[] payload;
  private final Side zero;
  private final Side one;

  private Loopback(Transport zero, Transport one) {
    this.zero = new Side(0, zero);
    this.one = new Side(1, one);
    payload = new byte[zero.maxPayload()];
    for (int i = 0; i < payload.length; i++) {
      payload[i] = (byte) (i * 31);
    }
    frame.base = payload;
  }

  /** One rank. */
  private final class Side implements FrameHandler {
    final int rank;
    final Transport transport;
    private int frames;

    Side(int rank, Transport transport) {
      this.rank = rank;
      this.transport = transport;
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      long begin = at + FrameLayout.HEADER_BYTES;
      MemorySegment sent = MemorySegment.ofArray(payload);
      if (memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD) != frame.payload
          || MemorySegment.mismatch(memory, begin, begin + frame.payload, sent, 0, frame.payload)
              >= 0) {
        throw new IllegalStateException("a frame has arrived with other bytes than were sent");
      }
      frames++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      throw new IllegalStateException("no connection: " + reason);
    }
  }

  /**
   * Sends frames back and forth.
   *
   * @param nodeDirectory stands for the node's directory in node memory
   * @return half of the median round trip of 8 bytes, in microseconds
   * @throws IOException if a transport cannot be opened
   * @throws RuntimeException if frames are lost or damaged
   */
  static double run(TransportProvider provider, Path nodeDirectory) throws IOException {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    Diagnostics diagnostics = new StandardError();
    try (Transport zero = provider.open(config(0, secret, nodeDirectory), EPOCH, diagnostics);
        Transport one = provider.open(config(1, secret, nodeDirectory), EPOCH, diagnostics)) {
      byte[][] endpoints = {zero.endpoint(), one.endpoint()};
      zero.start(Endpoints.of(endpoints));
      one.start(Endpoints.of(endpoints));
      return new Loopback(zero, one).run();
    }
  }

  private static RankConfig config(int rank, byte[] secret, Path nodeDirectory) {
    JobSettings job =
        JobSettings.builder()
            .size(RANKS)
            .interval(new CheckpointInterval.Every(1))
            .heartbeatMillis((int) TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS))
            .build();
    return MiniJob.config("doctor", secret, rank, job)
        .nodeDirectory(nodeDirectory.toString())
        .cores(Runtime.getRuntime().availableProcessors())
        .build();
  }

  private double run() {
    roundTrip(0);
    roundTrip(payload.length);
    for (int i = 0; i < WARM_UP; i++) {
      roundTrip(Long.BYTES);
    }
    long[] nanos = new long[ROUND_TRIPS];
    for (int i = 0; i < ROUND_TRIPS; i++) {
      nanos[i] = roundTrip(Long.BYTES);
    }
    Arrays.sort(nanos);
    return nanos[ROUND_TRIPS / 2] / 2e3;
  }

  /** Returns the time in nanoseconds. */
  private long roundTrip(int bytes) {
    frame.payload = bytes;
    long begin = System.nanoTime();
    pass(zero, one, begin);
    pass(one, zero, begin);
    return System.nanoTime() - begin;
  }

  private void pass(Side from, Side to, long begin) {
    int expected = to.frames + 1;
    boolean sent = false;
    while (to.frames < expected) {
      sent = sent || from.transport.offer(to.rank, frame);
      from.transport.poll(from);
      to.transport.poll(to);
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new IllegalStateException(
            "a frame of "
                + frame.payload
                + " bytes has not arrived within "
                + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                + " s");
      }
    }
  }
}
