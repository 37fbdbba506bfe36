package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.Settings;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StartTextTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          -n 1 --interval 1 | 1 rank, 1 local node, transports auto, checkpoints every iteration
          -n 4 --ppn 2 --interval 20 | 4 ranks, 2 local nodes, transports auto, checkpoints every 20 iterations in groups of up to 16 that survive 1 loss, if no spare is left share, heartbeat 5000 ms
          -n 4 --transport tcp --interval 1.5min | transports tcp, checkpoints every 90 s in
          -n 4 --mtbf 0.5 --on-no-spare wait | checkpoints tuned for a failure every 0.5 s in
          -n 4 --mtbf 60 --interval-model young | checkpoints tuned for a failure every 60 s by Young's model in
          -n 4 --on-no-spare wait | , if no spare is left wait,
          """)
  void saysInWordsWhatWasChosen(String options, String expected) throws Exception {
    Files.createDirectories(directory.resolve("classes"));
    Files.createFile(directory.resolve("classes/App.class"));
    List<String> words = List.of((options + " -cp classes App").split(" "));
    Settings settings = Settings.read(words, Map.of(), directory.resolve("fmi.conf"));
    assertThat(StartText.of(RunOptions.of(settings, Map.of(), directory, _ -> true)))
        .contains(expected)
        .doesNotContain("[");
  }
}
