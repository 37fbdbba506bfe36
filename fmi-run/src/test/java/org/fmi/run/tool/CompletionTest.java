package org.fmi.run.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.run.options.Settings;
import org.junit.jupiter.api.Test;
import picocli.AutoComplete;
import picocli.CommandLine;

/** Holds {@code conf/bash-completion} equal to the commands and their options. */
final class CompletionTest {
  private static final Path FILE = Path.of("..", "conf", "bash-completion");
  private static final Path WANTED = Path.of("target", "bash-completion");

  @Test
  void theFileIsThatOfTheCommands() throws IOException {
    Files.writeString(
        WANTED,
        AutoComplete.bash("fmi", new CommandLine(FmiTool.spec()))
            + AutoComplete.bash("fmirun", new CommandLine(Settings.spec())));
    assertThat(FILE).as("copy %s to it", WANTED).hasSameTextualContentAs(WANTED);
  }
}
