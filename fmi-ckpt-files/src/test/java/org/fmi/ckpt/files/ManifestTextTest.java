package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class ManifestTextTest {
  private static final List<FileFacts> FILES =
      List.of(
          new FileFacts("n0000-e4.fmi", 1234567, -5, List.of(0, 2)),
          new FileFacts("n0001-e4.fmi", 99, 7, List.of(1)));
  private static final Manifest MANIFEST = Samples.manifest(42, FILES);

  @Test
  void readsWhatWasWritten() throws UnusableException {
    assertThat(ManifestText.read("p", ManifestText.write(MANIFEST))).isEqualTo(MANIFEST);
  }

  @Test
  void eachFlippedBitIsSeen() {
    byte[] text = ManifestText.write(MANIFEST);
    for (int bit = 0; bit < 8 * text.length; bit++) {
      text[bit >> 3] ^= (byte) (1 << (bit & 7));
      assertThatThrownBy(() -> ManifestText.read("p", text), "bit %d", bit)
          .isInstanceOf(UnusableException.class);
      text[bit >> 3] ^= (byte) (1 << (bit & 7));
    }
  }

  @Test
  void eachLengthButTheRightOneIsSeen() {
    byte[] text = ManifestText.write(MANIFEST);
    for (int length = 0; length < text.length; length++) {
      byte[] cut = Arrays.copyOf(text, length);
      assertThatThrownBy(() -> ManifestText.read("p", cut), "%d bytes", length)
          .isInstanceOf(UnusableException.class);
    }
  }

  @Test
  void aNewerFormatIsRefusedByItsNumber() {
    assertThatThrownBy(() -> ManifestText.read("p", with("\"format\" : 1", "\"format\" : 2")))
        .hasMessage("p: of format 2; this FMI reads format 1 only");
  }

  @Test
  void aFileOutsideOfItsDirectoryIsRefused() {
    assertThatThrownBy(
            () -> ManifestText.read("p", with("n0001-e4.fmi", "../../../etc/n0001-e4.fmi")))
        .hasMessageContaining("a file named ../../../etc/n0001-e4.fmi");
  }

  @Test
  void aRankThatIsMissingIsSeen() {
    assertThatThrownBy(() -> ManifestText.read("p", with("\"ranks\" : 3", "\"ranks\" : 4")))
        .hasMessage("p: its files do not hold each rank exactly once");
  }

  /** The manifest's text with a changed passage, and the right checksum. */
  private static byte[] with(String passage, String other) {
    String text = new String(ManifestText.write(MANIFEST), StandardCharsets.UTF_8);
    assertThat(text).contains(passage);
    String json = text.substring(0, text.indexOf("crc32c ")).replace(passage, other);
    CRC32C crc = new CRC32C();
    crc.update(json.getBytes(StandardCharsets.UTF_8));
    return (json + "crc32c " + String.format("%08x", crc.getValue()) + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
