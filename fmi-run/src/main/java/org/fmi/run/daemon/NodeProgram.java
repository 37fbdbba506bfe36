package org.fmi.run.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.fmi.run.program.ProgramCopy;
import org.jspecify.annotations.Nullable;

/**
 * The program's class path on a node: unchanged from the start of the job, whatever happens to the
 * files that it was copied from.
 */
final class NodeProgram implements Closeable {
  /** Digits of a digest that people compare. */
  private static final int DIGITS = 12;

  /** The program before there is one. */
  static final NodeProgram NONE = new NodeProgram(null);

  private final List<String> classPath = new ArrayList<>();

  /** Files used in place, which must not change, with data that shows whether they have changed. */
  private final Map<Path, Object> inPlace = new HashMap<>();

  private final @Nullable NodeDirectory directory;

  private NodeProgram(@Nullable NodeDirectory directory) {
    this.directory = directory;
  }

  /**
   * Makes the copies.
   *
   * @throws IOException if the node has a different program from fmirun's, no room for it, or lacks
   *     another need; the message is for the user
   */
  static NodeProgram keep(NodeSetup setup, Bootstrap bootstrap) throws IOException {
    ProgramNeeds.require(setup);
    List<ProgramEntry> entries = setup.classPath();
    NodeProgram program = new NodeProgram(directory(entries, bootstrap));
    try {
      for (int i = 0; i < entries.size(); i++) {
        program.add(entries.get(i), i);
      }
      return program;
    } catch (IOException | RuntimeException e) {
      program.close();
      throw e;
    }
  }

  /** Returns null if nothing is to be copied. */
  private static @Nullable NodeDirectory directory(List<ProgramEntry> entries, Bootstrap b)
      throws IOException {
    if (entries.stream().allMatch(entry -> entry.kind() == Kind.IN_PLACE)) {
      return null;
    }
    long bytes = entries.stream().mapToLong(ProgramEntry::bytes).sum();
    return NodeDirectory.createForProgram(
        b.jobId(), b.node(), b.generation(), b.secret(), b.pieces(), bytes);
  }

  private void add(ProgramEntry entry, int number) throws IOException {
    Path path = Path.of(entry.path());
    if (!Files.isReadable(path)) {
      throw new IOException(
          path
              + " does not exist or cannot be read: all hosts need the program at the same path,"
              + " for example on a shared file system");
    }
    if (entry.kind() == Kind.IN_PLACE) {
      classPath.add(entry.path());
      if (!entry.digest().isEmpty()) {
        inPlace.put(path, state(path));
        requireSame(entry, ProgramCopy.digest(entry));
      }
      return;
    }
    if (Files.isRegularFile(path) && Files.size(path) != entry.bytes()) {
      throw different(path, Files.size(path) + " bytes, not " + entry.bytes());
    }
    ProgramCopy.Copied copy =
        ProgramCopy.copy(entry, number, Objects.requireNonNull(directory).path());
    classPath.add(copy.path());
    requireSame(entry, copy.digest());
  }

  private static void requireSame(ProgramEntry entry, String digest) throws IOException {
    if (!digest.equals(entry.digest())) {
      throw different(
          Path.of(entry.path()),
          "SHA-256 " + shortened(digest) + ", not " + shortened(entry.digest()));
    }
  }

  private static String shortened(String digest) {
    return digest.substring(0, DIGITS) + "...";
  }

  private static IOException different(Path path, String how) {
    return new IOException(
        path
            + " differs from the file that fmirun found when the job started ("
            + how
            + "): all hosts need the same program, and it must not change while nodes start");
  }

  /** Returns data that differ after a file has been written or replaced. */
  private static Object state(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      return ProgramCopy.programFiles(path);
    }
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return List.of(
        attributes.size(), attributes.lastModifiedTime(), String.valueOf(attributes.fileKey()));
  }

  /** Returns absolute paths, in order. */
  List<String> classPath() {
    return List.copyOf(classPath);
  }

  /**
   * Checks that all files used in place are unchanged. Any thread.
   *
   * @throws IOException if a file has changed
   */
  void requireUnchanged() throws IOException {
    for (Map.Entry<Path, Object> each : inPlace.entrySet()) {
      if (!Files.isReadable(each.getKey()) || !state(each.getKey()).equals(each.getValue())) {
        throw new IOException(
            each.getKey()
                + " has changed since the job started; the job has no copy of it, because the"
                + " manifest of a jar names it by an absolute path");
      }
    }
  }

  /** Deletes the copies. */
  @Override
  public void close() throws IOException {
    if (directory != null) {
      directory.delete();
    }
  }
}
