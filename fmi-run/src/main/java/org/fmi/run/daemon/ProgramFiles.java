package org.fmi.run.daemon;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.job.control.NodeSetup;
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
    CharsetEncoder encoder = Charset.forName(System.getProperty("native.encoding")).newEncoder();
    List<String> texts = new ArrayList<>(given.args());
    texts.add(given.mainClass());
    texts.addAll(given.jvmOptions());
    texts.addAll(given.environment().values());
    for (String text : texts) {
      if (!encoder.canEncode(text)) {
        return "'"
            + text
            + "' cannot be told to a program in the character set of its locale, "
            + encoder.charset()
            + ": set one with UTF-8 there, such as LC_ALL=C.UTF-8";
      }
    }
    return null;
  }
}
