package org.fmi.run.slurm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Commands of Slurm that are scripts.
 *
 * @param directory where they are, for the PATH
 */
public record FakeSlurm(Path directory) {
  /** Makes a command, or another one of it. */
  public void command(String name, String... script) throws IOException {
    // Not by this process: one that another thread starts just then would have the file open for
    // writing, and nobody could run it.
    Process write =
        new ProcessBuilder(
                "sh",
                "-c",
                "rm -f \"$0\" && cat >\"$0\" && chmod 755 \"$0\"",
                directory.resolve(name).toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (OutputStream out = write.getOutputStream()) {
      out.write(
          ("#!/bin/bash\n" + String.join("\n", script) + "\n").getBytes(StandardCharsets.UTF_8));
    }
    try {
      if (write.waitFor() != 0) {
        throw new IOException("cannot write " + name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
