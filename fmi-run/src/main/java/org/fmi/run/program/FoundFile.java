package org.fmi.run.program;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;

/**
 * A file that the JVM finds in a directory of a class path. Follows links. Unreadable files are
 * omitted, because the JVM does not find them either.
 *
 * @param path relative to the directory
 */
record FoundFile(Path path, long bytes, FileTime modified) {
  /** Maximum number of files and directories examined in one directory of a class path. */
  static final int MOST = 100_000;

  private static final String CLASS = ".class";
  private static final Path META_INF = Path.of("META-INF");

  /** Whether it is code, or determines the code to run: the same on all hosts. */
  boolean isProgram() {
    return path.toString().endsWith(CLASS) || path.startsWith(META_INF);
  }

  /**
   * Finds the files, in the same order on all hosts.
   *
   * @throws IOException if the directory cannot be read, or holds too much to examine at the start
   *     of each job
   */
  static List<FoundFile> in(Path directory) throws IOException {
    return in(directory, MOST);
  }

  static List<FoundFile> in(Path directory, int most) throws IOException {
    List<FoundFile> found = new ArrayList<>();
    Files.walkFileTree(
        directory,
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          private int seen;

          private FileVisitResult seen() throws IOException {
            if (++seen > most) {
              throw new IOException(
                  "holds more than "
                      + most
                      + " files, too many to search for classes: put the classes into a separate"
                      + " directory or jar");
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            return seen();
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile() && Files.isReadable(path)) {
              found.add(
                  new FoundFile(
                      directory.relativize(path),
                      attributes.size(),
                      attributes.lastModifiedTime()));
            }
            return seen();
          }

          @Override
          public FileVisitResult visitFileFailed(Path path, IOException e) throws IOException {
            if (path.equals(directory)) {
              throw e;
            }
            return seen(); // unreadable, vanished, or a link that leads back
          }
        });
    found.sort(Comparator.comparing(file -> file.path().toString()));
    return found;
  }
}
