package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.FileVersion;
import org.fmi.spi.ImageContent;

/** A job of three ranks on two nodes, with its checkpoints. */
final class Samples {
  /** So small that a file is written in several chunks. */
  private static final int CHUNK_BYTES = 256 << 10;

  static final String JOB = "job-a";
  static final int SIZE = 3;

  private Samples() {}

  static CheckpointId line(long version) {
    return new CheckpointId(version, 1, 10 * version, false);
  }

  static CheckpointId ended() {
    return new CheckpointId(3, 0, 7, true);
  }

  /** The image of a rank: equal for equal arguments; of an odd size, up to more than two blocks. */
  static byte[] image(int rank, CheckpointId id) {
    SplittableRandom random = new SplittableRandom(31 * id.version() + rank);
    byte[] bytes = new byte[random.nextInt(1, 5) * 150_001 - 150_000 + rank];
    random.nextBytes(bytes);
    return bytes;
  }

  static List<NodeFileWriter.Image> images(long version, int... ranks) {
    List<NodeFileWriter.Image> images = new ArrayList<>();
    for (int rank : ranks) {
      for (CheckpointId id : List.of(ended(), line(version))) {
        byte[] bytes = image(rank, id);
        images.add(new NodeFileWriter.Image(rank, id, bytes.length, () -> content(bytes)));
      }
    }
    return images;
  }

  /** Returns the bytes in parts that do not match blocks. */
  static ImageContent content(byte[] bytes) {
    return new ImageContent() {
      private final CRC32C crc = new CRC32C();
      private int at;

      @Override
      public int read(ByteBuffer to) {
        int count = Math.min(Math.min(to.remaining(), bytes.length - at), 100_000);
        to.put(bytes, at, count);
        crc.reset();
        crc.update(bytes, at, count);
        at += count;
        return count == 0 ? -1 : count;
      }

      @Override
      public int sum() {
        return (int) crc.getValue();
      }

      @Override
      public void close() {}
    };
  }

  /** Reads a whole image. */
  static byte[] read(CheckpointSource source, FileVersion version, CheckpointId id)
      throws IOException {
    return read(source.open(version, id), source.bytes(version, id));
  }

  /** Reads an image in parts that do not match blocks, and checks each part's checksum. */
  static byte[] read(ImageContent from, long bytes) throws IOException {
    ByteBuffer image = ByteBuffer.allocate((int) bytes + 1);
    CRC32C crc = new CRC32C();
    try (ImageContent content = from) {
      while (true) {
        int begin = image.position();
        int count = content.read(image.limit(Math.min(image.capacity(), begin + 70_000)));
        if (count < 0) {
          return Arrays.copyOf(image.array(), begin);
        }
        assertThat(image.position()).isEqualTo(begin + count);
        crc.reset();
        crc.update(image.array(), begin, count);
        assertThat(content.sum()).isEqualTo((int) crc.getValue());
      }
    }
  }

  static ProgramFacts program() {
    return new ProgramFacts(
        "org.example.Main",
        List.of(new ProgramFacts.Jar("app.jar", "ab".repeat(32))),
        List.of("--grid", "S \"quoted\" ä"));
  }

  static Manifest manifest(long version, List<FileFacts> files) {
    return new Manifest(
        JOB,
        SIZE,
        line(version),
        List.of(ended()),
        program(),
        "job-0",
        new Manifest.Origin("job-0", 2),
        files);
  }

  /** Writes the files of both nodes, and publishes the version. */
  static void commit(Target target, Path root, long version) throws IOException {
    List<FileFacts> files = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      NodeFileHead head = new NodeFileHead(JOB, SIZE, node, 4, version);
      files.add(
          new NodeFileWriter(target, CHUNK_BYTES)
              .write(root, head, node == 0 ? images(version, 0, 2) : images(version, 1)));
    }
    new Publication(target, root).publish(manifest(version, files));
  }
}
