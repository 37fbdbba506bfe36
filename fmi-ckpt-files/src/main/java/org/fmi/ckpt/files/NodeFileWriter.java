package org.fmi.ckpt.files;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.ImageContent;

/**
 * Writes the file of a node: under a temporary name, which it exchanges for the final one when all
 * bytes are on stable storage.
 */
public final class NodeFileWriter {
  /** Large writes are the cheapest. */
  private static final int CHUNK_BYTES = 4 << 20;

  /** The alignment that devices may need to read memory themselves. */
  private static final int CHUNK_ALIGNMENT = 1 << 20;

  private final Target target;
  private final int chunkBytes;
  private final CRC32C crc = new CRC32C();

  /** A writer to a target. */
  public NodeFileWriter(Target target) {
    this(target, CHUNK_BYTES);
  }

  /**
   * @param chunkBytes the size of a write
   */
  NodeFileWriter(Target target, int chunkBytes) {
    this.target = target;
    this.chunkBytes = chunkBytes;
  }

  /** An image to write. */
  public record Image(int rank, CheckpointId id, long bytes, ImageContent.Source source) {}

  /**
   * Writes a file. Creates the directories of the job and of the version if they are missing.
   *
   * @param root the directory named by the user
   * @throws IOException if writing fails; then, if possible, nothing new is left
   */
  public FileFacts write(Path root, NodeFileHead head, List<Image> images) throws IOException {
    Path job = root.resolve(head.job());
    Path directory = job.resolve(Names.version(head.version()));
    target.makeDirectory(job);
    target.makeDirectory(directory);
    Path file = directory.resolve(head.fileName());
    FileFacts facts;
    // Freed at once, not when the garbage collector finds it.
    try (Arena memory = Arena.ofConfined()) {
      ByteBuffer chunk = memory.allocate(chunkBytes, CHUNK_ALIGNMENT).asByteBuffer();
      facts = target.write(file, output -> write(new Chunks(output, chunk), head, images));
    }
    target.forceDirectory(directory);
    target.forceDirectory(job);
    target.forceDirectory(root);
    return facts;
  }

  private FileFacts write(Chunks output, NodeFileHead head, List<Image> images) throws IOException {
    NodeFileLayout layout = new NodeFileLayout(images.size());
    ByteBuffer front = zeros(Math.toIntExact(layout.frontBytes()));
    output.append(front.duplicate());
    List<ByteBuffer> table = new ArrayList<>();
    long at = layout.frontBytes();
    long tableBytes = 0;
    for (int i = 0; i < images.size(); i++) {
      Image image = images.get(i);
      ByteBuffer sums;
      try (ImageContent content = image.source().open()) {
        sums = append(output, image, content);
      }
      putEntry(front, i, image, at, checksum(sums));
      table.add(sums);
      tableBytes += sums.remaining();
      at += NodeFileLayout.align(image.bytes());
    }
    putHeader(front, head, images.size(), at);

    ByteBuffer trailer = zeros(NodeFileLayout.TRAILER_BYTES);
    long length = at + tableBytes + NodeFileLayout.TRAILER_BYTES;
    trailer.putLong(0, NodeFileLayout.TRAILER_MAGIC);
    trailer.putLong(NodeFileLayout.LENGTH_AT, length);
    trailer.putInt(NodeFileLayout.FRONT_CRC_AT, checksum(front));
    crc.reset();
    table.forEach(sums -> crc.update(sums.duplicate()));
    trailer.putInt(NodeFileLayout.TABLE_CRC_AT, (int) crc.getValue());
    int digest = checksum(trailer.slice(0, NodeFileLayout.TRAILER_CRC_AT));
    trailer.putInt(NodeFileLayout.TRAILER_CRC_AT, digest);

    for (ByteBuffer sums : table) {
      output.append(sums);
    }
    output.append(trailer);
    output.replace(0, front);
    List<Integer> ranks = images.stream().map(Image::rank).distinct().sorted().toList();
    return new FileFacts(head.fileName(), length, digest, ranks);
  }

  /** Collects data for large writes: sources put their bytes directly into the write buffer. */
  private static final class Chunks {
    private final Target.Output output;
    private final ByteBuffer chunk;

