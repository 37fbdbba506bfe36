package org.fmi.run.status;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.fmi.net.NetLoop;

/**
 * Sends requests to running jobs of this user, from another process. A request is one frame and its
 * answer a few more, which needs no event loop: starting one would take longer than the answer.
 */
public final class JobClient {
  /** Time limit for the first part of an answer. */
  private static final int FIRST_PART_MILLIS = 5000;

  private static final String SILENT = "the fmirun of the job does not answer: is it stopped?";

  private final int firstPartMillis;

  public JobClient() {
    this(FIRST_PART_MILLIS);
  }

  JobClient(int firstPartMillis) {
    this.firstPartMillis = firstPartMillis;
  }

  /**
   * Sends a request, and returns when the answer is complete.
   *
   * @param directory directory of the job's fmirun
   * @param parts takes the parts of the answer as they arrive; may block
   * @throws IOException if there is no answer, with the reason
   */
  public void ask(Path directory, Question question, Consumer<byte[]> parts) throws IOException {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.configureBlocking(false);
      try {
        if (!socket.connect(UnixDomainSocketAddress.of(JobSocket.in(directory)))) {
          throw new IOException(SILENT); // too many clients wait already
        }
      } catch (SocketException e) {
        throw new IOException("cannot reach the fmirun of the job: " + e.getMessage(), e);
      }
      byte[] asked = question.frame();
      // Much less than a local socket takes at once.
      socket.write(
          ByteBuffer.allocate(Integer.BYTES + asked.length).putInt(asked.length).put(asked).flip());
      awaitFirst(socket);
      socket.configureBlocking(true);
      take(new DataInputStream(Channels.newInputStream(socket)), parts);
    }
  }

  private void awaitFirst(SocketChannel socket) throws IOException {
    try (Selector selector = Selector.open()) {
      socket.register(selector, SelectionKey.OP_READ);
      if (selector.select(firstPartMillis) == 0) {
        throw new IOException(Thread.currentThread().isInterrupted() ? "interrupted" : SILENT);
      }
    }
  }

  private static void take(DataInputStream in, Consumer<byte[]> parts) throws IOException {
    boolean begun = false;
    while (true) {
      byte[] frame;
      try {
        frame = frame(in);
      } catch (IOException e) {
        throw new IOException(
            begun ? "the job has ended" : "the job has ended, or too many requests are pending", e);
      }
      begun = true;
      byte[] content = Arrays.copyOfRange(frame, 1, frame.length);
      switch (frame[0]) {
        case JobSocket.PART -> parts.accept(content);
        case JobSocket.END -> {
          return;
        }
        default -> throw new IOException(new String(content, StandardCharsets.UTF_8));
      }
    }
  }

  /** Reads a frame as {@code Connection} writes it. */
  private static byte[] frame(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length <= 0 || length > NetLoop.MAX_FRAME) {
      throw new IOException("a frame of " + length + " bytes");
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    return frame;
  }
}
