package org.fmi.ckpt.files;

import static org.fmi.ckpt.files.NodeFileLayout.INT;
import static org.fmi.ckpt.files.NodeFileLayout.LONG;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.ImageContent;

/**
 * Reads the file of a node. All returned data were compared with their checksums; every bit of the
 * file is covered by one.
 */
public final class NodeFile implements Closeable {
  private final Path path;
  private final FileChannel channel;
  private final CRC32C crc = new CRC32C();
  private final NodeFileHead head;
  private final List<NodeFileEntry> entries;
  private final ByteBuffer table;
  private final long bytes;
  private final int digest;

  /**
   * Opens a file, and checks all of it except the images.
   *
   * @throws UnusableException if it is missing or damaged
   */
  public static NodeFile open(Path path) throws IOException {
    FileChannel channel;
    try {
      channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      throw new UnusableException(path, "not there");
    }
    try {
      return new NodeFile(path, channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private NodeFile(Path path, FileChannel channel) throws IOException {
    this.path = path;
    this.channel = channel;
    this.bytes = channel.size();
    if (bytes < NodeFileLayout.HEADER_BYTES + NodeFileLayout.TRAILER_BYTES) {
      throw damaged("cut short: it has " + bytes + " bytes");
    }
    MemorySegment header = MemorySegment.ofBuffer(read(0, NodeFileLayout.HEADER_BYTES));
    if (header.get(LONG, 0) != NodeFileLayout.MAGIC) {
      throw damaged("not a checkpoint file");
    }
    int format = header.get(INT, NodeFileLayout.FORMAT_AT);
    if (format != NodeFileLayout.FORMAT) {
      throw damaged(
          "of format " + format + "; this FMI reads format " + NodeFileLayout.FORMAT + " only");
    }
    MemorySegment trailer =
        MemorySegment.ofBuffer(
            read(bytes - NodeFileLayout.TRAILER_BYTES, NodeFileLayout.TRAILER_BYTES));
    digest = trailer.get(INT, NodeFileLayout.TRAILER_CRC_AT);
    if (trailer.get(LONG, 0) != NodeFileLayout.TRAILER_MAGIC
        || trailer.get(LONG, NodeFileLayout.LENGTH_AT) != bytes) {
      throw damaged("cut short: it has " + bytes + " bytes, without the end of a checkpoint file");
    }
    if (checksum(trailer.asSlice(0, NodeFileLayout.TRAILER_CRC_AT).asByteBuffer()) != digest) {
      throw damaged("damaged: its trailer fails its checksum");
    }
    int count = header.get(INT, NodeFileLayout.ENTRIES_AT);
    long tableAt = header.get(LONG, NodeFileLayout.TABLE_AT);
    NodeFileLayout layout = new NodeFileLayout(count);
    if (count < 0
        || count > NodeFileLayout.MAX_ENTRIES
        || tableAt < layout.frontBytes()
        || tableAt > bytes - NodeFileLayout.TRAILER_BYTES
        || bytes - tableAt > Integer.MAX_VALUE) {
      throw damaged("damaged: its header contradicts its length");
    }
    MemorySegment front = MemorySegment.ofBuffer(read(0, Math.toIntExact(layout.frontBytes())));
    if (checksum(front.asByteBuffer()) != trailer.get(INT, NodeFileLayout.FRONT_CRC_AT)) {
      throw damaged("damaged: its header fails its checksum");
    }
    table = read(tableAt, (int) (bytes - NodeFileLayout.TRAILER_BYTES - tableAt));
    if (checksum(table) != trailer.get(INT, NodeFileLayout.TABLE_CRC_AT)) {
      throw damaged("damaged: its table of checksums fails its checksum");
    }
    head = head(front);
    entries = entries(front, layout, tableAt);
  }

  private NodeFileHead head(MemorySegment front) throws IOException {
    int jobBytes = front.get(INT, NodeFileLayout.JOB_BYTES_AT);
    if (jobBytes < 0 || jobBytes > NodeFileLayout.MAX_JOB_BYTES) {
      throw damaged("damaged: the name of its job has " + jobBytes + " bytes");
    }
    byte[] job = front.asSlice(NodeFileLayout.JOB_AT, jobBytes).toArray(ValueLayout.JAVA_BYTE);
    return new NodeFileHead(
        new String(job, StandardCharsets.UTF_8),
        front.get(INT, NodeFileLayout.SIZE_AT),
        front.get(INT, NodeFileLayout.NODE_AT),
        front.get(INT, NodeFileLayout.EPOCH_AT),
        front.get(LONG, NodeFileLayout.VERSION_AT));
  }

  /** Reads the entries. Their checksum was verified, so an inconsistency was written that way. */
  private List<NodeFileEntry> entries(MemorySegment front, NodeFileLayout layout, long tableAt)
      throws IOException {
    List<NodeFileEntry> found = new ArrayList<>();
    long next = layout.frontBytes();
    long blocks = 0;
    for (int i = 0; i < layout.entries(); i++) {
      long at = NodeFileLayout.entryAt(i);
      CheckpointId id =
          new CheckpointId(
              front.get(LONG, at + 8),
              front.get(LONG, at + 16),
              front.get(LONG, at + 24),
              front.get(LONG, at + 32) != 0);
      NodeFileEntry entry =
          new NodeFileEntry(
              front.get(INT, at),
              id,
              front.get(LONG, at + 40),
              front.get(LONG, at + 48),
              front.get(INT, at + 4));
      if (entry.at() != next || entry.bytes() < 0 || entry.bytes() > tableAt - next) {
        throw damaged("damaged: the image of rank " + entry.rank() + " is misplaced");
      }
      next += NodeFileLayout.align(entry.bytes());
      blocks += NodeFileLayout.blocks(entry.bytes());
      found.add(entry);
    }
    if (next != tableAt || blocks * Integer.BYTES != table.remaining()) {
      throw damaged("damaged: its images do not end where its table begins");
    }
    return List.copyOf(found);
  }

  /** The identity of the file. */
  public NodeFileHead head() {
    return head;
  }

  /** The images in the file. */
  public List<NodeFileEntry> entries() {
    return entries;
  }

  /**
   * The image of a rank's checkpoint.
   *
   * @throws UnusableException if it is not in this file
   */
  public NodeFileEntry find(int rank, CheckpointId id) throws UnusableException {
    for (NodeFileEntry entry : entries) {
      if (entry.rank() == rank && entry.id().equals(id)) {
        return entry;
      }
    }
    throw damaged("lacks the checkpoint " + id.version() + " of rank " + rank);
  }

  /** The record that the manifest should have of it. */
  public FileFacts facts() {
    return new FileFacts(
        String.valueOf(path.getFileName()),
        bytes,
        digest,
        entries.stream().map(NodeFileEntry::rank).distinct().sorted().toList());
  }

  /** Takes the content of an image, in order. */
  public interface Sink {
    /** Takes the next bytes, which are at offset {@code at} of the image. */
    void take(long at, ByteBuffer bytes) throws IOException;
  }

  /**
   * Reads an image, block by block. The sink gets verified bytes.
   *
   * @throws UnusableException if it is damaged; the sink may have received earlier blocks
   */
  public void read(NodeFileEntry entry, Sink sink) throws IOException {
    read(entry, 0, entry.bytes(), sink);
  }

  /** An image to be copied. Closing it closes the file. */
  ImageContent content(NodeFileEntry entry) throws IOException {
    return new Content(entry);
  }

  private final class Content implements ImageContent {
    private final NodeFileEntry entry;
    private final ByteBuffer sums;
    private long read;

    /** The checksum of the part of the block that was read. */
    private int blockSum;

    /** The checksum of the bytes returned last. */
    private int sum;

    Content(NodeFileEntry entry) throws IOException {
      this.entry = entry;
      this.sums = sums(entry, Math.toIntExact(NodeFileLayout.blocks(entry.bytes())));
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
      int inBlock = (int) (read % NodeFileLayout.BLOCK_BYTES);
      long left = Math.min(NodeFileLayout.BLOCK_BYTES - inBlock, entry.bytes() - read);
      if (left == 0) {
        return -1;
      }
      int bytes = (int) Math.min(to.remaining(), left);
      ByteBuffer part = to.slice(to.position(), bytes);
      fill(part, entry.at() + read);
      to.position(to.position() + bytes);
      sum = checksum(part);
      blockSum = inBlock == 0 ? sum : JoinedSum.of(blockSum, sum, bytes);
      int block = (int) (read / NodeFileLayout.BLOCK_BYTES);
      read += bytes;
      if (bytes == left) {
        compare(block);
      }
      return bytes;
    }

    private void compare(int block) throws IOException {
      // Zeros up to the next page are covered by the checksum.
      int padding = (int) (NodeFileLayout.align(read) - read);
      if (padding > 0) {
        int zeros = checksum(NodeFile.this.read(entry.at() + read, padding));
        blockSum = JoinedSum.of(blockSum, zeros, padding);
      }
      requireSum(entry, block, blockSum, sums);
    }

    @Override
    public int sum() {
      return sum;
    }

    @Override
    public void close() throws IOException {
      NodeFile.this.close();
    }
  }

  private void requireSum(NodeFileEntry entry, int block, int sum, ByteBuffer sums)
      throws UnusableException {
    if (sum != sums.getInt(block * Integer.BYTES)) {
      throw damaged(
          "damaged: block "
              + block
              + " of the image of rank "
              + entry.rank()
              + " fails its checksum");
    }
  }

  /**
   * Reads a part of an image. The blocks at its ends are read whole, to compare them with their
   * checksums.
   *
   * @param from the offset of the part
   * @param count the length of the part
   */
  public void read(NodeFileEntry entry, long from, long count, Sink sink) throws IOException {
    if (from < 0 || count < 0 || from > entry.bytes() - count) {
      throw damaged("has no " + count + " bytes at " + from + " of rank " + entry.rank());
    }
    int blocks = Math.toIntExact(NodeFileLayout.blocks(entry.bytes()));
    ByteBuffer sums = sums(entry, blocks);
    ByteBuffer block = ByteBuffer.allocateDirect(NodeFileLayout.BLOCK_BYTES);
    long stored = NodeFileLayout.align(entry.bytes());
    for (int b = (int) (from / NodeFileLayout.BLOCK_BYTES); b < blocks; b++) {
      long at = (long) b * NodeFileLayout.BLOCK_BYTES;
      if (at >= from + count) {
        return;
      }
      block.clear().limit((int) Math.min(NodeFileLayout.BLOCK_BYTES, stored - at));
      fill(block, entry.at() + at);
      requireSum(entry, b, checksum(block), sums);
      block.limit((int) Math.min(block.limit(), from + count - at));
      block.position((int) Math.max(0, from - at));
      sink.take(at + block.position(), block);
    }
  }

  /** The checksums of an image's blocks. */
  private ByteBuffer sums(NodeFileEntry entry, int blocks) throws IOException {
    int firstBlock = 0;
    for (NodeFileEntry before : entries) {
      if (before.equals(entry)) {
        break;
      }
      firstBlock += Math.toIntExact(NodeFileLayout.blocks(before.bytes()));
    }
    ByteBuffer sums =
        table.slice(firstBlock * Integer.BYTES, blocks * Integer.BYTES).order(table.order());
    if (checksum(sums) != entry.digest()) {
      throw damaged("damaged: the checksums of rank " + entry.rank() + " fail their checksum");
    }
    return sums;
  }

  /**
   * Compares all images with their checksums.
   *
   * @throws UnusableException if one is damaged
   */
  public void verify() throws IOException {
    for (NodeFileEntry entry : entries) {
      read(entry, (at, bytes) -> {});
    }
  }

  private ByteBuffer read(long at, int count) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    fill(buffer, at);
    return buffer;
  }

  private void fill(ByteBuffer buffer, long at) throws IOException {
    int begin = buffer.position();
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, at + buffer.position() - begin) < 0) {
        throw damaged("cut short while it was read");
      }
    }
    buffer.flip();
  }

  private int checksum(ByteBuffer of) {
    crc.reset();
    crc.update(of.duplicate());
    return (int) crc.getValue();
  }

  private UnusableException damaged(String what) {
    return new UnusableException(path, what);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
