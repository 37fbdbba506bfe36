package org.fmi.ckpt.files;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * The content of a version, which is committed by this file.
 *
 * @param job the job that has written it
 * @param size the job's number of ranks
 * @param line the checkpoint to continue from
 * @param finals the final checkpoints of ended loops, ascending by version; {@code line} may be the
 *     last of them
 * @param lineage the job that started without files and from which this job descends
 * @param began the version that the job started from; null if it started without files
 * @param files the files with the images; each rank is in one of them
 */
public record Manifest(
    String job,
    int size,
    CheckpointId line,
    List<CheckpointId> finals,
    ProgramFacts program,
    String lineage,
    @Nullable Origin began,
    List<FileFacts> files) {
  public Manifest {
    finals = List.copyOf(finals);
    files = List.copyOf(files);
  }

  /** A version of another job. */
  public record Origin(String job, long version) {}

  /** The number in the name of its directory. */
  public long version() {
    return line.version();
  }

  /** The user's name for it. */
  public String name() {
    return job + "/v" + version();
  }

  /** All checkpoints that each rank needs, ascending by version. */
  public List<CheckpointId> needed() {
    List<CheckpointId> all = new ArrayList<>(finals);
    if (!all.contains(line)) {
      all.add(line);
    }
    return all;
  }

  /** The content of the manifest file. */
  public byte[] text() {
    return ManifestText.write(this);
  }

  /** The size of all files. */
  public long bytes() {
    return files.stream().mapToLong(FileFacts::bytes).sum();
  }

  /** Whether each rank is in one file, and no file is named twice. */
  boolean isComplete() {
    TreeSet<Integer> ranks = new TreeSet<>();
    TreeSet<String> names = new TreeSet<>();
    int count = 0;
    for (FileFacts file : files) {
      ranks.addAll(file.ranks());
      count += file.ranks().size();
      names.add(file.name());
    }
    return count == size
        && ranks.size() == size
        && names.size() == files.size()
        && size > 0
        && ranks.getFirst() == 0
        && ranks.getLast() == size - 1;
  }
}
