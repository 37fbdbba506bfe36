package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * Makes a version count, and deletes older ones: never anything that is not of this job or has a
 * name that no checkpoint has.
 */
public final class Publication {
  private final Target target;
  private final Path root;

  /** In a directory that the user named. */
  public Publication(Target target, Path root) {
    this.target = target;
    this.root = root;
  }

  /**
   * Does so with the content of a manifest.
   *
   * @throws IOException if it is not one of that version, or {@link #publish(Manifest)} fails
   */
  public void publish(String job, long version, byte[] text) throws IOException {
    Manifest manifest = ManifestText.read("the manifest that was given", text);
    if (!manifest.job().equals(job) || manifest.version() != version) {
      throw new IOException(
          "the manifest of " + job + "/v" + version + " is of " + manifest.name());
    }
    publish(manifest);
  }

  /**
   * Writes the manifest of a version whose files are all written, and reads back what it names.
   *
   * @throws UnusableException if a file is not seen from here, or another one; nothing counts then
   * @throws IOException if that fails; the version may count or not
   */
  public void publish(Manifest manifest) throws IOException {
    Path job = root.resolve(manifest.job());
    Path directory = job.resolve(Names.version(manifest.version()));
    new Generation(directory, manifest).check();
    Path file = directory.resolve(Names.MANIFEST);
    target.write(
        file,
        output -> {
          output.append(ByteBuffer.wrap(ManifestText.write(manifest)));
          return manifest;
        });
    target.forceDirectory(directory);
    target.forceDirectory(job);
    Generation written = Catalog.generation(directory);
    if (written == null || !written.manifest().equals(manifest)) {
      throw new UnusableException(file, "is not what was written a moment ago");
    }
    written.check();
  }

  /**
   * Keeps the newest versions of a job that count, and deletes the older ones, and what was left
   * behind of versions that never counted and are older than the newest.
   *
   * @param keep at least 1
   * @param unfinished whether newer ones without a manifest go too: not while the job runs
   * @return the directories that it was about
   * @throws IOException if one cannot be deleted; what is left of it does not count
   */
  public List<Path> retain(String job, int keep, boolean unfinished, boolean dryRun)
      throws IOException {
    if (keep < 1 || !Names.isJob(job)) {
      throw new IllegalArgumentException("keep " + keep + " versions of job " + job);
    }
    List<Path> versions = versions(job);
    List<Path> old = new ArrayList<>();
    int kept = 0;
    for (Path version : versions.reversed()) {
      if (counts(version)) {
        if (kept < keep) {
          kept++;
        } else {
          old.add(version);
        }
      } else if ((kept > 0 || unfinished) && !holdsManifest(version)) {
        old.add(version);
      }
    }
    if (!dryRun) {
      for (Path version : old) {
        delete(version);
      }
      if (!old.isEmpty()) {
        target.forceDirectory(root.resolve(job));
      }
    }
    return old;
  }

  /** The directories of versions, oldest first. */
  private List<Path> versions(String job) throws IOException {
    List<Path> versions = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(root.resolve(job))) {
      for (Path each : all) {
        OptionalLong version = Names.version(String.valueOf(each.getFileName()));
        if (version.isPresent() && Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
          versions.add(each);
        }
      }
    }
    versions.sort(Comparator.comparing(path -> path.getFileName().toString()));
    return versions;
  }

  /**
   * Makes room for a version that is being written: deletes what was left behind of older ones that
   * never counted, and one that counts, unless it is the newest.
   *
   * @param oldest the version that may go; -1 for none
   * @return whether something was deleted
   */
  public boolean makeRoom(String job, long version, long oldest) throws IOException {
    boolean deleted = false;
    List<Path> versions = versions(job);
    boolean isNewest = true;
    for (Path each : versions.reversed()) {
      long number = Names.version(String.valueOf(each.getFileName())).orElseThrow();
      if (number == oldest && !isNewest && counts(each)) {
        delete(each);
        deleted = true;
      } else if (number < version && !holdsManifest(each)) {
        delete(each);
        deleted = true;
      }
      isNewest &= !counts(each);
    }
    return deleted;
  }

  /** Whether a version can be gone back to, as far as that is seen without reading its images. */
  private static boolean counts(Path version) throws IOException {
    try {
      Generation generation = Catalog.generation(version);
      if (generation != null) {
        generation.check();
        return true;
      }
      return false;
    } catch (UnusableException e) {
      return false;
    }
  }

  /** A version whose manifest cannot be read is not deleted: it may be of a newer format. */
  private static boolean holdsManifest(Path version) {
    return Files.exists(version.resolve(Names.MANIFEST), LinkOption.NOFOLLOW_LINKS);
  }

  private void delete(Path version) throws IOException {
    Path manifest = version.resolve(Names.MANIFEST);
    if (holdsManifest(version)) {
      // From here on it does not count: its files may go in any order.
      target.delete(manifest);
      target.forceDirectory(version);
    }
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(version)) {
      for (Path file : all) {
        if (Names.isOurs(String.valueOf(file.getFileName()))) {
          files.add(file);
        }
      }
    }
    for (Path file : files) {
      target.delete(file);
    }
    boolean _ = target.deleteDirectory(version);
  }
}
