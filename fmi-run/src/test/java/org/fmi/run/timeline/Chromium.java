package org.fmi.run.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** Opens a page in the browser of that name, without a screen. */
final class Chromium {
  private static final long SECONDS = 60;

  /**
   * What was seen.
   *
   * @param document the page's elements after its script has run, as HTML
   * @param console what the page, or the browser about it, wrote to its console
   * @param picture a picture of it
   */
  record Page(String document, List<String> console, BufferedImage picture) {}

  private final String program;
  private final Path directory;

  private Chromium(String program, Path directory) {
    this.program = program;
    this.directory = directory;
  }

  /** Skips the test if there is none. */
  static Chromium find(Path directory) {
    Optional<String> found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .map(entry -> Path.of(entry, "chromium"))
            .filter(Files::isExecutable)
            .map(Path::toString)
            .findFirst();
    assumeTrue(found.isPresent(), "no chromium on the PATH, which opens the page");
    return new Chromium(found.get(), directory);
  }

  /**
   * Opens a page.
   *
   * @param place what comes behind its name in its address: empty, or {@code #} and a place
   */
  Page open(Path file, String place, String... options) throws IOException, InterruptedException {
    Path picture = Files.createTempFile(directory, "picture", ".png");
    Path document = Files.createTempFile(directory, "document", ".html");
    Path log = Files.createTempFile(directory, "log", ".txt");
    List<String> command =
        Stream.of(
                Stream.of(
                    program,
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--hide-scrollbars",
                    "--enable-logging=stderr",
                    "--user-data-dir=" + directory.resolve("profile"),
                    "--window-size=1600,1000",
                    "--screenshot=" + picture,
                    "--dump-dom"),
                Stream.of(options),
                Stream.of(file.toUri() + place))
            .flatMap(words -> words)
            .toList();
    Process process =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(document.toFile())
            .redirectError(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("%s ends", command).isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String said = Files.readString(log);
    assertThat(process.exitValue()).as(said).isZero();
    return new Page(
        Files.readString(document),
        said.lines().filter(line -> line.contains(":CONSOLE")).toList(),
        ImageIO.read(picture.toFile()));
  }
}
