package org.fmi.job.control;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.fmi.codec.ByHand;
import org.fmi.control.AddressTable;

/**
 * The compressed encoding of the addresses of all ranks in a message that each node receives. What
 * remains per rank is little more than its ports.
 */
@ByHand(1)
final class AddressCodec {
  /** An upper bound of the growth of decompressed bytes. */
  private static final int MOST_GROWTH = 1100;

  private AddressCodec() {}

  static void put(MessageWriter out, AddressTable table) {
    ByteBuffer bytes = table.bytes().asByteBuffer(); // no copy: there may be a million ranks
    int size = bytes.remaining();
    try (Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true)) {
      deflater.setInput(bytes);
      deflater.finish();
      byte[] compressed = new byte[64 + size / 4];
      int length = 0;
      while (!deflater.finished()) {
        if (length == compressed.length) {
          compressed = Arrays.copyOf(compressed, 2 * length);
        }
        length += deflater.deflate(compressed, length, compressed.length - length);
      }
      out.putInt(size);
      out.putBytes(Arrays.copyOf(compressed, length));
    }
  }

  static AddressTable get(MessageReader in) throws BadMessageException {
    int length = in.getInt();
    byte[] compressed = in.getBytes();
    if (length < 0 || length > (long) MOST_GROWTH * compressed.length) {
      throw new BadMessageException(
          length + " bytes of addresses from " + compressed.length + " bytes");
    }
    byte[] bytes = new byte[length];
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(compressed);
      int got = 0;
      while (!inflater.finished()) {
        int more = inflater.inflate(bytes, got, length - got);
        got += more;
        if (more == 0 && !inflater.finished()) {
          throw new BadMessageException("addresses that are cut off, or too long");
        }
      }
      if (got != length || inflater.getRemaining() > 0) {
        throw new BadMessageException(got + " bytes of addresses, not " + length);
      }
      return AddressTable.in(MemorySegment.ofArray(bytes));
    } catch (DataFormatException e) {
      throw new BadMessageException("addresses that are no compressed bytes");
    } catch (IllegalArgumentException e) {
      throw new BadMessageException(String.valueOf(e.getMessage()));
    }
  }
}
