package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.fmi.ckpt.xor.CheckpointHeader.Member;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read of lost members is what they had, for all small groups, losses and ranges. */
final class GroupImagesTest {
  private static final int BLOCK = 128;
  private static final CheckpointId ID = new CheckpointId(7, 1, 50, false);

  private final Random random = new Random(1);

  /** A group's pieces, with sums computed byte by byte from their definition. */
  private static final class Pieces implements GroupImages.Blocks {
    final int[] group;
    final int losses;
    final byte[][] images;
    final byte[] header;
    final BitSet lost = new BitSet();
    final PieceLayout[] layouts;
    final Stripes stripes;

    Pieces(Random random, int losses, int... sizes) {
      this.losses = losses;
      this.group = new int[sizes.length];
      Arrays.setAll(group, i -> 3 * i + 1);
      this.images = new byte[sizes.length][];
      Arrays.setAll(images, i -> new byte[sizes[i]]);
      for (byte[] image : images) {
        random.nextBytes(image);
      }
      Member[] members = new Member[sizes.length];
      Arrays.setAll(members, i -> new Member(group[i], sizes[i], 0, new int[losses]));
      CheckpointHeader made = new CheckpointHeader(ID, losses, members);
      MemorySegment piece =
          MemorySegment.ofArray(new byte[CheckpointHeader.bytes(sizes.length, losses)]);
      made.markComplete(piece);
      this.header = piece.toArray(ValueLayout.JAVA_BYTE);
      this.layouts = new PieceLayout[sizes.length];
      Arrays.setAll(layouts, i -> made.layout(i, BLOCK));
      this.stripes = new Stripes(sizes.length, losses);
    }

    @Override
    public byte @Nullable [] read(int rank, int chunk, long row) {
      int member = Arrays.binarySearch(group, rank);
      return lost.get(member) ? null : block(member, chunk, row);
    }

    byte[] block(int member, int chunk, long row) {
      byte[] block = new byte[layouts[member].storedBytes(chunk, row)];
      if (chunk < layouts[member].imageChunks()) {
        long at = row * layouts[member].rowBytes() + (long) chunk * layouts[member].blockBytes(row);
        for (int b = 0; b < block.length && at + b < images[member].length; b++) {
          block[b] = images[member][(int) at + b];
        }
        return block;
      }
      int sum = chunk - layouts[member].imageChunks();
      int stripe = stripes.stripe(member, sum);
      for (int place = losses; place < stripes.members(); place++) {
        byte[] data = block(stripes.member(stripe, place), stripes.chunk(place), row);
        int factor = Field.powerOfTwo(sum * (stripes.members() - 1 - place));
        for (int b = 0; b < data.length; b++) {
          block[b] ^= (byte) Field.times(factor, Byte.toUnsignedInt(data[b]));
        }
      }
      return block;
    }

    GroupImages images() throws IOException {
      return new GroupImages(header, group, losses, BLOCK, this);
    }
  }

  private static int[] sizes(int members, int most) {
    int[] sizes = new int[members];
    Arrays.setAll(sizes, i -> i == 0 ? most : most * i / members);
    return sizes;
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "2, 1", "3, 1", "4, 1", "3, 2", "4, 2", "5, 2", "4, 3", "5, 3"})
  void eachRangeIsRead(int members, int losses) throws IOException {
    for (int most : List.of(1, 64, 127, 128, 129, 500, 1000)) {
      Pieces pieces = new Pieces(random, losses, sizes(members, most));
      for (int set = 0; set < 1 << members; set++) {
        pieces.lost.clear();
        for (int i = 0; i < members; i++) {
          pieces.lost.set(i, (set >> i & 1) != 0);
        }
        if (pieces.lost.cardinality() <= losses) {
          assertReadsAll(pieces);
        }
      }
    }
  }

  private void assertReadsAll(Pieces pieces) throws IOException {
    for (int member = 0; member < pieces.group.length; member++) {
      byte[] image = pieces.images[member];
      GroupImages images = pieces.images();
      assertThat(images.bytes(pieces.group[member])).isEqualTo(image.length);
      byte[] all = new byte[image.length];
      images.read(pieces.group[member], 0, MemorySegment.ofArray(all));
      assertThat(all).isEqualTo(image);
      for (int i = 0; i < 4 && image.length > 0; i++) {
        int at = random.nextInt(image.length);
        byte[] part = new byte[random.nextInt(image.length - at) + 1];
        images.read(pieces.group[member], at, MemorySegment.ofArray(part));
        assertThat(part).isEqualTo(Arrays.copyOfRange(image, at, at + part.length));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 0", "3, 1", "4, 2"})
  void moreThanTheCodeRebuildsIsRefused(int members, int losses) throws IOException {
    Pieces pieces = new Pieces(random, losses, sizes(members, 500));
    pieces.lost.set(0, losses + 1);
    GroupImages images = pieces.images();
    assertThatThrownBy(() -> images.read(1, 0, MemorySegment.ofArray(new byte[10])))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the checkpoint of iteration 50 is lost for good: ranks [1")
        .hasMessageContaining("rebuilds " + losses);
  }

  @ParameterizedTest
  @CsvSource({"0, 501", "500, 1", "-1, 1"})
  void whatIsOutsideOfTheImageIsRefused(long at, int bytes) throws IOException {
    GroupImages images = new Pieces(random, 1, 500, 400).images();
    assertThatThrownBy(() -> images.read(1, at, MemorySegment.ofArray(new byte[bytes])))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the image of rank 1 has 500 bytes");
  }
}
