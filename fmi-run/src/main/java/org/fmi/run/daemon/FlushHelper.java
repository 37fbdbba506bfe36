package org.fmi.run.daemon;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.run.Installation;

/** The process that writes checkpoints to files for a daemon: one per task, at a low priority. */
final class FlushHelper {
  private static final int BY_SIGNAL = 128;

  private FlushHelper() {}

  /**
   * The process to start: killed by the system when the thread that starts it ends.
   *
   * @param socket of the daemon, which marks all processes of the node
   */
  static ProcessBuilder command(Installation installation, Path socket) throws IOException {
    List<String> jars = new ArrayList<>();
    jars.add(System.getProperty("java.class.path"));
    jars.addAll(installation.runJars());
    List<String> command =
        List.of(
            "nice",
            "-n",
            "10",
            "setpriv",
            "--pdeathsig",
            "KILL",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "@" + installation.jvmOptions(),
            "-XX:+UseSerialGC",
            "-Xms8m",
            "-Xmx32m",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-cp",
            String.join(File.pathSeparator, jars),
            "org.fmi.run.flush.FlushMain");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    // A site's options are for programs; a second collector would be refused.
    RankCommand.OPTION_VARIABLES.forEach(builder.environment()::remove);
    builder.environment().put(NodeDirectory.SOCKET_VARIABLE, socket.toString());
    return builder;
  }

  /** Gives a process its task, and waits for its end. */
  static FlushResult run(Process process, FlushTask task) throws InterruptedException {
    try {
      try (OutputStream to = process.getOutputStream()) {
        to.write(FlushCodec.encode(task));
      }
      byte[] answer = process.getInputStream().readAllBytes();
      int status = process.waitFor();
      return status == 0
          ? FlushCodec.decodeResult(ByteBuffer.wrap(answer))
          : new FlushResult.Failed(
              "the process that wrote them "
                  + (status > BY_SIGNAL
                      ? "was killed by signal " + (status - BY_SIGNAL)
                      : "ended with status " + status));
    } catch (IOException e) {
      process.destroyForcibly();
      int status = process.waitFor();
      return new FlushResult.Failed(
          "the process that wrote them ended with status " + status + " (" + e.getMessage() + ")");
    }
  }
}
