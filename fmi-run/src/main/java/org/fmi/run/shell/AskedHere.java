package org.fmi.run.shell;

import java.io.IOException;
import org.fmi.net.NetLoop;
import org.fmi.node.Refusal;
import org.fmi.run.daemon.FmirunDirectory;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.status.Answerer;
import org.fmi.run.status.JobSocket;
import org.jspecify.annotations.Nullable;

/** The socket on this machine for requests of {@code fmi} to a job, from its start. */
final class AskedHere {
  private final @Nullable NodeDirectory directory;

  private AskedHere(@Nullable NodeDirectory directory) {
    this.directory = directory;
  }

  /**
   * Opens it. On failure, notifies the user and returns an object without a socket.
   *
   * @param name the user's name for the job; empty for none
   */
  static AskedHere open(NetLoop loop, ShellContext around, String name, Answerer answerer) {
    try {
      NodeDirectory directory =
          NodeDirectory.create(around.jobId(), NodeDirectory.FMIRUN, 0, around.secret());
      try {
        if (!name.isEmpty()) {
          FmirunDirectory.name(directory, name);
        }
        JobSocket.listen(loop, directory.path(), answerer);
        return new AskedHere(directory);
      } catch (IOException e) {
        directory.delete();
        throw e;
      }
    } catch (IOException e) {
      around.console().line("fmi: 'fmi status' cannot show this job: " + Refusal.text(e));
      return new AskedHere(null);
    }
  }

  /** Closes the socket. */
  void close() throws IOException {
    if (directory != null) {
      directory.delete();
    }
  }
}
