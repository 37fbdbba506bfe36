package org.fmi.run.rank;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.FileVersion;
import org.fmi.spi.ImageContent;
import org.fmi.spi.OtherImages;
import org.fmi.spi.RankConfig;

/** The memory of an earlier job with more ranks, and files, from which this job may begin. */
final class EarlierSource implements CheckpointSource {
  private final CheckpointSource files;
  private final OtherImages memory;

  private EarlierSource(CheckpointSource files, OtherImages memory) {
    this.files = files;
    this.memory = memory;
  }

  /** Adds the memory of the earlier job to the files of this one, if there is such a job. */
  static CheckpointSource of(RankConfig config, CheckpointSource files) {
    return config.earlier().exists() ? new EarlierSource(files, new MemoryImages(config)) : files;
  }

  @Override
  public List<OtherImages> others() {
    List<OtherImages> all = new ArrayList<>(List.of(memory));
    all.addAll(files.others());
    return all;
  }

  @Override
  public List<FileVersion> offers(boolean beginning) {
    return files.offers(beginning);
  }

  @Override
  public String name(FileVersion version) {
    return files.name(version);
  }

  @Override
  public long bytes(FileVersion version, CheckpointId id) throws IOException {
    return files.bytes(version, id);
  }

  @Override
  public ImageContent open(FileVersion version, CheckpointId id) throws IOException {
    return files.open(version, id);
  }

  @Override
  public boolean holds(FileVersion version, CheckpointId id, MemorySegment image)
      throws IOException {
    return files.holds(version, id, image);
  }
}
