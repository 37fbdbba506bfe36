package org.fmi.ckpt.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.OtherImages;

/** All images of a generation, in files that stay open until it is closed. */
final class OtherFiles implements OtherImages {
  private final Level2Plan.Others others;
  private final Map<String, NodeFile> open = new HashMap<>();

  OtherFiles(Level2Plan.Others others) {
    this.others = others;
  }

  @Override
  public String name() {
    return others.generation();
  }

  @Override
  public boolean inFiles() {
    return true;
  }

  @Override
  public int size() {
    return others.size();
  }

  @Override
  public List<CheckpointId> needed() {
    return others.needed();
  }

  @Override
  public void verify(int rank, CheckpointId id) throws IOException {
    NodeFile file = open(of(rank));
    file.read(file.find(rank, id), (at, bytes) -> {});
  }

  @Override
  public void read(int rank, CheckpointId id, long at, MemorySegment into) throws IOException {
    NodeFile file = open(of(rank));
    file.read(
        file.find(rank, id),
        at,
        into.byteSize(),
        (begin, bytes) ->
            into.asSlice(begin - at, bytes.remaining()).copyFrom(MemorySegment.ofBuffer(bytes)));
  }

  private Level2Plan.OfRanks of(int rank) throws IOException {
    for (Level2Plan.OfRanks file : others.files()) {
      for (int each : file.ranks()) {
        if (each == rank) {
          return file;
        }
      }
    }
    throw new UnusableException(others.generation(), "lacks rank " + rank);
  }

  private NodeFile open(Level2Plan.OfRanks of) throws IOException {
    NodeFile file = open.get(of.path());
    if (file == null) {
      file = NodeFile.open(Path.of(of.path()));
      if (file.facts().digest() != of.digest()) {
        file.close();
        throw new UnusableException(of.path(), "another file than the manifest names");
      }
      open.put(of.path(), file);
    }
    return file;
  }

  @Override
  public void close() {
    for (NodeFile file : open.values()) {
      try {
        file.close();
      } catch (IOException e) {
        // All data read from it were compared with checksums.
      }
    }
    open.clear();
  }
}
