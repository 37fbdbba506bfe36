package org.fmi.ckpt.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32C;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FileVersion;
import org.fmi.spi.ImageContent;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.OtherImages;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * A rank's images in files: the images that its job may start from, named by fmirun, and the images
 * that the job has written, found by the rank itself. Files are only written of versions that all
 * ranks have committed. So a version that all ranks see, each in a file of the same epoch, is
 * whole, even without a manifest.
 */
public final class FileSource implements CheckpointSource {
  /** Marks the tokens of other jobs' versions; the tokens of this job are epochs. */
  private static final long OTHER_JOB = 1L << 32;

  private final String job;
  private final int rank;
  private final int size;
  private final Level2Plan plan;
  private final Diagnostics diagnostics;

  /** The findings of the last look, newest first. */
  private final List<Found> found = new ArrayList<>();

  /**
   * A file with this rank's part of a version.
   *
   * @param digest the file's digest
   */
  private record Found(FileVersion version, String name, Path path, int digest) {}

  private FileSource(RankConfig config, Diagnostics diagnostics) {
    this.job = config.jobId();
    this.rank = config.rank();
    this.size = config.size();
    this.plan = config.level2();
    this.diagnostics = diagnostics;
  }

  /**
   * The images that a rank may read; opens no file yet.
   *
   * @param diagnostics receives messages for the user
   */
  public static CheckpointSource of(RankConfig config, Diagnostics diagnostics) {
    Level2Plan plan = config.level2();
    boolean none =
        plan.origins().isEmpty() && plan.others().isEmpty() && plan.directory().isEmpty();
    return none ? NONE : new FileSource(config, diagnostics);
  }

  @Override
  public List<FileVersion> offers(boolean beginning) {
    found.clear();
    if (!beginning && !plan.directory().isEmpty()) {
      lookForOwn(Path.of(plan.directory()));
    }
    for (Level2Plan.Origin origin : plan.origins()) {
      // fmirun has just read it: if it is gone, reading it fails with a message.
      FileVersion version = new FileVersion(token(origin.generation()), origin.needed());
      found.add(new Found(version, origin.generation(), Path.of(origin.path()), origin.digest()));
    }
    found.sort(
        Comparator.<Found>comparingLong(each -> each.version.recoveryLine().version())
            .thenComparingLong(each -> each.version.token())
            .reversed());
    return found.stream().map(Found::version).toList();
  }

  private static long token(String generation) {
    CRC32C crc = new CRC32C();
    crc.update(generation.getBytes(StandardCharsets.UTF_8));
    return OTHER_JOB | crc.getValue();
  }

  private void lookForOwn(Path directory) {
    for (Path version : list(directory)) {
      if (Names.version(name(version)).isPresent()
          && Files.isDirectory(version, LinkOption.NOFOLLOW_LINKS)) {
        long number = Names.version(name(version)).getAsLong();
        FileFacts named = named(version);
        if (named == null) {
          lookAtAll(version, number, null);
        } else {
          Path own = version.resolve(named.name());
          if (!look(own, number, Collections.min(named.ranks()) == rank)) {
            lookAtAll(version, number, own);
          }
        }
      }
    }
  }

  /**
   * Looks at all files of a version, as all ranks do.
   *
   * @param known a file that was looked at already; null if none was
   */
  private void lookAtAll(Path version, long number, @Nullable Path known) {
    for (Path file : list(version)) {
      if (Names.isNodeFile(name(file)) && !file.equals(known)) {
        boolean _ = look(file, number, rank == 0);
      }
    }
  }

  /**
   * The file that has this rank's part by the version's manifest, so that each rank opens one file
   * and not those of all nodes; null if the manifest is missing or damaged.
   */
  private @Nullable FileFacts named(Path version) {
    try {
      Generation generation = Catalog.generation(version);
      if (generation != null) {
        for (FileFacts facts : generation.manifest().files()) {
          if (facts.ranks().contains(rank)) {
            return facts;
          }
        }
      }
    } catch (IOException | LinkageError e) {
      // The files are read without it. A program may bring an older Jackson, which precedes ours.
    }
    return null;
  }

  /**
   * Checks a file. A damaged or foreign file is no source; another file may be one.
   *
   * @param reports whether this rank reports damage, which others see too
   * @return whether it is a source
   */
  private boolean look(Path path, long number, boolean reports) {
    try (NodeFile file = NodeFile.open(path)) {
      NodeFileHead head = file.head();
      List<CheckpointId> needed =
          file.entries().stream()
              .filter(entry -> entry.rank() == rank)
              .map(NodeFileEntry::id)
              .sorted(Comparator.comparingLong(CheckpointId::version))
              .toList();
      if (!needed.isEmpty()
          && needed.getLast().version() == number
          && head.version() == number
          && head.size() == size
          && head.job().equals(job)) {
        FileVersion version = new FileVersion(head.epoch(), needed);
        found.add(new Found(version, job + "/v" + number, path, file.facts().digest()));
        return true;
      }
    } catch (IOException e) {
      if (reports) {
        diagnostics.report("cannot roll back to " + e.getMessage());
      }
    }
    return false;
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private List<Path> list(Path directory) {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(all::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      // Nothing was written, or it is being deleted.
    } catch (IOException e) {
      if (rank == 0) {
        diagnostics.report(directory + " cannot be read: " + e); // as all ranks look there
      }
    }
    return all;
  }

  @Override
  public String name(FileVersion version) {
    return find(version).name;
  }

  @Override
  public long bytes(FileVersion version, CheckpointId id) throws IOException {
    Found from = find(version);
    try (NodeFile file = open(from)) {
      return file.find(rank, id).bytes();
    }
  }

  @Override
  public ImageContent open(FileVersion version, CheckpointId id) throws IOException {
    NodeFile file = open(find(version));
    try {
      return file.content(file.find(rank, id));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public boolean holds(FileVersion version, CheckpointId id, MemorySegment image)
      throws IOException {
    Found from = find(version);
    try (NodeFile file = open(from)) {
      NodeFileEntry entry = file.find(rank, id);
      return entry.bytes() == image.byteSize() && entry.digest() == NodeFileLayout.digest(image);
    }
  }

  @Override
  public List<OtherImages> others() {
    return plan.others().stream().<OtherImages>map(OtherFiles::new).toList();
  }

  private Found find(FileVersion version) {
    for (Found each : found) {
      if (each.version.equals(version)) {
        return each;
      }
    }
    throw new IllegalStateException("rank " + rank + " has not seen " + version);
  }

  private static NodeFile open(Found from) throws IOException {
    NodeFile file = NodeFile.open(from.path);
    if (file.facts().digest() != from.digest) {
      file.close();
      throw new UnusableException(from.path, "another file than before");
    }
    return file;
  }
}
