package org.fmi.run.program;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Finds all files that the JVM reads for a class path, in order, including those named by the
 * manifests of jars ({@code Class-Path}), after the jar that names them.
 *
 * <p>A copy of a jar names the same files as the jar. The JVM looks for files with a relative name
 * beside the copy, where there are none, so their copies can follow as separate entries. Files with
 * an absolute name are used in place, and must not change.
 */
public final class ClassPathFinder {
  /** The largest directory that is copied with its whole content, in bytes. */
  public static final long WHOLE_DIRECTORY_BYTES = 64 << 20;

  private static final String FILE_SCHEME = "file:";

  private final List<ProgramEntry> entries = new ArrayList<>();
  private final Set<Path> known = new HashSet<>();
  private final Set<Path> own;
  private final long wholeBytes;

  private ClassPathFinder(Set<Path> own, long wholeBytes) {
    this.own = own;
    this.wholeBytes = wholeBytes;
  }

  /**
   * Finds the entries. The digests of entries to be copied are still missing.
   *
   * @param classPath absolute paths
   * @param own the class path of this process, whose jars are FMI's and come first in any case
   * @throws IOException if an entry cannot be read; the message names it
   */
  public static List<ProgramEntry> find(List<String> classPath, List<String> own)
      throws IOException {
    return find(classPath, own, WHOLE_DIRECTORY_BYTES);
  }

  static List<ProgramEntry> find(List<String> classPath, List<String> own, long wholeBytes)
      throws IOException {
    Set<Path> ownFiles = new HashSet<>();
    for (String entry : own) {
      if (Files.exists(Path.of(entry))) {
        ownFiles.add(Path.of(entry).toRealPath());
      }
    }
    ClassPathFinder finder = new ClassPathFinder(ownFiles, wholeBytes);
    for (String entry : classPath) {
      Path path = Path.of(entry);
      if (!Files.isReadable(path)) {
        throw new IOException(entry + ": does not exist or cannot be read");
      }
      finder.add(path, false);
    }
    return finder.entries;
  }

  /**
   * @param inPlace whether the JVM uses it in place
   */
  private void add(Path path, boolean inPlace) throws IOException {
    Path file = path.toRealPath();
    if (!known.add(file)) {
      return;
    }
    String name = path.toString();
    if (own.contains(file)) {
      entries.add(ProgramEntry.inPlace(name));
      return;
    }
    if (name.contains(File.pathSeparator)) {
      throw new IOException(
          name + ": its name contains a " + File.pathSeparator + ", which separates the entries");
    }
    if (inPlace) {
      entries.add(ProgramEntry.inPlace(name).with(ProgramCopy.digest(path, Kind.IN_PLACE, null)));
    } else if (Files.isDirectory(path)) {
      addDirectory(path);
    } else {
      entries.add(new ProgramEntry(name, Kind.COPIED, Files.size(path), ""));
    }
    if (Files.isRegularFile(path)) {
      for (String other : namedIn(path)) {
        Path found = resolve(path, other);
        if (found != null && Files.isReadable(found)) {
          add(found, inPlace || isAbsolute(other));
        }
      }
    }
  }

  private void addDirectory(Path path) throws IOException {
    long all = 0;
    long program = 0;
    try {
      for (FoundFile file : FoundFile.in(path)) {
        all += file.bytes();
        program += file.isProgram() ? file.bytes() : 0;
      }
    } catch (IOException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
    String name = path.toString();
    if (all <= wholeBytes) {
      entries.add(new ProgramEntry(name, Kind.COPIED, all, ""));
    } else {
      entries.add(new ProgramEntry(name, Kind.PROGRAM_FILES, program, ""));
      entries.add(ProgramEntry.inPlace(name));
    }
  }

  /** Returns the files that the manifest of a jar names; none if it is no jar. */
  private static List<String> namedIn(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String names =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      return names == null || names.isBlank() ? List.of() : List.of(names.strip().split("\\s+"));
    } catch (IOException e) {
      return List.of(); // the JVM does not look into it, either
    }
  }

  private static String withoutScheme(String name) {
    return name.regionMatches(true, 0, FILE_SCHEME, 0, FILE_SCHEME.length())
        ? name.substring(FILE_SCHEME.length())
        : name;
  }

  private static boolean isAbsolute(String name) {
    return withoutScheme(name).startsWith("/");
  }

  /** Resolves a name like the JVM; null if it cannot be a file. */
  private static @Nullable Path resolve(Path jar, String name) {
    try {
      URI found = jar.toUri().resolve(withoutScheme(name));
      boolean isFile = found.getQuery() == null && found.getFragment() == null;
      return isFile && jar.toUri().getScheme().equals(found.getScheme()) ? Path.of(found) : null;
    } catch (IllegalArgumentException e) {
      return jar.resolveSibling(withoutScheme(name)); // the JVM accepts more than the rules allow
    }
  }
}
