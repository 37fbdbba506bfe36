package org.fmi.run.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.job.Notice;
import org.fmi.run.report.EventLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page itself, and as a browser shows it. */
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TimelinePageTest {
  private static final int RANKS = 8;

  @TempDir private Path directory;

  private Path page(Path events) throws Exception {
    Path page = directory.resolve("page.html");
    Files.writeString(page, TimelinePage.of(TimelineBuilder.read(events)));
    return page;
  }

  private Path minute() throws Exception {
    Path events = directory.resolve("events.json");
    GeneratedJob.write(events, RANKS, 2, 60, 3, 20);
    return events;
  }

  /** The colour that the page's style gives a name, for a light background. */
  private static int colour(String html, String name) {
    Matcher matcher = Pattern.compile("--" + name + ": #([0-9a-f]{6});").matcher(html);
    assertThat(matcher.find()).as(name).isTrue();
    return Integer.parseInt(matcher.group(1), 16);
  }

  private static Set<Integer> colours(BufferedImage picture, int fromY, int toY) {
    Set<Integer> found = new HashSet<>();
    for (int y = fromY; y < Math.min(toY, picture.getHeight()); y++) {
      for (int x = 0; x < picture.getWidth(); x++) {
        found.add(picture.getRGB(x, y) & 0xffffff);
      }
    }
    return found;
  }

  @Test
  void aBrowserShowsTheWholeJob() throws Exception {
    Chromium chromium = Chromium.find(directory);
    Timeline timeline = TimelineBuilder.read(minute());
    Path file = page(directory.resolve("events.json"));
    Chromium.Page page = chromium.open(file, "");
    assertThat(page.console()).isEmpty();
    assertThat(page.document())
        .contains("heat2d.jar --rows 4096", "ended well", "job generated")
        .contains("<dt>Recoveries</dt><dd>" + timeline.recoveryCount() + "<")
        .contains("<dt>Checkpoints</dt><dd>" + timeline.checkpoints().size() + "<")
        .contains("id=\"row-1\"", "id=\"row-" + timeline.recoveryCount() + "\"")
        .contains("was killed by signal 9")
        .contains("data-draw-millis=")
        .contains("id=\"error\" class=\"message\" hidden=\"\"");
    String html = Files.readString(file);
    // What has a place in the picture of a minute, on canvas.
    for (String name : new String[] {"running", "checkpoint", "failure", "progress"}) {
      assertThat(colours(page.picture(), 0, 1000)).as(name).contains(colour(html, name));
    }
  }

  @Test
  void aBrowserShowsEachStageOfARecovery() throws Exception {
    Chromium chromium = Chromium.find(directory);
    Path file = page(minute());
    String html = Files.readString(file);
    Chromium.Page page = chromium.open(file, "#recovery-2");
    assertThat(page.console()).isEmpty();
    assertThat(page.document()).contains("<tr id=\"row-2\" class=\"chosen\">");
    // Below the head and above the legend and the table, which show the colours always.
    Set<Integer> shown = colours(page.picture(), 350, 450);
    for (String name : new String[] {"running", "join", "wait", "h2", "h3"}) {
      assertThat(shown).as(name).contains(colour(html, name));
    }
  }

  @Test
  void aProgramsTextIsNoMarkup() throws Exception {
    Path events = directory.resolve("events.json");
    String program = "x.jar </script><script>alert(1)</script><img src=x onerror=alert(2)> & \"'";
    try (EventLog log = new EventLog(events)) {
      log.write(EventLog.line(new Notice.Submitted("f00", program), 1, 1));
      log.write(EventLog.line(new Notice.Finished(70, 0, program), 2, 2_000_000));
    }
    Path file = page(events);
    assertThat(Files.readString(file)).doesNotContain("<script>alert", "<img");
    Chromium.Page page = Chromium.find(directory).open(file, "");
    assertThat(page.console()).isEmpty();
    assertThat(page.document()).contains("ended with status 70", "x.jar &lt;/script&gt;");
  }

  /** An hour of 64 ranks that loses one every 20 seconds. */
  @Test
  void anHourOfManyRanksStaysSmall() throws Exception {
    Path events = directory.resolve("events.json");
    GeneratedJob.write(events, 64, 8, 3600, 5, 20);
    Path file = page(events);
    assertThat(Files.size(file)).isLessThan(2 << 20);
    Chromium.Page page = Chromium.find(directory).open(file, "");
    assertThat(page.console()).isEmpty();
    int elements = page.document().toLowerCase(Locale.ROOT).split("<[a-z]", -1).length;
    // All but the table's is drawn on canvas.
    int recoveries = TimelineBuilder.read(events).recoveryCount();
    assertThat(recoveries).isGreaterThan(150);
    assertThat(elements).isLessThan(300 + 40 * recoveries);
  }

  /** It must work where there is no network, and tell nobody that it was opened. */
  @Test
  void nothingIsLoadedFromElsewhere() throws Exception {
    assertThat(Files.readString(page(minute())))
        .contains("default-src 'none'")
        .doesNotContainPattern("(?i)https?://|src=|@import|url\\(");
  }

  @Test
  void aJobOfWhichLittleIsKnownHasAPageToo() throws Exception {
    Path events = directory.resolve("events.json");
    try (EventLog log = new EventLog(events)) {
      log.write(EventLog.line(new Notice.Submitted("f00", "x.jar"), 1, 1));
    }
    Chromium.Page page = Chromium.find(directory).open(page(events), "");
    assertThat(page.console()).isEmpty();
    assertThat(page.document()).contains("no end in the file");
  }
}