    Chunks(Target.Output output, ByteBuffer chunk) {
      this.output = output;
      this.chunk = chunk.clear();
    }

    /** A buffer with room for at least one byte. */
    ByteBuffer room() throws IOException {
      if (!chunk.hasRemaining()) {
        drain();
      }
      return chunk;
    }

    void append(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        ByteBuffer room = room();
        int count = Math.min(bytes.remaining(), room.remaining());
        room.put(bytes.slice(bytes.position(), count));
        bytes.position(bytes.position() + count);
      }
    }

    void replace(long at, ByteBuffer bytes) throws IOException {
      drain();
      output.replace(at, bytes);
    }

    private void drain() throws IOException {
      output.append(chunk.flip());
      chunk.clear();
    }
  }

  /** Writes an image, with zeros up to the next page; returns the checksums of its blocks. */
  private ByteBuffer append(Chunks output, Image image, ImageContent content) throws IOException {
    long blocks = NodeFileLayout.blocks(image.bytes());
    ByteBuffer sums = zeros(Math.toIntExact(blocks * Integer.BYTES));
    int sum = 0; // of the written part of the block
    for (long at = 0; at < image.bytes(); ) {
      long inBlock = at % NodeFileLayout.BLOCK_BYTES;
      ByteBuffer room = output.room();
      int limit = room.limit();
      long most = Math.min(NodeFileLayout.BLOCK_BYTES - inBlock, image.bytes() - at);
      room.limit((int) Math.min(limit, room.position() + most));
      int count = content.read(room);
      room.limit(limit);
      if (count < 0) {
        throw new EOFException(
            "the image of rank "
                + image.rank()
                + " ends "
                + (image.bytes() - at)
                + " bytes too early");
      }
      sum = inBlock == 0 ? content.sum() : JoinedSum.of(sum, content.sum(), count);
      at += count;
      if (at % NodeFileLayout.BLOCK_BYTES == 0) {
        sums.putInt(sum);
      }
    }
    if (sums.hasRemaining()) {
      ByteBuffer padding = zeros((int) (NodeFileLayout.align(image.bytes()) - image.bytes()));
      sums.putInt(JoinedSum.of(sum, checksum(padding), padding.remaining()));
      output.append(padding);
    }
    return sums.flip();
  }

  private int checksum(ByteBuffer bytes) {
    crc.reset();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  private static ByteBuffer zeros(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void putEntry(ByteBuffer front, int entry, Image image, long imageAt, int digest) {
    int at = NodeFileLayout.entryAt(entry);
    CheckpointId id = image.id();
    front.putInt(at, image.rank());
    front.putInt(at + 4, digest);
    front.putLong(at + 8, id.version());
    front.putLong(at + 16, id.loop());
    front.putLong(at + 24, id.iteration());
    front.putLong(at + 32, id.last() ? 1 : 0);
    front.putLong(at + 40, imageAt);
    front.putLong(at + 48, image.bytes());
  }

  private static void putHeader(ByteBuffer front, NodeFileHead head, int entries, long tableAt) {
    byte[] job = head.job().getBytes(StandardCharsets.UTF_8);
    if (job.length > NodeFileLayout.MAX_JOB_BYTES) {
      throw new IllegalArgumentException("the name of job " + head.job() + " is too long");
    }
    front.putLong(0, NodeFileLayout.MAGIC);
    front.putInt(NodeFileLayout.FORMAT_AT, NodeFileLayout.FORMAT);
    front.putInt(NodeFileLayout.SIZE_AT, head.size());
    front.putInt(NodeFileLayout.NODE_AT, head.node());
    front.putInt(NodeFileLayout.EPOCH_AT, head.epoch());
    front.putLong(NodeFileLayout.VERSION_AT, head.version());
    front.putInt(NodeFileLayout.ENTRIES_AT, entries);
    front.putInt(NodeFileLayout.BLOCK_AT, NodeFileLayout.BLOCK_BYTES);
    front.putLong(NodeFileLayout.TABLE_AT, tableAt);
    front.putInt(NodeFileLayout.JOB_BYTES_AT, job.length);
    front.put(NodeFileLayout.JOB_AT, job);
  }
}
