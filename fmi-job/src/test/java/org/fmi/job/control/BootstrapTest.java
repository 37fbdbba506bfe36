package org.fmi.job.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BootstrapTest {
  private static final Bootstrap BOOTSTRAP =
      new Bootstrap(
          "0123",
          7,
          2,
          1,
          new byte[] {1, 2, (byte) 0xff},
          List.of("10.0.0.1", "fe80::1"),
          4711,
          "/disk/f\u00fcr \u6bcf",
          5000,
          30_000,
          60_000);

  private static Bootstrap read(String text) throws IOException {
    return Bootstrap.read(new BufferedReader(new StringReader(text)));
  }

  @Test
  void comesBackAsItWas() throws IOException {
    assertThat(read(BOOTSTRAP.text())).usingRecursiveComparison().isEqualTo(BOOTSTRAP);
  }

  @Test
  void doesNotTellItsSecret() {
    assertThat(BOOTSTRAP.toString()).doesNotContain("0102ff").contains("0123");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello\n", "job x\nnode y\n"})
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("started by fmirun");
  }

  @Test
  void fmirunOfAnotherBuildIsRefused() {
    String text = BOOTSTRAP.text().replaceFirst(" [0-9a-f]{8}\n", " 12345678\n");
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a different build")
        .hasMessageContaining("12345678");
  }

  @Test
  void oneThatIsCutOffIsRefused() {
    String text = BOOTSTRAP.text();
    for (int length = 0; length < text.length() - 1; length += 7) {
      String cut = text.substring(0, length);
      assertThatThrownBy(() -> read(cut)).as(cut).isInstanceOf(IOException.class);
    }
  }
}
