package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.process.NativeText;

/** The needs of a program on a node besides its class path. */
final class ProgramNeeds {
  private ProgramNeeds() {}

  /**
   * Checks them.
   *
   * @throws IOException if the program cannot run on this node; the message is for the user
   */
  static void require(NodeSetup given) throws IOException {
    if (!Files.isDirectory(Path.of(given.workDirectory()))) {
      throw new IOException(
          "the directory "
              + given.workDirectory()
              + " does not exist: start fmirun in a directory that all hosts have");
    }
    Charset charset = NativeText.charset();
    List<String> texts = new ArrayList<>(given.args());
    texts.add(given.mainClass());
    texts.addAll(given.jvmOptions());
    texts.addAll(given.environment().values());
    String lost = NativeText.firstWithout(texts, charset);
    if (lost != null) {
      throw new IOException(
          "'"
              + lost
              + "' cannot be passed to a program in the character set of this host's locale, "
              + charset
              + ": set a UTF-8 locale there, such as LC_ALL=C.UTF-8");
    }
  }
}
