package org.fmi.run.status;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;

/** Asks running jobs of this user, from another process. */
public final class JobClient implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5000;

  // A local socket is protected by its directory.
  private final NetLoop loop = NetLoop.open("fmi-ask", new byte[32], NetLoop.MAX_FRAME);

  /**
   * Asks, and returns when the answer has come whole.
   *
   * @param directory of the job's fmirun
   * @param parts takes the parts of the answer as they come
   * @throws IOException if there is no answer, and why
   */
  public void ask(Path directory, Question question, Consumer<byte[]> parts) throws IOException {
    Asking asking = new Asking(question, parts);
    loop.connectLocal(JobSocket.in(directory), CONNECT_MILLIS, asking);
    try {
      asking.done.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof IOException why ? why : new IOException(e.getCause());
    }
  }

  private static final class Asking implements ConnectionHandler {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Question question;
    private final Consumer<byte[]> parts;

    Asking(Question question, Consumer<byte[]> parts) {
      this.question = question;
      this.parts = parts;
    }

    @Override
    public void onOpen(Connection connection) {
      connection.send(question.frame());
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      byte kind = frame.get();
      byte[] bytes = new byte[frame.remaining()];
      frame.get(bytes);
      switch (kind) {
        case JobSocket.PART -> parts.accept(bytes);
        case JobSocket.END -> done.complete(null);
        default ->
            done.completeExceptionally(new IOException(new String(bytes, StandardCharsets.UTF_8)));
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      // After the last part this changes nothing.
      done.completeExceptionally(new IOException("the job has ended"));
    }
  }

  @Override
  public void close() {
    loop.close();
  }
}
