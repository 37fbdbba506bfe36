package org.fmi.run.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.run.options.Program;

/** Tells one program from another, by the content of its class path. */
final class ProgramDigest {
  private static final int BLOCK_BYTES = 64 << 10;

  private ProgramDigest() {}

  static ProgramFacts of(Program program) throws IOException {
    List<ProgramFacts.Jar> jars = new ArrayList<>();
    for (String entry : program.classPath()) {
      Path path = Path.of(entry);
      jars.add(new ProgramFacts.Jar(String.valueOf(path.getFileName()), sha256(path)));
    }
    return new ProgramFacts(program.mainClass(), jars, program.args());
  }

  private static String sha256(Path path) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
    if (Files.isDirectory(path)) {
      for (Path file : filesIn(path)) {
        digest.update((path.relativize(file) + "\n").getBytes(StandardCharsets.UTF_8));
        digest.update(HexFormat.of().parseHex(sha256(file)));
      }
    } else {
      try (InputStream in = Files.newInputStream(path)) {
        byte[] block = new byte[BLOCK_BYTES];
        for (int bytes; (bytes = in.read(block)) >= 0; ) {
          digest.update(block, 0, bytes);
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    } catch (UncheckedIOException e) {
      throw new IOException(directory + ": cannot be listed (" + e.getMessage() + ")", e);
    }
  }
}
