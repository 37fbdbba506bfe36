package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LineAssemblerTest {
  private static final int MOST_BYTES = 64 << 10;

  private final LineAssembler lines = new LineAssembler(MOST_BYTES);
  private final List<byte[]> got = new ArrayList<>();
  private final List<Boolean> isMore = new ArrayList<>();

  private void got(byte[] bytes, boolean more) {
    got.add(bytes);
    isMore.add(more);
  }

  private void feed(String text) throws InterruptedException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    lines.feed(bytes, bytes.length, this::got);
  }

  private List<String> texts() {
    return got.stream().map(bytes -> new String(bytes, StandardCharsets.UTF_8)).toList();
  }

  @Test
  void keepsALineUntilItEnds() throws InterruptedException {
    feed("one\ntwo\nthr");
    feed("ee");
    feed("\nfour");
    assertThat(texts()).containsExactly("one\ntwo\n", "three\n");
    lines.end(this::got);
    assertThat(texts()).containsExactly("one\ntwo\n", "three\n", "four");
  }

  @Test
  void nothingIsLostOrTornAsLongAsLinesAreShort() throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ByteArrayOutputStream given = new ByteArrayOutputStream();
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      given.writeBytes(bytes);
      lines.feed(bytes, bytes.length, this::got);
    }
    for (byte[] piece : got) {
      assertThat(piece[piece.length - 1]).as("seed %d", seed).isEqualTo((byte) '\n');
    }
    lines.end(this::got);
    ByteArrayOutputStream back = new ByteArrayOutputStream();
    got.forEach(back::writeBytes);
    assertThat(back.toByteArray()).as("seed %d", seed).isEqualTo(given.toByteArray());
  }

  @Test
  void theLastPartOfALongLineIsKnown() throws InterruptedException {
    String long0 = "x".repeat(MOST_BYTES - 1);
    feed("a\n" + long0);
    feed("xyz");
    feed("\nb\n" + long0);
    feed("xyz");
    assertThat(texts()).containsExactly("a\n", long0, "xyz\nb\n", long0);
    assertThat(isMore).containsExactly(false, true, false, true);
    lines.end(this::got);
    lines.end(this::got);
    assertThat(texts()).hasSize(5).endsWith("xyz");
    assertThat(isMore).hasSize(5).endsWith(false);
  }

  @Test
  void aLineWithoutEndIsPassedOnInPiecesOfBoundedSize() throws InterruptedException {
    byte[] chunk = new byte[10_000];
    Arrays.fill(chunk, (byte) 'x');
    for (int i = 0; i < 1000; i++) {
      lines.feed(chunk, chunk.length, this::got);
    }
    lines.end(this::got);
    assertThat(got).allSatisfy(piece -> assertThat(piece.length).isLessThanOrEqualTo(MOST_BYTES));
    assertThat(isMore.subList(0, isMore.size() - 1)).containsOnly(true);
    assertThat(isMore).endsWith(false);
    assertThat(got.stream().mapToLong(piece -> piece.length).sum()).isEqualTo(10_000_000);
  }
}
