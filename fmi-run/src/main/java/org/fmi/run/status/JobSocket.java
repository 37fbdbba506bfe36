package org.fmi.run.status;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;

/**
 * Where a running job is asked: a local socket in a directory that only the job's user may enter.
 * The first frame of a connection is the {@link Question}; then come the parts of the answer, and
 * the end of the connection.
 */
public final class JobSocket {
  /** Before a part of an answer. */
  static final byte PART = 0;

  /** Before the reason why there is no answer. */
  static final byte REFUSED = 1;

  /** Before the end of an answer that has come whole. */
  static final byte END = 2;

  /** The bytes of an answer that go into one frame. */
  private static final int PART_BYTES = 1 << 20;

  private static final String NAME = "fmi.sock";

  private JobSocket() {}

  static Path in(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Listens until the loop is closed.
   *
   * @param directory as {@code NodeDirectory} makes it
   * @param answerer is called on the loop's thread, and must not block
   * @throws IOException if the socket cannot be made
   */
  public static void listen(NetLoop loop, Path directory, BiConsumer<Question, Answer> answerer)
      throws IOException {
    loop.listenLocal(in(directory), (identity, remote) -> new Asked(answerer));
  }

  /** One connection. */
  private record Asked(BiConsumer<Question, Answer> answerer) implements ConnectionHandler {
    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      Answer answer = new Frames(connection);
      try {
        answerer.accept(Question.read(frame), answer);
      } catch (IllegalArgumentException e) {
        answer.refuse(String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {}
  }

  /** An answer's way over a connection. */
  private record Frames(Connection connection) implements Answer {
    @Override
    public void part(byte[] bytes) {
      for (int at = 0; at < bytes.length; at += PART_BYTES) {
        send(PART, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PART_BYTES)));
      }
    }

    @Override
    public void end() {
      send(END, new byte[0]);
      connection.close();
    }

    @Override
    public void refuse(String reason) {
      send(REFUSED, reason.getBytes(StandardCharsets.UTF_8));
      connection.close();
    }

    private void send(byte kind, byte[] bytes) {
      connection.send(ByteBuffer.allocate(1 + bytes.length).put(kind).put(bytes).array());
    }
  }
}
