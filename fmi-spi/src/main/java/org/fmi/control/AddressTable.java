package org.fmi.control;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.spi.Endpoints;

/**
 * The addresses of all ranks in an epoch: for each rank one address per name, where a name is that
 * of a transport or of the detector. One block of bytes that the ranks of a node can map, so that a
 * rank spends no heap on peers it never talks to.
 *
 * <pre>
 *   ranks  names  then for each name:  length  name  width
 *   int    int                         int     UTF-8 int
 *
 *   then for each name 2 + width planes of one byte per rank:
 *     length, high | length, low | first byte | second byte | ... | byte number width
 * </pre>
 *
 * The first bytes of all addresses lie together, then the second bytes, and so on. Bytes that are
 * equal in all addresses, or grow from node to node, then compress to almost nothing. An address
 * shorter than the width is padded with zeros. A rank without an address has one of length 0.
 */
public final class AddressTable {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int LENGTH_PLANES = 2;
  private static final int MAX_WIDTH = 0xffff;
  private static final byte[] NONE = {};

  /** The position of a name's planes, and the length of its longest address. */
  private record Column(long at, int width) {
    long planes() {
      return (long) LENGTH_PLANES + width;
    }
  }

  private final MemorySegment bytes;
  private final int ranks;
  private final Map<String, Column> columns;

  private AddressTable(MemorySegment bytes, int ranks, Map<String, Column> columns) {
    this.bytes = bytes;
    this.ranks = ranks;
    this.columns = columns;
  }

  /**
   * A table on the heap.
   *
   * @param byRank the addresses of each rank, by name
   * @throws IllegalArgumentException if an address is longer than 65,535 bytes
   */
  public static AddressTable of(List<Map<String, byte[]>> byRank) {
    Builder builder = new Builder(byRank.size());
    for (int rank = 0; rank < byRank.size(); rank++) {
      builder.put(rank, byRank.get(rank));
    }
    return builder.build();
  }

  /**
   * Builds a table rank by rank, in any order. As there may be a million ranks, an address goes
   * into a small block of the planes, and {@link #build} only concatenates the blocks.
   */
  public static final class Builder {
    /** Ranks of a block. */
    private static final int BLOCK = 1024;

    private final int ranks;

    /** By name: one array of planes per block, as wide as the block's longest address. */
    private final Map<String, byte[][]> columns = new LinkedHashMap<>();

    /** A builder for this many ranks, none of which has an address yet. */
    public Builder(int ranks) {
      this.ranks = ranks;
    }

    /**
     * Sets the addresses of a rank, by name, and drops its earlier ones.
     *
     * @throws IllegalArgumentException if an address is longer than 65,535 bytes
     */
    public void put(int rank, Map<String, byte[]> addresses) {
      Objects.checkIndex(rank, ranks);
      addresses.forEach(
          (name, address) -> {
            if (address.length > MAX_WIDTH) {
              throw new IllegalArgumentException(
                  "an address of " + address.length + " bytes for " + name);
            }
            columns.computeIfAbsent(name, _ -> new byte[Math.ceilDiv(ranks, BLOCK)][0]);
          });
      columns.forEach((name, blocks) -> put(blocks, rank, addresses.getOrDefault(name, NONE)));
    }

    private void put(byte[][] blocks, int rank, byte[] address) {
      int number = rank / BLOCK;
      int size = size(number);
      byte[] block = blocks[number];
      int length = (LENGTH_PLANES + address.length) * size;
      if (block.length < length) {
        block = Arrays.copyOf(block, length);
        blocks[number] = block;
      }
      int at = rank % BLOCK;
      block[at] = (byte) (address.length >> Byte.SIZE);
      block[size + at] = (byte) address.length;
      for (int i = 0; i < address.length; i++) {
        block[(LENGTH_PLANES + i) * size + at] = address[i];
      }
      for (int i = length + at; i < block.length; i += size) {
        block[i] = 0; // remains of a longer earlier address
      }
    }

    private int size(int block) {
      return Math.min(BLOCK, ranks - block * BLOCK);
    }

    /**
     * Builds the table on the heap. Every address gets room for the longest one of its name.
     *
     * @throws ArithmeticException if the table would be larger than 2 GiB
     */
    public AddressTable build() {
      long at = 2L * Integer.BYTES;
      for (String name : columns.keySet()) {
        at += 2L * Integer.BYTES + name.getBytes(StandardCharsets.UTF_8).length;
      }
      Map<String, Column> places = new LinkedHashMap<>();
      for (Map.Entry<String, byte[][]> each : columns.entrySet()) {
        Column place = new Column(at, width(each.getValue()));
        places.put(each.getKey(), place);
        at += place.planes() * ranks;
      }
      byte[] bytes = new byte[Math.toIntExact(at)];
      AddressTable table = new AddressTable(MemorySegment.ofArray(bytes), ranks, places);
      table.writeHead();
      places.forEach(
          (name, place) ->
              copy(Objects.requireNonNull(columns.get(name)), bytes, (int) place.at()));
      return table;
    }

