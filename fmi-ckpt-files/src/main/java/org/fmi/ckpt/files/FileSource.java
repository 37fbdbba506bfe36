package org.fmi.ckpt.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.RankConfig;

/** One rank's images in the file that its job begins from. */
public final class FileSource implements CheckpointSource {
  private final int rank;
  private final Level2Plan plan;

  private FileSource(int rank, Level2Plan plan) {
    this.rank = rank;
    this.plan = plan;
  }

  /** What a rank begins from; opens nothing yet. */
  public static CheckpointSource of(RankConfig config) {
    return config.level2().origin().isEmpty()
        ? NONE
        : new FileSource(config.rank(), config.level2());
  }

  @Override
  public List<CheckpointId> needed() {
    return plan.needed();
  }

  @Override
  public long bytes(CheckpointId id) throws IOException {
    try (NodeFile file = open()) {
      return entry(file, id).bytes();
    }
  }

  @Override
  public void read(CheckpointId id, MemorySegment image) throws IOException {
    try (NodeFile file = open()) {
      file.read(
          entry(file, id),
          (at, bytes) ->
              image.asSlice(at, bytes.remaining()).copyFrom(MemorySegment.ofBuffer(bytes)));
    }
  }

  private NodeFile open() throws IOException {
    NodeFile file = NodeFile.open(Path.of(plan.origin()));
    if (file.facts().digest() != plan.digest()) {
      file.close();
      throw new UnusableException(plan.origin(), "another file than the manifest names");
    }
    return file;
  }

  private NodeFileEntry entry(NodeFile file, CheckpointId id) throws IOException {
    NodeFileEntry entry = Generation.find(file, rank, id);
    if (entry == null) {
      throw new UnusableException(
          plan.origin(), "lacks the checkpoint " + id.version() + " of rank " + rank);
    }
    return entry;
  }
}
