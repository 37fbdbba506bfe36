package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The kernels of similar types are copies that differ in the type alone. */
class KernelsTest {
  private static final Path DIRECTORY = Path.of("src/main/java/org/fmi/core/coll");

  private static String text(String type) throws IOException {
    return Files.readString(DIRECTORY.resolve(type + "Kernels.java")).replaceAll("\\s+", " ");
  }

  @Test
  void shortsAndCharsAreTreatedAsBytes() throws IOException {
    String bytes = text("Byte");
    assertThat(bytes.replaceAll("\\bbyte\\b", "short").replace("Byte", "Short"))
        .isEqualTo(text("Short"));
    assertThat(bytes.replaceAll("\\bbyte\\b", "char").replace("Byte", "Char"))
        .isEqualTo(text("Char"));
  }

  /** Indices remain ints. */
  @Test
  void longsAreTreatedAsInts() throws IOException {
    assertThat(text("Int").replaceAll("\\bint(?=\\[]| a =| b =|})", "long").replace("Int", "Long"))
        .isEqualTo(text("Long"));
  }

  @Test
  void floatsAreTreatedAsDoubles() throws IOException {
    assertThat(
            text("Double")
                .replace("doubleToRawLongBits", "floatToRawIntBits")
                .replace("Double", "Float")
                .replace("double", "float"))
        .isEqualTo(text("Float"));
  }
}
