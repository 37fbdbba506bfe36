package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A threshold has one name: of its constant, of its override, and in {@code bench/tune}. */
class ThresholdsTest {
  private static final Path TUNE = Path.of("../bench/tune");
  private static final Path TABLE =
      Path.of("src/main/java/org/fmi/core/coll").resolve("Thresholds.java");

  /** The format in which {@code bench/tune} reads the table. */
  private static final Pattern ROW =
      Pattern.compile("OVERRIDES\\.of\\(\\s*\"(\\w+)\", (\\d+)(?: << (\\d+))?\\)");

  private static final Pattern TUNED =
      Pattern.compile("^    \"(\\w+)\": Threshold\\(", Pattern.MULTILINE);

  private static Map<String, Long> constants() throws IllegalAccessException {
    Map<String, Long> constants = new TreeMap<>();
    for (Field field : Thresholds.class.getDeclaredFields()) {
      if (field.getType() == long.class) {
        constants.put(field.getName(), field.getLong(null));
      }
    }
    return constants;
  }

  @Test
  void theTableIsReadAsItIs() throws IOException, IllegalAccessException {
    Map<String, Long> read = new TreeMap<>();
    ROW.matcher(Files.readString(TABLE))
        .results()
        .forEach(
            row -> {
              int shift = row.group(3) == null ? 0 : Integer.parseInt(row.group(3));
              read.put(row.group(1), Long.parseLong(row.group(2)) << shift);
            });
    assertThat(read).isNotEmpty().isEqualTo(constants());
  }

  @Test
  void eachCanBeTuned() throws IOException, IllegalAccessException {
    assertThat(TUNED.matcher(Files.readString(TUNE)).results().map(name -> name.group(1)))
        .containsExactlyInAnyOrderElementsOf(constants().keySet());
  }

  @Test
  void aChainCarriesWholePieces() {
    assertThat(Thresholds.BCAST_CHAIN_BLOCK_BYTES).isGreaterThanOrEqualTo(Pipeline.BYTES);
  }
}
