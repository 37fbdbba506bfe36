package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.PieceAnswer;
import org.fmi.job.control.PieceAnswerCodec;
import org.fmi.job.control.PieceQuestion;
import org.fmi.job.control.PieceQuestionCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.node.SharedMemory;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStoreProvider;
import org.fmi.spi.LeftCheckpoints;
import org.jspecify.annotations.Nullable;

/**
 * Serves the checkpoints that the ranks of this node have left to the ranks of a later job. Reads
 * on another thread than the daemon's, because checkpoints may be on a disk.
 */
final class PieceServer {
  private final Path directory;
  private final ExecutorService reader;
  private final int heartbeatMillis;

  /** Used by the reader; null until {@link #serve}. */
  private @Nullable LeftCheckpoints pieces;

  private final Consumer<FromDaemon> fmirun;

  /**
   * @param directory the node's directory of checkpoints
   * @param reader runs one task at a time
   * @param fmirun takes messages for fmirun; called by the reader
   */
  PieceServer(
      Path directory, ExecutorService reader, int heartbeatMillis, Consumer<FromDaemon> fmirun) {
    this.directory = directory;
    this.reader = reader;
    this.heartbeatMillis = heartbeatMillis;
    this.fmirun = fmirun;
  }

  /** Opens the checkpoints, whose ranks have ended, and reports what is there. */
  void serve() {
    read(
        () -> {
          List<LeftCheckpoints.Part> parts = List.of();
          try {
            LeftCheckpoints opened = store().left(new SharedMemory(directory));
            pieces = opened;
            parts = opened.intact();
          } catch (IOException e) {
            warn("the checkpoints of its ranks cannot be read: " + e.getMessage());
          }
          fmirun.accept(new FromDaemon.Holds(parts));
        });
  }

  /** Deletes all checkpoints but these. */
  void keep(List<CheckpointId> needed) {
    read(
        () -> {
          LeftCheckpoints open = pieces;
          try {
            if (open != null) {
              open.keep(needed);
            }
          } catch (IOException e) {
            warn("memory of checkpoints cannot be released: " + e.getMessage());
          }
        });
  }

  private void warn(String text) {
    fmirun.accept(new FromDaemon.Warning(text));
  }

  /** The store of the job's checkpoints. */
  private static CheckpointStoreProvider store() throws IOException {
    return ServiceLoader.load(CheckpointStoreProvider.class, PieceServer.class.getClassLoader())
        .findFirst()
        .orElseThrow(() -> new IOException("there is no checkpoint store on the class path"));
  }

  private void read(Runnable task) {
    try {
      reader.execute(task);
    } catch (RejectedExecutionException e) {
      // The daemon is ending.
    }
  }

  private PieceAnswer answer(PieceQuestion question) {
    LeftCheckpoints open = pieces;
    byte[] bytes =
        open == null
            ? null
            : switch (question) {
              case PieceQuestion.Header m -> open.header(m.rank(), m.id());
              case PieceQuestion.Block m -> open.block(m.rank(), m.id(), m.chunk(), m.row());
            };
    return bytes == null ? new PieceAnswer.Missing() : PieceAnswer.Found.of(bytes);
  }

  /** Handles the questions of one rank. */
  ConnectionHandler handler() {
    return new ConnectionHandler() {
      @Override
      public void onOpen(Connection connection) {
        connection.heartbeat(heartbeatMillis);
      }

      @Override
      public void onFrame(Connection connection, ByteBuffer frame) {
        try {
          PieceQuestion question = PieceQuestionCodec.decode(frame);
          read(() -> connection.send(PieceAnswerCodec.encode(answer(question))));
        } catch (BadMessageException e) {
          connection.close();
        }
      }

      @Override
      public void onClosed(Connection connection, Closed closed) {
        // it has read all that it needs, or its process has ended
      }
    };
  }
}
