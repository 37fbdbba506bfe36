package org.fmi.ckpt.xor;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.fmi.spi.ImageContent;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnreadableException;
import org.jspecify.annotations.Nullable;

/**
 * Puts an image into a piece as it is read, and collects its checksums. The rest of the piece is
 * written later, except for its header, which marks it as free.
 */
final class Filling implements NodeMemory.Filler, Closeable {
  private final PieceLayout layout;
  private final ImageContent.Source source;
  private @Nullable ImageContent content;

  /** The checksums of the image's full blocks. */
  private final int[] sums;

  /** The number of leading blocks whose checksums are known, as each was read in one part. */
  private int known;

  Filling(PieceLayout layout, ImageContent.Source source) {
    this.layout = layout;
    this.source = source;
    this.sums = new int[Math.toIntExact(layout.imageBytes() / layout.fullBlockBytes())];
  }

  @Override
  public void fill(long at, ByteBuffer to) throws UnreadableException {
    long read = at - layout.imageAt();
    if (read < 0) {
      int zeros = (int) Math.min(to.remaining(), -read);
      for (int i = 0; i < zeros; i++) {
        to.put((byte) 0);
      }
    } else if (read >= layout.imageBytes()) {
      to.position(to.limit());
    } else {
      read(read, to);
    }
  }

  private void read(long at, ByteBuffer to) throws UnreadableException {
    int full = layout.fullBlockBytes();
    int block = (int) (at / full);
    long most = Math.min(full - at % full, layout.imageBytes() - at);
    int limit = to.limit();
    to.limit((int) Math.min(limit, to.position() + most));
    try {
      ImageContent open = at == 0 ? reopen() : content;
      if (open == null) {
        throw new IllegalStateException("not read from its beginning");
      }
      int count = open.read(to);
      if (count < 0) {
        throw new EOFException("the image ends after " + at + " bytes");
      }
      if (count == full && block == known) {
        sums[known++] = open.sum();
      }
    } catch (IOException e) {
      throw new UnreadableException(e);
    }
    to.limit(limit);
  }

  private ImageContent reopen() throws IOException {
    close();
    known = 0;
    ImageContent opened = source.open();
    content = opened;
    return opened;
  }

  /** The known checksums of the image's first blocks. */
  int[] sums() {
    return Arrays.copyOf(sums, known);
  }

  @Override
  public void close() throws IOException {
    ImageContent open = content;
    content = null;
    if (open != null) {
      open.close();
    }
  }
}
