package org.fmi.run.shell;

import java.io.IOException;
import org.fmi.net.NetLoop;
import org.fmi.node.Refusal;
import org.fmi.run.daemon.FmirunDirectory;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.status.Answerer;
import org.fmi.run.status.JobSocket;
import org.jspecify.annotations.Nullable;

/** The place on this machine where {@code fmi} asks about a job, from its beginning on. */
final class AskedHere {
  private final @Nullable NodeDirectory directory;

  private AskedHere(@Nullable NodeDirectory directory) {
    this.directory = directory;
  }

  /**
   * Opens it; if that cannot be done the user hears of it, and the job cannot be asked.
   *
   * @param name what the user calls the job; empty for nothing
   */
  static AskedHere open(NetLoop loop, Surroundings around, String name, Answerer answerer) {
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
      around
          .console()
          .line("fmi: this job cannot be looked at by 'fmi status': " + Refusal.text(e));
      return new AskedHere(null);
    }
  }

  /** Nobody can ask any more. */
  void close() throws IOException {
    if (directory != null) {
      directory.delete();
    }
  }
}
