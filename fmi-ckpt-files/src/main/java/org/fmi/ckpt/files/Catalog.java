package org.fmi.ckpt.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of a checkpoint directory. Reading it changes nothing.
 *
 * @param generations the committed versions, by job and version; their files were checked, their
 *     images not read
 * @param unfinished directories of versions without a manifest: being written, or left over
 * @param unusable messages about damaged versions
 */
public record Catalog(List<Generation> generations, List<Path> unfinished, List<String> unusable) {
  private static final long MAX_MANIFEST_BYTES = 64 << 20;

  /** A name from a list, or a directory's path, which a shell may have completed. */
  private static final Pattern NAME = Pattern.compile("([^/]+)/v(\\d{1,18})/?");

  public Catalog {
    generations = List.copyOf(generations);
    unfinished = List.copyOf(unfinished);
    unusable = List.copyOf(unusable);
  }

  /**
   * Reads a directory named by the user.
   *
   * @throws IOException if it cannot be read
   */
  public static Catalog of(Path root) throws IOException {
    List<Generation> generations = new ArrayList<>();
    List<Path> unfinished = new ArrayList<>();
    List<String> unusable = new ArrayList<>();
    for (Path job : directories(root)) {
      if (!Names.isJob(job.getFileName().toString())) {
        continue;
      }
      List<Path> versions;
      try {
        versions = directories(job);
      } catch (IOException e) {
        unusable.add(job + ": cannot be read: " + e);
        continue;
      }
      for (Path version : versions) {
        if (Names.version(version.getFileName().toString()).isEmpty()) {
          continue;
        }
        try {
          Generation generation = generation(version);
          if (generation == null) {
            unfinished.add(version);
          } else {
            generation.check();
            generations.add(generation);
          }
        } catch (IOException e) {
          unusable.add(e instanceof UnusableException ? e.getMessage() : version + ": " + e);
        }
      }
    }
    return new Catalog(generations, unfinished, unusable);
  }

  /** The content of a directory named by the user that is no job's directory. */
  public static List<Path> foreign(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(root)) {
      for (Path each : all) {
        if (!isJob(each)) {
          found.add(each);
        }
      }
    }
    found.sort(Comparator.naturalOrder());
    return found;
  }

  private static boolean isJob(Path path) throws IOException {
    if (!Names.isJob(path.getFileName().toString())
        || !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
        || !Files.isReadable(path)) {
      return false;
    }
    try (Stream<Path> all = Files.list(path)) {
      return all.allMatch(each -> Names.version(each.getFileName().toString()).isPresent());
    }
  }

  /**
   * The generation named {@code JOB/v42}, or by the end of its directory's path; null if there is
   * no committed one.
   */
  public @Nullable Generation find(String name) {
    Matcher matcher = NAME.matcher(name);
    if (matcher.matches()) {
      long version = Long.parseLong(matcher.group(2));
      for (Generation each : generations) {
        Manifest manifest = each.manifest();
        if (manifest.job().equals(matcher.group(1)) && manifest.version() == version) {
          return each;
        }
      }
    }
    return null;
  }

  /** The messages about the generation of this name, if it is damaged. */
  public List<String> unusable(String name) {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      return List.of();
    }
    String directory =
        "/" + matcher.group(1) + "/" + Names.version(Long.parseLong(matcher.group(2))) + "/";
    return unusable.stream().filter(line -> ("/" + line).contains(directory)).toList();
  }

  /**
   * Reads the manifest of a version.
   *
   * @return null if there is none
   * @throws UnusableException if it is damaged, or belongs to another version
   */
  static @Nullable Generation generation(Path directory) throws IOException {
    Path path = directory.resolve(Names.MANIFEST);
    byte[] bytes;
    try (InputStream in =
        Files.newInputStream(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      bytes = in.readNBytes((int) MAX_MANIFEST_BYTES);
    } catch (NoSuchFileException e) {
      return null;
    }
    Manifest manifest = ManifestText.read(path, bytes);
    OptionalLong version = Names.version(String.valueOf(directory.getFileName()));
    Path job = directory.toAbsolutePath().getParent();
    if (version.isEmpty()
        || version.getAsLong() != manifest.version()
        || job == null
        || !manifest.job().equals(String.valueOf(job.getFileName()))) {
      throw new UnusableException(path, "belongs to " + manifest.name() + ": it was moved");
    }
    return new Generation(directory, manifest);
  }

  /** The directories in a directory, by name, without links. */
  private static List<Path> directories(Path in) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(in)) {
      for (Path each : all) {
        if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
          found.add(each);
        }
      }
    }
    found.sort(Comparator.comparing(path -> path.getFileName().toString()));
    return found;
  }
}
