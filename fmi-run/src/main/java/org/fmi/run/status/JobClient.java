package org.fmi.run.status;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;

/** Asks running jobs of this user, from another process. */
public final class JobClient implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5000;

  /** How long the first part of an answer may take. */
  private static final int FIRST_PART_MILLIS = 5000;

  // A local socket is protected by its directory.
  private final NetLoop loop = NetLoop.open("fmi-ask", new byte[32], NetLoop.MAX_FRAME);
  private final int firstPartMillis;

  public JobClient() {
    this(FIRST_PART_MILLIS);
  }

  JobClient(int firstPartMillis) {
    this.firstPartMillis = firstPartMillis;
  }

  /**
   * Asks, and returns when the answer has come whole.
   *
   * @param directory of the job's fmirun
   * @param parts takes the parts of the answer as they come; may block
   * @throws IOException if there is no answer, and why
   */
  public void ask(Path directory, Question question, Consumer<byte[]> parts) throws IOException {
    Asking asking = new Asking(question, parts);
    Connection connection = loop.connectLocal(JobSocket.in(directory), CONNECT_MILLIS, asking);
    try {
      // The loop itself may be held up by whoever reads the parts.
      CompletableFuture.anyOf(asking.begun, asking.done)
          .get(firstPartMillis, TimeUnit.MILLISECONDS);
      asking.done.get();
    } catch (TimeoutException e) {
      throw new IOException("the job's fmirun does not answer: is it stopped?", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException why ? why : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      connection.close();
    }
  }

  private static final class Asking implements ConnectionHandler {
    final CompletableFuture<Void> begun = new CompletableFuture<>();
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
      begun.complete(null);
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
      done.completeExceptionally(
          new IOException(
              closed.why() == Closed.Why.UNREACHABLE
                  ? "the job's fmirun cannot be reached: " + closed.detail()
                  : begun.isDone()
                      ? "the job has ended"
                      : "the job has ended, or too many ask it at this moment"));
    }
  }

  @Override
  public void close() {
    loop.close();
  }
}
