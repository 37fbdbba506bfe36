package org.fmi.run.tool;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.NodeFile;
import org.fmi.ckpt.files.NodeFileEntry;
import org.fmi.core.checkpoint.SavedState;
import org.fmi.run.options.UsageException;
import org.fmi.spi.CheckpointId;

/** {@code fmi ckpt export}: extracts an array from a generation. */
final class CheckpointExport {
  private final Generation generation;
  private final int rank;
  private final CheckpointId id;

  /**
   * Creates an export of one rank's state in a loop.
   *
   * @param loop its number; none for the loop in which the generation continues
   * @throws UsageException if there is no such rank or loop
   */
  CheckpointExport(Generation generation, int rank, Optional<Long> loop) throws UsageException {
    Manifest manifest = generation.manifest();
    if (rank < 0 || rank >= manifest.size()) {
      throw new UsageException(
          "--rank " + rank + ": " + manifest.name() + " has ranks 0 to " + (manifest.size() - 1));
    }
    this.generation = generation;
    this.rank = rank;
    this.id = checkpoint(manifest, loop.orElse(manifest.line().loop()));
  }

  private static CheckpointId checkpoint(Manifest manifest, long loop) throws UsageException {
    List<Long> loops = new ArrayList<>();
    for (CheckpointId each : manifest.needed()) {
      if (each.loop() == loop) {
        return each;
      }
      loops.add(each.loop());
    }
    throw new UsageException(
        "--loop " + loop + ": " + manifest.name() + " has the state of loops " + loops);
  }

  /**
   * Writes an array to a file.
   *
   * @param object its number in the order of the program's state
   * @throws UsageException if there is no such array
   */
  void write(int object, Path to) throws IOException, UsageException {
    for (FileFacts facts : generation.manifest().files()) {
      if (facts.ranks().contains(rank)) {
        try (NodeFile file = generation.open(facts)) {
          write(file, object, to);
        }
      }
    }
  }

  private void write(NodeFile file, int object, Path to) throws IOException, UsageException {
    NodeFileEntry entry = file.find(rank, id);
    SavedState state =
        SavedState.of(
            generation.manifest().size(),
            (at, into) ->
                file.read(
                    entry,
                    at,
                    into.byteSize(),
                    (begin, bytes) ->
                        into.asSlice(begin - at, bytes.remaining())
                            .copyFrom(MemorySegment.ofBuffer(bytes))));
    String which = "--object " + object + ": ";
    if (object < 0 || object >= state.objects()) {
      throw new UsageException(
          which
              + "the program registered "
              + state.objects()
              + " objects for loop "
              + id.loop()
              + ", numbered from 0");
    }
    SavedState.Content array;
    try {
      array = state.content(object);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          which + e.getMessage() + "; only arrays, buffers and memory segments can be exported");
    }
    boolean done = false;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(to))) {
      NumpyFile.writeHeader(out, array);
      for (SavedState.Part part : array.parts()) {
        file.read(entry, part.at(), part.bytes(), (begin, bytes) -> write(out, bytes));
      }
      done = true;
    } finally {
      if (!done) {
        Files.deleteIfExists(to);
      }
    }
  }

  private static void write(OutputStream out, ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    out.write(copy);
  }
}
