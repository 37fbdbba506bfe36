package org.fmi.ckpt.files;

import static org.fmi.ckpt.files.NodeFileLayout.INT;
import static org.fmi.ckpt.files.NodeFileLayout.LONG;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.fmi.spi.CheckpointId;

/**
 * Writes the file of a node: under a temporary name, which it exchanges for the right one when all
 * bytes are on stable storage.
 */
public final class NodeFileWriter {
  /** Large writes cost least. */
  private static final int CHUNK_BYTES = 4 << 20;

  /** As much as devices may want of memory that they read themselves. */
  private static final int CHUNK_ALIGNMENT = 1 << 20;

  private final Target target;
  private final int chunkBytes;
  private final CRC32C crc = new CRC32C();

  /** Writes to a target. */
  public NodeFileWriter(Target target) {
    this(target, CHUNK_BYTES);
  }

  /**
   * @param chunkBytes what is written at once
   */
  NodeFileWriter(Target target, int chunkBytes) {
    this.target = target;
    this.chunkBytes = chunkBytes;
  }

  /** Where an image comes from. */
  public interface Source {
    /** Opens it, to be read from its beginning. */
    ReadableByteChannel open() throws IOException;
  }

  /** An image: {@code bytes} bytes. */
  public record Image(int rank, CheckpointId id, long bytes, Source source) {}

  /**
   * Writes a file. Makes the directories of the job and the version if they are not there.
   *
   * @param root what the user named
   * @throws IOException if that fails; then nothing new is left behind, as far as that is possible
   */
  public FileFacts write(Path root, NodeFileHead head, List<Image> images) throws IOException {
    Path job = root.resolve(head.job());
    Path directory = job.resolve(Names.version(head.version()));
    target.makeDirectory(job);
    target.makeDirectory(directory);
    Path file = directory.resolve(head.fileName());
    FileFacts facts;
    // Given back at once, not when the collector finds it.
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
    MemorySegment front = MemorySegment.ofArray(new byte[Math.toIntExact(layout.frontBytes())]);
    output.append(front.asByteBuffer());
    List<ByteBuffer> table = new ArrayList<>();
    long at = layout.frontBytes();
    long tableBytes = 0;
    for (int i = 0; i < images.size(); i++) {
      Image image = images.get(i);
      ByteBuffer sums;
      try (ReadableByteChannel content = image.source().open()) {
        sums = append(output, image, content);
      }
      putEntry(front, i, image, at, checksum(sums));
      table.add(sums);
      tableBytes += sums.remaining();
      at += NodeFileLayout.align(image.bytes());
    }
    putHeader(front, head, images.size(), at);

    MemorySegment trailer = MemorySegment.ofArray(new byte[NodeFileLayout.TRAILER_BYTES]);
    long length = at + tableBytes + NodeFileLayout.TRAILER_BYTES;
    trailer.set(LONG, 0, NodeFileLayout.TRAILER_MAGIC);
    trailer.set(LONG, NodeFileLayout.LENGTH_AT, length);
    trailer.set(INT, NodeFileLayout.FRONT_CRC_AT, checksum(front.asByteBuffer()));
    crc.reset();
    table.forEach(sums -> crc.update(sums.duplicate()));
    trailer.set(INT, NodeFileLayout.TABLE_CRC_AT, (int) crc.getValue());
    int digest = checksum(trailer.asSlice(0, NodeFileLayout.TRAILER_CRC_AT).asByteBuffer());
    trailer.set(INT, NodeFileLayout.TRAILER_CRC_AT, digest);

    for (ByteBuffer sums : table) {
      output.append(sums);
    }
    output.append(trailer.asByteBuffer());
    output.replace(0, front.asByteBuffer());
    List<Integer> ranks = images.stream().map(Image::rank).distinct().sorted().toList();
    return new FileFacts(head.fileName(), length, digest, ranks);
  }

  /** Gathers what is written: whoever gives bytes puts them where they are written from. */
  private static final class Chunks {
    private final Target.Output output;
    private final ByteBuffer chunk;

    Chunks(Target.Output output, ByteBuffer chunk) {
      this.output = output;
      this.chunk = chunk.clear();
    }

    /** Room for at least a byte. */
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

  /** Writes an image, with zeros up to the next page; gives the checksums of its blocks. */
  private ByteBuffer append(Chunks output, Image image, ReadableByteChannel content)
      throws IOException {
    long blocks = NodeFileLayout.blocks(image.bytes());
    ByteBuffer sums =
        ByteBuffer.allocate(Math.toIntExact(blocks * Integer.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
    long stored = NodeFileLayout.align(image.bytes());
    crc.reset();
    for (long at = 0; at < stored; ) {
      ByteBuffer room = output.room();
      int begin = room.position();
      if (at < image.bytes()) {
        int limit = room.limit();
        room.limit((int) Math.min(limit, begin + image.bytes() - at));
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
      } else {
        room.put((byte) 0);
      }
      at = sum(room.slice(begin, room.position() - begin), at, stored, sums);
    }
    return sums.flip();
  }

  /** Goes on with the checksums of the blocks, and returns where in the image that leads to. */
  private long sum(ByteBuffer bytes, long from, long stored, ByteBuffer sums) {
    long at = from;
    while (bytes.hasRemaining()) {
      long left =
          Math.min(NodeFileLayout.BLOCK_BYTES - at % NodeFileLayout.BLOCK_BYTES, stored - at);
      int count = (int) Math.min(bytes.remaining(), left);
      crc.update(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      at += count;
      if (count == left) {
        sums.putInt((int) crc.getValue());
        crc.reset();
      }
    }
    return at;
  }

  private int checksum(ByteBuffer bytes) {
    crc.reset();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  private static void putEntry(
      MemorySegment front, int entry, Image image, long imageAt, int digest) {
    long at = NodeFileLayout.entryAt(entry);
    CheckpointId id = image.id();
    front.set(INT, at, image.rank());
    front.set(INT, at + 4, digest);
    front.set(LONG, at + 8, id.version());
    front.set(LONG, at + 16, id.loop());
    front.set(LONG, at + 24, id.iteration());
    front.set(LONG, at + 32, id.last() ? 1 : 0);
    front.set(LONG, at + 40, imageAt);
    front.set(LONG, at + 48, image.bytes());
  }

  private static void putHeader(MemorySegment front, NodeFileHead head, int entries, long tableAt) {
    byte[] job = head.job().getBytes(StandardCharsets.UTF_8);
    if (job.length > NodeFileLayout.MAX_JOB_BYTES) {
      throw new IllegalArgumentException("the name of job " + head.job() + " is too long");
    }
    front.set(LONG, 0, NodeFileLayout.MAGIC);
    front.set(INT, NodeFileLayout.FORMAT_AT, NodeFileLayout.FORMAT);
    front.set(INT, NodeFileLayout.SIZE_AT, head.size());
    front.set(INT, NodeFileLayout.NODE_AT, head.node());
    front.set(INT, NodeFileLayout.EPOCH_AT, head.epoch());
    front.set(LONG, NodeFileLayout.VERSION_AT, head.version());
    front.set(INT, NodeFileLayout.ENTRIES_AT, entries);
    front.set(INT, NodeFileLayout.BLOCK_AT, NodeFileLayout.BLOCK_BYTES);
    front.set(LONG, NodeFileLayout.TABLE_AT, tableAt);
    front.set(INT, NodeFileLayout.JOB_BYTES_AT, job.length);
    MemorySegment.copy(MemorySegment.ofArray(job), 0, front, NodeFileLayout.JOB_AT, job.length);
  }
}
