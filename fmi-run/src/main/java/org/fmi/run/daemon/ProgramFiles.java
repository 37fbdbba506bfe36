package org.fmi.run.daemon;

import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.process.NativeText;
import org.jspecify.annotations.Nullable;

/** Whether a node has what the program needs. */
final class ProgramFiles {
  private ProgramFiles() {}

  /** Why the program cannot run on this node, for the user; null if nothing is known of that. */
  static @Nullable String problem(NodeSetup given) {
    for (String entry : given.classPath()) {
      if (!Files.isReadable(Path.of(entry))) {
        return entry
            + " is not there or cannot be read: all hosts need the program at the same path, as on"
            + " a shared file system";
      }
    }
    if (!Files.isDirectory(Path.of(given.workDirectory()))) {
      return "the directory "
          + given.workDirectory()
          + " is not there: start fmirun in one that all hosts have";
    }
    Charset charset = NativeText.charset();
    List<String> texts = new ArrayList<>(given.args());
    texts.add(given.mainClass());
    texts.addAll(given.jvmOptions());
    texts.addAll(given.environment().values());
    String lost = NativeText.firstWithout(texts, charset);
    return lost == null
        ? null
        : "'"
            + lost
            + "' cannot be passed to a program in the character set of its locale, "
            + charset
            + ": set one with UTF-8 there, such as LC_ALL=C.UTF-8";
  }
}
