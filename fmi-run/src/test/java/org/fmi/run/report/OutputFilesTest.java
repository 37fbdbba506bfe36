package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutputFilesTest {
  @TempDir private Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void eachRankHasTwoFiles() throws IOException {
    OutputFiles files = new OutputFiles(directory.resolve("a/b"));
    files.write(3, false, bytes("out\n"));
    files.write(3, true, bytes("err\n"));
    files.write(3, false, bytes("more\n"));
    assertThat(directory.resolve("a/b/rank-3.out")).hasContent("out\nmore\n");
    assertThat(directory.resolve("a/b/rank-3.err")).hasContent("err\n");
  }

  @Test
  void moreRanksThanMayBeOpen() throws IOException {
    OutputFiles files = new OutputFiles(directory);
    for (int i = 0; i < 3; i++) {
      for (int rank = 0; rank < 300; rank++) {
        files.write(rank, false, bytes(i + "\n"));
      }
    }
    for (int rank = 0; rank < 300; rank++) {
      assertThat(files.file(rank, false)).hasContent("0\n1\n2\n");
    }
  }

  @Test
  void whatAnEarlierJobHasLeftIsReplaced() throws IOException {
    Files.writeString(directory.resolve("rank-0.out"), "of an earlier job\n");
    new OutputFiles(directory).write(0, false, bytes("new\n"));
    assertThat(directory.resolve("rank-0.out")).hasContent("new\n");
  }

  @Test
  void aDirectoryThatIsAFileIsRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatIOException().isThrownBy(() -> new OutputFiles(file));
  }
}
