package org.fmi.run.status;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.fmi.net.Acceptor;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a running job: a local socket in a directory that only the job's user may enter.
 * The first frame of a connection is the {@link Question}; the parts of the answer and its end
 * follow. The client closes the connection. Clients that do not ask, do not read or do not leave
 * are cut off; the memory they can occupy in this process is bounded.
 */
public final class JobSocket {
  /** Precedes a part of an answer. */
  static final byte PART = 0;

  /** Precedes the reason why there is no answer. */
  static final byte REFUSED = 1;

  /** Precedes the end of a complete answer. */
  static final byte END = 2;

  /** Maximum bytes of an answer in one frame. */
  private static final int PART_BYTES = 1 << 20;

  /** Maximum bytes in transit to a client. */
  private static final int PENDING_BYTES = 256 << 10;

  /** Maximum number of connections. */
  private static final int ASKERS = 64;

  private static final int TOO_MANY = 1;

  /** Time limit for a client to ask, and to read a complete answer. */
  private static final int SECONDS = 30;

  private static final String NAME = "fmi.sock";

  private final NetLoop loop;
  private final Answerer answerer;

  /** Used on the loop's thread. */
  private final Set<Asked> askers = new HashSet<>();

  private JobSocket(NetLoop loop, Answerer answerer) {
    this.loop = loop;
    this.answerer = answerer;
  }

  static Path in(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Listens until the loop is closed.
   *
   * @param directory directory made by {@code NodeDirectory}
   * @param answerer called on the loop's thread
   * @throws IOException if the socket cannot be made
   */
  public static void listen(NetLoop loop, Path directory, Answerer answerer) throws IOException {
    JobSocket socket = new JobSocket(loop, answerer);
    loop.listenLocal(in(directory), (identity, remote) -> socket.accept());
  }

  private Asked accept() throws Acceptor.Refused {
    if (askers.size() == ASKERS) {
      throw new Acceptor.Refused(TOO_MANY, "too many requests at a time");
    }
    Asked asked = new Asked();
    askers.add(asked);
    return asked;
  }

  /** One connection. */
  private final class Asked implements ConnectionHandler {
    private @Nullable Frames answer;

    @Override
    public void onOpen(Connection connection) {
      closeLater(connection, () -> answer == null);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      if (answer != null) {
        connection.close();
        return;
      }
      Frames frames = new Frames(connection);
      answer = frames;
      try {
        answerer.answer(Question.read(frame), frames);
      } catch (IllegalArgumentException e) {
        frames.refuse(String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      askers.remove(this);
      if (answer != null) {
        answer.gone();
      }
    }
  }

  private void closeLater(Connection connection, BooleanSupplier condition) {
    var _ =
        loop.schedule(
            SECONDS,
            TimeUnit.SECONDS,
            () -> {
              if (condition.getAsBoolean()) {
                connection.close();
              }
            });
  }

  /** Sends an answer over a connection. */
  private final class Frames implements Answer {
    private final Connection connection;
    private @Nullable Runnable whenGone;

    Frames(Connection connection) {
      this.connection = connection;
    }

    @Override
    public boolean part(byte[] bytes) {
      boolean open = bytes.length > 0 || send(PART, bytes);
      for (int at = 0; at < bytes.length; at += PART_BYTES) {
        open = send(PART, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PART_BYTES)));
      }
      return open;
    }

    @Override
    public boolean isReady() {
      return connection.pendingBytes() < PENDING_BYTES;
    }

    @Override
    public void whenGone(Runnable task) {
      whenGone = task;
    }

    /** Notes that the connection is closed. */
    void gone() {
      Runnable task = whenGone;
      if (task != null) {
        whenGone = null;
        task.run();
      }
    }

    @Override
    public void end() {
      finish(END, new byte[0]);
    }

    @Override
    public void refuse(String reason) {
      finish(REFUSED, reason.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends the last frame. Does not close at once, because data that the system has not taken
     * would be lost.
     */
    private void finish(byte kind, byte[] bytes) {
      whenGone = null;
      if (send(kind, bytes)) {
        loop.execute(() -> closeLater(connection, () -> true));
      }
    }

    private boolean send(byte kind, byte[] bytes) {
      return connection.send(ByteBuffer.allocate(1 + bytes.length).put(kind).put(bytes).array());
    }
  }
}
