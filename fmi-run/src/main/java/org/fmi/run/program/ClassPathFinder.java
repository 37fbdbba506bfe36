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
 * Finds all that the JVM looks at for a class path, in its order: also what the manifests of jars
 * name ({@code Class-Path}), behind the jar that names it.
 *
 * <p>A copy of a jar names the same files as the jar. Those with a relative name are looked for
 * beside the copy, where there is nothing, so that copies of them can follow as entries of their
 * own. Those with an absolute name are found where they are, and must stay as they are.
 */
public final class ClassPathFinder {
  /** The largest directory that is copied with all that is in it, in bytes. */
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
   * Finds them. The digests of what is to be copied are still missing.
   *
   * @param classPath absolute paths
   * @param own the class path of this process: its jars are FMI's, and come first in any case
   * @throws IOException if one of these cannot be read; the message names it
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
        throw new IOException(entry + ": not there, or cannot be read");
      }
      finder.add(path, false);
    }
    return finder.entries;
  }

  /**
   * @param inPlace whether the JVM finds it where it is
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

  /** The files that the manifest of a jar names; none if it is no jar. */
  private static List<String> namedIn(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String names =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      return names == null || names.isBlank() ? List.of() : List.of(names.strip().split("\\s+"));
    } catch (IOException e) {
      return List.of(); // the JVM does not look into it either
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

  /** As the JVM does; null for what cannot be a file. */
  private static @Nullable Path resolve(Path jar, String name) {
    try {
      URI found = jar.toUri().resolve(withoutScheme(name));
      boolean isFile = found.getQuery() == null && found.getFragment() == null;
      return isFile && jar.toUri().getScheme().equals(found.getScheme()) ? Path.of(found) : null;
    } catch (IllegalArgumentException e) {
      return jar.resolveSibling(withoutScheme(name)); // the JVM takes more than the rules allow
    }
  }
}