    private int width(byte[][] blocks) {
      int width = 0;
      for (int b = 0; b < blocks.length; b++) {
        width = Math.max(width, blocks[b].length / size(b) - LENGTH_PLANES);
      }
      return width;
    }

    private void copy(byte[][] blocks, byte[] bytes, int first) {
      for (int b = 0; b < blocks.length; b++) {
        int size = size(b);
        for (int plane = 0; plane * size < blocks[b].length; plane++) {
          int to = first + plane * ranks + b * BLOCK;
          System.arraycopy(blocks[b], plane * size, bytes, to, size);
        }
      }
    }
  }

  private void writeHead() {
    bytes.set(INT, 0, ranks);
    bytes.set(INT, Integer.BYTES, columns.size());
    long at = 2L * Integer.BYTES;
    for (Map.Entry<String, Column> each : columns.entrySet()) {
      byte[] name = each.getKey().getBytes(StandardCharsets.UTF_8);
      bytes.set(INT, at, name.length);
      MemorySegment.copy(name, 0, bytes, ValueLayout.JAVA_BYTE, at + Integer.BYTES, name.length);
      at += Integer.BYTES + name.length;
      bytes.set(INT, at, each.getValue().width);
      at += Integer.BYTES;
    }
  }

  /**
   * Reads a table from bytes, which other processes may have mapped too.
   *
   * @throws IllegalArgumentException if the bytes hold no table
   */
  public static AddressTable in(MemorySegment bytes) {
    try {
      int ranks = bytes.get(INT, 0);
      int names = bytes.get(INT, Integer.BYTES);
      long at = 2L * Integer.BYTES;
      Map<String, Integer> widths = new LinkedHashMap<>();
      for (int i = 0; i < names; i++) {
        int length = bytes.get(INT, at);
        at += Integer.BYTES;
        byte[] name = bytes.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
        at += length;
        widths.put(new String(name, StandardCharsets.UTF_8), bytes.get(INT, at));
        at += Integer.BYTES;
      }
      Map<String, Column> columns = new LinkedHashMap<>();
      for (Map.Entry<String, Integer> each : widths.entrySet()) {
        Column column = new Column(at, each.getValue());
        columns.put(each.getKey(), column);
        if (column.width < 0 || column.width > MAX_WIDTH) {
          throw new IllegalArgumentException("addresses of " + column.width + " bytes");
        }
        at = Math.addExact(at, Math.multiplyExact(column.planes(), (long) ranks));
      }
      if (ranks < 0 || names != columns.size() || at != bytes.byteSize()) {
        throw new IllegalArgumentException(
            names + " addresses of " + ranks + " ranks in " + bytes.byteSize() + " bytes");
      }
      return new AddressTable(bytes.asReadOnly(), ranks, columns);
    } catch (IndexOutOfBoundsException | ArithmeticException e) {
      throw new IllegalArgumentException("a table that ends early", e);
    }
  }

  /** The number of ranks. */
  public int size() {
    return ranks;
  }

  /** The addresses of one name. Each is read from the table when it is asked for. */
  public Endpoints named(String name) {
    Column column = columns.get(name);
    return new Endpoints() {
      @Override
      public int size() {
        return ranks;
      }

      @Override
      public byte[] get(int rank) {
        return column == null ? NONE : read(column, rank);
      }

      @Override
      public boolean has(int rank) {
        return column != null && length(column, rank) > 0;
      }
    };
  }

  private byte[] read(Column column, int rank) {
    byte[] address = new byte[length(column, rank)];
    for (int i = 0; i < address.length; i++) {
      address[i] = at(column, LENGTH_PLANES + i, rank);
    }
    return address;
  }

  private int length(Column column, int rank) {
    int high = Byte.toUnsignedInt(at(column, 0, rank));
    int low = Byte.toUnsignedInt(at(column, 1, rank));
    return Math.min(column.width, high << Byte.SIZE | low);
  }

  private byte at(Column column, int plane, int rank) {
    return bytes.get(
        ValueLayout.JAVA_BYTE, column.at + (long) plane * ranks + Objects.checkIndex(rank, ranks));
  }

  /** The bytes that {@link #in} reads. */
  public MemorySegment bytes() {
    return bytes.asReadOnly();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AddressTable table && bytes.mismatch(table.bytes) < 0;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(bytes.byteSize()) * 31 + columns.hashCode();
  }

  @Override
  public String toString() {
    return "addresses of " + ranks + " ranks for " + columns.keySet();
  }
}
