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
 * Commits a version, and deletes older ones. Never touches files of other jobs, or files that do
 * not have the name of a checkpoint file.
 */
public final class Publication {
  private final Target target;
  private final Path root;

  /** A publication in a directory named by the user. */
  public Publication(Target target, Path root) {
    this.target = target;
    this.root = root;
  }

  /**
   * Commits a version with the content of a manifest.
   *
   * @throws IOException if the manifest belongs to another version, or {@link #publish(Manifest)}
   *     fails
   */
  public void publish(String job, long version, byte[] text) throws IOException {
    Manifest manifest = ManifestText.read("the manifest that was given", text);
    if (!manifest.job().equals(job) || manifest.version() != version) {
      throw new IOException(
          "the manifest for " + job + "/v" + version + " belongs to " + manifest.name());
    }
    publish(manifest);
  }

  /**
   * Writes the manifest of a version with all its files, and reads it back with its files.
   *
   * @throws UnusableException if a file is not visible from here, or is a different one; nothing is
   *     committed then
   * @throws IOException if writing fails; the version may be committed or not
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
      throw new UnusableException(file, "differs from what was just written");
    }
    written.check();
  }

  /**
   * Retains a job's newest committed versions, and deletes older ones, as well as the remains of
   * uncommitted versions older than the newest committed one.
   *
   * @param keep at least 1
   * @param unfinished whether newer versions without a manifest are deleted too; false while the
   *     job runs
   * @return the directories of the deleted versions
   * @throws IOException if one cannot be deleted; its remains are not committed
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
   * Makes room for a version being written: deletes the remains of older uncommitted versions, and
   * one committed version unless it is the newest.
   *
   * @param oldest the committed version that may be deleted; -1 for none
   * @return whether anything was deleted
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

  /** Whether the job can roll back to a version, as judged without reading its images. */
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

  /**
   * Whether a version has a manifest, even an unreadable one: it may have a newer format, and is
   * not deleted.
   */
  private static boolean holdsManifest(Path version) {
    return Files.exists(version.resolve(Names.MANIFEST), LinkOption.NOFOLLOW_LINKS);
  }

  private void delete(Path version) throws IOException {
    Path manifest = version.resolve(Names.MANIFEST);
    if (holdsManifest(version)) {
      // From here on it is not committed: its files may be deleted in any order.
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
