package org.fmi.run.shell;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.fmi.node.Refusal;
import org.fmi.run.Amounts;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.UsageException;
import org.fmi.run.program.ClassPathFinder;
import org.fmi.run.program.ProgramCopy;
import org.jspecify.annotations.Nullable;

/**
 * The program of a job, unchanged from its start. The nodes of this machine run it from one copy,
 * which outlives each of them; each other host makes its own copy, and verifies it.
 */
final class JobProgram implements Closeable {
  /** Size from which a notice reports the copy. */
  private static final long LARGE_BYTES = 64 << 20;

  private final List<ProgramEntry> entries;
  private final ProgramFacts facts;
  private final List<String> remarks;
  private final @Nullable NodeDirectory directory;

  JobProgram(
      List<ProgramEntry> entries,
      ProgramFacts facts,
      List<String> remarks,
      @Nullable NodeDirectory directory) {
    this.entries = List.copyOf(entries);
    this.facts = facts;
    this.remarks = List.copyOf(remarks);
    this.directory = directory;
  }

  /**
   * Reads the program, and copies it if nodes are on this machine.
   *
   * @throws UsageException if the program cannot be read
   * @throws IOException if there is no room for the copy
   */
  static JobProgram of(RunOptions options, String jobId, byte[] secret)
      throws UsageException, IOException {
    List<ProgramEntry> found = found(options);
    if (!options.where().isLocal()) {
      return of(options, found, null);
    }
    Path disk = options.checkpoints().nodeDir();
    NodeDirectory directory =
        NodeDirectory.createForProgram(
            jobId,
            NodeDirectory.FMIRUN,
            0,
            secret,
            disk == null ? "" : disk.toString(),
            bytes(found));
    deleteAtExit(directory);
    try {
      return of(options, found, directory);
    } catch (UncheckedIOException e) {
      delete(directory);
      throw e.getCause();
    } catch (IOException | RuntimeException e) {
      delete(directory);
      throw e;
    }
  }

  private static List<ProgramEntry> found(RunOptions options) throws UsageException {
    try {
      return ClassPathFinder.find(
          options.program().classPath(),
          List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
    } catch (IOException | UncheckedIOException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static JobProgram of(
      RunOptions options, List<ProgramEntry> found, @Nullable NodeDirectory directory)
      throws IOException {
    List<ProgramEntry> entries = new ArrayList<>();
    List<ProgramFacts.Jar> jars = new ArrayList<>();
    for (ProgramEntry entry : found) {
      String digest = entry.digest();
      if (entry.kind() == Kind.IN_PLACE) {
        entries.add(entry);
      } else if (directory == null) {
        digest = ProgramCopy.digest(entry);
        entries.add(entry.with(digest));
      } else {
        ProgramCopy.Copied copy = ProgramCopy.copy(entry, entries.size(), directory.path());
        digest = copy.digest();
        entries.add(ProgramEntry.inPlace(copy.path()));
      }
      if (!digest.isEmpty()) {
        jars.add(new ProgramFacts.Jar(String.valueOf(Path.of(entry.path()).getFileName()), digest));
      }
    }
    return new JobProgram(
        entries,
        new ProgramFacts(options.program().mainClass(), jars, options.program().args()),
        remarks(options, found, directory),
        directory);
  }

  private static long bytes(List<ProgramEntry> entries) {
    return entries.stream().mapToLong(ProgramEntry::bytes).sum();
  }

  private static List<String> remarks(
      RunOptions options, List<ProgramEntry> found, @Nullable NodeDirectory directory) {
    List<String> remarks = new ArrayList<>();
    boolean verbose = options.output().verbosity() == RunOptions.Verbosity.VERBOSE;
    long bytes = bytes(found);
    if (verbose || bytes >= LARGE_BYTES) {
      String program = "the program (" + Amounts.bytes(bytes) + ")";
      Path disk = options.checkpoints().nodeDir();
      String other = bytes > NodeDirectory.PROGRAM_IN_MEMORY_BYTES ? "its disk" : "its memory";
      remarks.add(
          directory != null
              ? "ranks run from a copy of " + program + " in " + directory.path()
              : "each host copies " + program + " to " + (disk == null ? other : disk));
    }
    for (ProgramEntry entry : found) {
      if (entry.kind() == Kind.PROGRAM_FILES) {
        remarks.add(
            entry.path()
                + " is larger than "
                + Amounts.bytes(ClassPathFinder.WHOLE_DIRECTORY_BYTES)
                + ": the job copies only its class files and META-INF, and reads its other files in"
                + " place");
      } else if (entry.kind() == Kind.IN_PLACE && !entry.digest().isEmpty()) {
        remarks.add(
            entry.path()
                + " is not copied, because the manifest of a jar names it by an absolute path: if"
                + " it changes, no rank can be restarted");
      }
    }
    return remarks;
  }

  /** Returns the class path for the nodes. */
  List<ProgramEntry> entries() {
    return entries;
  }

  /** Returns facts that identify the program. */
  ProgramFacts facts() {
    return facts;
  }

  /** Returns notices for the user, at the start. */
  List<String> remarks() {
    return remarks;
  }

  /** Deletes the copy on a signal before the job can handle it. */
  private static void deleteAtExit(NodeDirectory directory) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory), "fmi-program"));
  }

  private static void delete(NodeDirectory directory) {
    try {
      directory.delete();
    } catch (IOException e) {
      System.err.println("fmirun: cannot delete its copy of the program: " + Refusal.text(e));
    }
  }

  /** Deletes the copy. May be called again. */
  @Override
  public void close() {
    if (directory != null) {
      delete(directory);
    }
  }
}
