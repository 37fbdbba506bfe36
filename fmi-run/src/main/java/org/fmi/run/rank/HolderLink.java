package org.fmi.run.rank;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.PieceAnswer;
import org.fmi.job.control.PieceAnswerCodec;
import org.fmi.job.control.PieceQuestion;
import org.fmi.job.control.PieceQuestionCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Endpoint;
import org.fmi.net.NetLoop;
import org.fmi.run.StandardError;
import org.fmi.spi.EarlierMemory;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a rank to the daemons of an earlier job, one question at a time. A daemon that
 * cannot be reached, or is silent, twice in a row is asked no more.
 */
final class HolderLink implements AutoCloseable {
  private static final int ATTEMPTS = 2;

  private final byte[] secret;
  private final int timeoutMillis;
  private final Map<EarlierMemory.Holder, Link> links = new HashMap<>();
  private final Set<EarlierMemory.Holder> gone = new HashSet<>();

  /** Null while there is no connection. */
  private @Nullable NetLoop loop;

  /**
   * @param timeoutMillis the time after which a silent daemon is gone
   */
  HolderLink(byte[] secret, int timeoutMillis) {
    this.secret = secret.clone();
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Asks a daemon.
   *
   * @return its answer; null if it has none, or is gone
   */
  byte @Nullable [] ask(EarlierMemory.Holder holder, PieceQuestion question) throws IOException {
    if (gone.contains(holder)) {
      return null;
    }
    // Again over another connection: one may break, or be silent while this process is stopped.
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Link link = links.get(holder);
      if (link == null) {
        link = connect(holder);
        links.put(holder, link);
      }
      PieceAnswer answer = link.ask(question);
      if (answer != null) {
        return answer instanceof PieceAnswer.Found found && found.isIntact() ? found.bytes() : null;
      }
      links.remove(holder);
    }
    gone.add(holder);
    return null;
  }

  private Link connect(EarlierMemory.Holder holder) throws IOException {
    NetLoop known = loop;
    if (known == null) {
      known =
          NetLoop.openIfPermitted(
              "fmi-earlier", secret, NetLoop.MAX_FRAME, new StandardError()::report);
      loop = known;
    }
    Link link = new Link();
    known.connect(
        new Endpoint(holder.host(), holder.port()).address(),
        PieceQuestion.identity(),
        timeoutMillis,
        timeoutMillis,
        link);
    return link;
  }

  /** One connection. */
  private final class Link implements ConnectionHandler {
    private final CompletableFuture<@Nullable Connection> opened = new CompletableFuture<>();

    /** The answer to the current question; null if the connection has ended. */
    private volatile CompletableFuture<@Nullable PieceAnswer> answer = new CompletableFuture<>();

    private volatile boolean closed;

    @Nullable PieceAnswer ask(PieceQuestion question) {
      Connection connection = opened.join();
      CompletableFuture<@Nullable PieceAnswer> next = new CompletableFuture<>();
      answer = next;
      if (connection == null || closed) { // closed is set before the last answer is completed
        return null;
      }
      connection.send(PieceQuestionCodec.encode(question));
      return next.join();
    }

    @Override
    public void onOpen(Connection connection) {
      connection.heartbeat(timeoutMillis);
      opened.complete(connection);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      try {
        answer.complete(PieceAnswerCodec.decode(frame));
      } catch (BadMessageException e) {
        throw new UncheckedIOException(new IOException("invalid message of a daemon", e));
      }
    }

    @Override
    public void onClosed(Connection connection, Closed why) {
      closed = true;
      opened.complete(null);
      answer.complete(null);
    }
  }

  /** Closes all connections; the next question opens them again. */
  @Override
  public void close() {
    links.clear();
    NetLoop known = loop;
    loop = null;
    if (known != null) {
      known.close();
    }
  }
}
