package org.fmi.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.testkit.support.JavaProcess;
import org.fmi.testkit.turns.Wide;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of two processes is killed while one reads the other's memory: the reader gets a whole
 * message or nothing, and only the killed rank is lost.
 */
class KilledInReadIT {
  private static final int BYTES = 16 << 20;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  @TempDir Path directory = Path.of("");

  /** Rank 1, which exposes memory, and changes it after each read. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] args) throws IOException {
      try (Side side = new Side(Path.of(args[0]), 1, Integer.parseInt(args[1]))) {
        side.begin();
        MemorySegment memory = Arena.global().allocate(BYTES, 8);
        for (long n = 1; ; n++) {
          fill(memory, n);
          side.expose(memory, n);
          while (side.answered < n) {
            side.poll();
          }
        }
      }
    }
  }

  /** Rank 1, which reads exposed memory again and again. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] args) throws IOException {
      try (Side side = new Side(Path.of(args[0]), 1, Integer.parseInt(args[1]))) {
        side.begin();
        MemorySegment memory = Arena.global().allocate(BYTES, 8);
        while (side.told == 0) {
          side.poll();
        }
        for (long n = 1; ; n++) {
          side.read(memory, n);
          while (side.read < n) {
            side.poll();
          }
          side.send(new long[] {n, 0, 0});
        }
      }
    }
  }

  private static void fill(MemorySegment memory, long n) {
    for (long at = 0; at < BYTES; at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, at * 31 + n);
    }
  }

  private static void check(MemorySegment memory, long n) {
    for (long at = 0; at < BYTES; at += Long.BYTES) {
      if (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != at * 31 + n) {
        throw new AssertionError("message " + n + " is wrong at byte " + at);
      }
    }
  }

  @Test
  void anOwnerIsKilled() throws Exception {
    ownersAreKilled(2);
  }

  @Test
  void aReaderIsKilled() throws Exception {
    readersAreKilled(1);
  }

  @Wide
  @Test
  void anOwnerIsKilledAHundredTimes() throws Exception {
    ownersAreKilled(100);
  }

  @Wide
  @Test
  void aReaderIsKilledAHundredTimes() throws Exception {
    readersAreKilled(100);
  }

  private void ownersAreKilled(int kills) throws Exception {
    SplittableRandom random = new SplittableRandom();
    for (int epoch = 1; epoch <= kills; epoch++) {
      ownerIsKilled(epoch, random);
    }
  }

  private void ownerIsKilled(int epoch, SplittableRandom random) throws Exception {
    try (Side side = new Side(directory, 0, epoch);
        Arena arena = Arena.ofConfined()) {
      Process owner = side.start(Owner.class);
      try {
        Object into = epoch % 2 == 0 ? arena.allocate(BYTES, 8) : new long[BYTES / Long.BYTES];
        MemorySegment view =
            into instanceof long[] array ? MemorySegment.ofArray(array) : (MemorySegment) into;
        int polls = 1 + random.nextInt(200);
        long whole = 0;
        for (long n = 1; side.failed == 0; n++) {
          while (side.told < n && owner.isAlive()) {
            side.poll();
          }
          if (side.told < n) {
            break; // it has died between two messages
          }
          side.read(into, n);
          while (side.read < n && side.failed == 0) {
            side.poll();
            if (--polls == 0) {
              owner.destroyForcibly();
            }
          }
          if (side.read == n) {
            check(view, n);
            whole = n;
            side.send(new long[] {n, 0, 0});
          }
        }
        assertThat(owner.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(side.read).isEqualTo(whole);
      } finally {
        owner.destroyForcibly();
        assertThat(owner.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private void readersAreKilled(int kills) throws Exception {
    SplittableRandom random = new SplittableRandom();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(BYTES, 8);
      fill(memory, 7);
      for (int epoch = 1; epoch <= kills; epoch++) {
        try (Side side = new Side(directory, 0, epoch)) {
          Process reader = side.start(Reader.class);
          try {
            side.expose(memory, 7);
            long polls = random.nextInt(100_000);
            while (side.answered == 0 || polls-- > 0) {
              side.poll();
            }
          } finally {
            reader.destroyForcibly();
            assertThat(reader.waitFor(60, TimeUnit.SECONDS)).isTrue();
          }
          side.poll();
        }
      }
      check(memory, 7);
    }
  }

  /** A process, with the messages from its peer. */
  private static final class Side implements FrameHandler, AutoCloseable {
    private final Path directory;
    private final int rank;
    private final int epoch;
    private final Transport transport;
    private final RemoteMemory remote;
    private final Frame frame = new Frame();
    private final long[] ticket = new long[RemoteMemory.TICKET_LONGS];
    private final long began = System.nanoTime();

    /** The newest message that the other side has exposed, and that it has read. */
    long told;

    long answered;

    /** The newest message that was read here; and one that could not be read. */
    long read;

    long failed;

    Side(Path directory, int rank, int epoch) throws IOException {
      this.directory = directory;
      this.rank = rank;
      this.epoch = epoch;
      transport =
          new ShmTransportProvider()
              .open(KilledWriterIT.config(directory, rank, epoch), epoch, Diagnostics.NONE);
      remote = Objects.requireNonNull(transport.remoteMemory());
    }

    /** Rank 1: connects to rank 0. */
    void begin() throws IOException {
      byte[] other = Files.readAllBytes(directory.resolve("endpoint"));
      transport.start(Endpoints.of(other, transport.endpoint()));
      System.out.println(new String(transport.endpoint(), StandardCharsets.UTF_8));
    }

    /** Rank 0: starts rank 1. */
    Process start(Class<?> main) throws IOException {
      Files.write(directory.resolve("endpoint"), transport.endpoint());
      Process other = JavaProcess.of(main, directory.toString(), Integer.toString(epoch)).start();
      BufferedReader out =
          new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8));
      String endpoint = out.readLine();
      assertThat(endpoint).as("endpoint of rank 1").isNotNull();
      transport.start(
          Endpoints.of(transport.endpoint(), endpoint.getBytes(StandardCharsets.UTF_8)));
      return other;
    }

    void expose(MemorySegment memory, long n) {
      long[] words = new long[RemoteMemory.TICKET_LONGS + 1];
      assertThat(remote.expose(memory, 0, BYTES, ticket)).isNotNull();
      words[0] = n;
      System.arraycopy(ticket, 0, words, 1, ticket.length);
      frame.kind = 1;
      send(words);
      frame.kind = 0;
    }

    void send(long[] words) {
      frame.epoch = epoch;
      frame.base = words;
      frame.payload = Long.BYTES * words.length;
      while (!transport.offer(1 - rank, frame)) {
        poll();
      }
    }

    void read(Object into, long n) {
      assertThat(remote.read(1 - rank, ticket, into, 0, BYTES, n)).as("message " + n).isTrue();
    }

    void poll() {
      transport.poll(this);
      if (System.nanoTime() - began > TIMEOUT_NANOS) {
        throw new AssertionError("nothing comes: %d, %d, %d".formatted(told, answered, read));
      }
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      long words = at + FrameLayout.HEADER_BYTES;
      long n = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, words);
      if (memory.get(FrameLayout.BYTE, at + FrameLayout.KIND) == 1) {
        told = n;
        for (int i = 0; i < ticket.length; i++) {
          ticket[i] = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, words + 8 * (i + 1L));
        }
      } else {
        answered = n;
      }
    }

    @Override
    public void onRead(int peer, long id, boolean whole) {
      if (whole) {
        read = id;
      } else {
        failed = id;
      }
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      throw new AssertionError(reason);
    }

    @Override
    public void close() {
      transport.close();
    }
  }
}
