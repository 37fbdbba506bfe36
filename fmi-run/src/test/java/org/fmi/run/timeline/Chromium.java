package org.fmi.run.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/**
 * Opens pages in the browser of that name, without a screen: all at once, one below the other, as
 * the start of a browser takes seconds of a core.
 */
final class Chromium {
  private static final long SECONDS = 120;
  private static final int WIDTH = 1600;
  private static final int HEIGHT = 1000;

  /**
   * What a page with others in it keeps of each: as HTML in its own text, when all are there. It is
   * not loaded before, by a frame whose document is open: the browser ends when it is. (What it has
   * for this, virtual time, stands still forever in one start of three on a busy machine.)
   */
  private static final String COLLECT =
      """
      <iframe id='open' width=0 height=0></iframe>
      <script>
      const open = document.getElementById('open').contentDocument.open();
      const frames = [...document.querySelectorAll('iframe[src]')];
      const look = () => {
        if (!frames.every(frame => frame.contentDocument.querySelector(frame.dataset.last))) {
          setTimeout(look, 50);
          return;
        }
        for (const frame of frames) {
          const seen = document.createElement('pre');
          seen.textContent = btoa(unescape(encodeURIComponent(frame.contentDocument.documentElement.outerHTML)));
          document.body.append(seen);
        }
        open.close();
      };
      look();
      </script>
      """;

  private static final Pattern SEEN = Pattern.compile("<pre>([^<]*)</pre>");

  /**
   * A page to open.
   *
   * @param address a file's, perhaps with {@code #} and a place behind
   * @param last a selector of what its scripts set last
   */
  record Place(String address, String last) {}

  /**
   * What was seen.
   *
   * @param document the page's elements after its script has run, as HTML
   * @param console what the pages, or the browser about them, wrote to its console
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
   * Opens pages.
   *
   * @param places what to open
   * @return what was seen of each, in the same order, when it had what is {@link Place#last}
   */
  List<Page> open(List<Place> places) throws IOException, InterruptedException {
    Path picture = Files.createTempFile(directory, "picture", ".png");
    Path document = Files.createTempFile(directory, "document", ".html");
    Path log = Files.createTempFile(directory, "log", ".txt");
    Path all = Files.createTempFile(directory, "all", ".html");
    String frames =
        places.stream()
            .map(
                place ->
                    "<iframe src='%s' data-last='%s' width=%d height=%d></iframe>\n"
                        .formatted(place.address(), place.last(), WIDTH, HEIGHT))
            .collect(Collectors.joining());
    Files.writeString(
        all,
        "<style>body { margin: 0 } iframe { border: 0; display: block }</style>\n"
            + frames
            + COLLECT);
    List<String> command =
        List.of(
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--enable-logging=stderr",
            "--allow-file-access-from-files",
            "--user-data-dir=" + directory.resolve("profile"),
            "--window-size=" + WIDTH + "," + HEIGHT * places.size(),
            "--screenshot=" + picture,
            "--dump-dom",
            all.toUri().toString());
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
    List<String> documents =
        SEEN.matcher(Files.readString(document))
            .results()
            .map(found -> Base64.getDecoder().decode(found.group(1)))
            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
            .toList();
    assertThat(documents).as(said).hasSameSizeAs(places);
    List<String> console = said.lines().filter(line -> line.contains(":CONSOLE")).toList();
    BufferedImage pictures = ImageIO.read(picture.toFile());
    List<Page> pages = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      BufferedImage own = pictures.getSubimage(0, i * HEIGHT, WIDTH, HEIGHT);
      pages.add(new Page(documents.get(i), console, own));
    }
    return pages;
  }
}
