package org.fmi.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that is not the sender's, or no longer is, is not taken for a message. */
class PeerMemoryTest {
  private static final int EPOCH = 3;
  private static final long BYTES = 4L << 20;
  private static final long PROOF = 80;

  @TempDir Path directory = Path.of("");

  private Transport sender;
  private Transport receiver;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment sent = arena.allocate(BYTES, 8).fill((byte) 1);
  private final long[] ticket = new long[RemoteMemory.TICKET_LONGS];
  private final List<String> ends = new ArrayList<>();
  private final FrameHandler handler =
      new FrameHandler() {
        @Override
        public void onFrame(int peer, MemorySegment memory, long at) {}

        @Override
        public void onRead(int peer, long id, boolean whole) {
          ends.add(id + (whole ? " whole" : " not"));
        }

        @Override
        public void onPeerLost(int peer, String reason) {}
      };

  @BeforeEach
  void open() throws IOException {
    ShmTransportProvider provider = new ShmTransportProvider();
    sender = provider.open(KilledWriterIT.config(directory, 0, 0), EPOCH, Diagnostics.NONE);
    receiver = provider.open(KilledWriterIT.config(directory, 1, 0), EPOCH, Diagnostics.NONE);
    byte[][] endpoints = {sender.endpoint(), receiver.endpoint()};
    sender.start(Endpoints.of(endpoints));
    receiver.start(Endpoints.of(endpoints));
    assertThat(memory(sender).expose(sent, 0, BYTES, ticket)).isNotNull();
  }

  @AfterEach
  void close() {
    receiver.close();
    sender.close();
    arena.close();
  }

  private static RemoteMemory memory(Transport transport) {
    return Objects.requireNonNull(transport.remoteMemory());
  }

  private boolean read(Object to, long id) {
    return memory(receiver).read(0, ticket, to, 0, BYTES, id);
  }

  /** From now on the sender's address belongs to another process, as far as can be seen. */
  private void changeProof() throws IOException {
    Path inbox = directory.resolve(NodeFiles.inboxName(0, 0, EPOCH));
    try (FileChannel file = FileChannel.open(inbox, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(Long.BYTES), PROOF);
    }
  }

  @Test
  void aMessageIsReadInTurns() {
    byte[] to = new byte[(int) BYTES];
    assertThat(read(to, 7)).isTrue();
    assertThat(receiver.poll(handler)).isPositive();
    assertThat(ends).as("frames get their turn before all is read").isEmpty();
    while (receiver.poll(handler) > 0) {
      assertThat(ends.size()).isLessThan(2);
    }
    assertThat(ends).containsExactly("7 whole");
    assertThat(to).containsOnly(1);
  }

  @Test
  void anotherProcessIsNotRead() throws IOException {
    changeProof();
    assertThat(read(new byte[(int) BYTES], 7)).isFalse();
  }

  @Test
  void anotherProcessInTheMiddleIsNotRead() throws IOException {
    assertThat(read(new byte[(int) BYTES], 7)).isTrue();
    receiver.poll(handler);
    changeProof();
    receiver.poll(handler);
    assertThat(ends).containsExactly("7 not");
  }

  @Test
  void dataReadAfterTheSendersStopIsDiscarded() {
    assertThat(read(new byte[(int) BYTES], 7)).isTrue();
    receiver.poll(handler);
    memory(sender).stop();
    receiver.poll(handler);
    assertThat(ends).containsExactly("7 not");
  }

  @Test
  void memoryThatTheSenderHasFreedIsNotRead() throws IOException {
    try (Arena own = Arena.ofConfined();
        FileChannel file =
            FileChannel.open(
                directory.resolve("mapped"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, own);
      assertThat(memory(sender).expose(mapped, 0, BYTES, ticket)).isNotNull();
      assertThat(read(new byte[(int) BYTES], 7)).isTrue();
      receiver.poll(handler);
    }
    receiver.poll(handler);
    assertThat(ends).containsExactly("7 not");
  }

  @Test
  void memoryThatTheReceiverHasFreedIsNotWritten() {
    byte[] other = new byte[(int) BYTES];
    try (Arena own = Arena.ofConfined()) {
      assertThat(read(own.allocate(BYTES), 7)).isTrue();
      assertThat(read(other, 8)).isTrue();
    }
    assertThatThrownBy(() -> receiver.poll(handler)).isInstanceOf(IllegalStateException.class);
    while (receiver.poll(handler) > 0) {
      assertThat(ends.size()).isLessThan(2);
    }
    assertThat(ends).containsExactly("8 whole");
    assertThat(other).containsOnly(1);
  }

  @Test
  void oneThatHasStoppedReadsNothing() {
    byte[] to = new byte[(int) BYTES];
    assertThat(read(to, 7)).isTrue();
    memory(receiver).stop();
    assertThat(receiver.poll(handler)).isZero();
    assertThat(read(to, 8)).isFalse();
    assertThat(to).containsOnly(0);
  }

  @Test
  void aPropertySaysFromWhichLengthOn() {
    assertThat(PeerMemory.leastBytes(null)).isEqualTo(PeerMemory.LEAST_BYTES);
    assertThat(PeerMemory.leastBytes("65536")).isEqualTo(65_536);
    for (String wrong : List.of("", "0", "-1", "64k", "9999999999999999999")) {
      assertThatThrownBy(() -> PeerMemory.leastBytes(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a number of bytes");
    }
  }
}
