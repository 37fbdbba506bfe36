package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeFileTest {
  private static final NodeFileHead HEAD = new NodeFileHead(Samples.JOB, 3, 7, 4, 42);

  @TempDir Path root;
  private Path path;
  private FileFacts facts;

  @BeforeEach
  void write() throws IOException {
    facts = new NodeFileWriter(new PosixTarget()).write(root, HEAD, Samples.images(42, 0, 2));
    path = root.resolve("job-a/v0000000042/n0007-e4.fmi");
  }

  @Test
  void readsWhatWasWritten() throws IOException {
    try (NodeFile file = NodeFile.open(path)) {
      assertThat(file.head()).isEqualTo(HEAD);
      assertThat(file.facts()).isEqualTo(facts);
      assertThat(facts.ranks()).containsExactly(0, 2);
      assertThat(file.entries()).hasSize(4);
      for (NodeFileEntry entry : file.entries()) {
        ByteBuffer got = ByteBuffer.allocate((int) entry.bytes());
        file.read(
            entry,
            (at, bytes) -> {
              assertThat(at).isEqualTo(got.position());
              got.put(bytes);
            });
        assertThat(got.array()).isEqualTo(Samples.image(entry.rank(), entry.id()));
        assertThat(entry.at() % 4096).isZero();
      }
    }
  }

  @Test
  void itsOwnerAloneMayReadIt() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    for (Path each : List.of(root.resolve("job-a"), root.resolve("job-a/v0000000042"))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void eachFlippedBitIsSeen() throws IOException {
    byte[] whole = Files.readAllBytes(path);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 500; i++) {
      // As many flips in the small parts as in the images.
      int bit =
          switch (i % 3) {
            case 0 -> random.nextInt(8 * 4096);
            case 1 -> 8 * whole.length - 1 - random.nextInt(8 * 200);
            default -> random.nextInt(8 * whole.length);
          };
      flip(whole, bit);
      Files.write(path, whole);
      assertThatThrownBy(this::verify, "bit %d", bit)
          .isInstanceOf(UnusableException.class)
          .hasMessageStartingWith(path.toString());
      flip(whole, bit);
    }
    Files.write(path, whole);
    verify();
  }

  @Test
  void eachLengthButTheRightOneIsSeen() throws IOException {
    byte[] whole = Files.readAllBytes(path);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 200; i++) {
      int length = i < 50 ? i : i < 100 ? whole.length - i + 49 : random.nextInt(whole.length);
      Files.write(path, Arrays.copyOf(whole, length));
      assertThatThrownBy(this::verify, "%d bytes", length).isInstanceOf(UnusableException.class);
    }
    Files.write(path, Arrays.copyOf(whole, whole.length + 1));
    assertThatThrownBy(this::verify).isInstanceOf(UnusableException.class);
  }

  @Test
  void aNewerFormatIsRefusedByItsNumber() throws IOException {
    byte[] whole = Files.readAllBytes(path);
    whole[8] = 2;
    Files.write(path, whole);
    assertThatThrownBy(this::verify)
        .hasMessage(path + ": of format 2; this FMI reads format 1 only");
  }

  @Test
  void anotherFileIsRefused() throws IOException {
    Files.writeString(path, "a letter\n".repeat(100));
    assertThatThrownBy(this::verify).hasMessage(path + ": not a checkpoint file");
  }

  @Test
  void aLinkIsNotFollowed() throws IOException {
    Path moved = Files.move(path, root.resolve("elsewhere"));
    Files.createSymbolicLink(path, moved);
    assertThatThrownBy(this::verify).isInstanceOf(IOException.class);
  }

  private void verify() throws IOException {
    try (NodeFile file = NodeFile.open(path)) {
      file.verify();
    }
  }

  private static void flip(byte[] bytes, int bit) {
    bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
  }
}
