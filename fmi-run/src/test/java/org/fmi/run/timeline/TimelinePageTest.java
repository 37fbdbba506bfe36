package org.fmi.run.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.control.Notice;
import org.fmi.run.report.EventLog;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The page itself, and as a browser shows it, which is waited for. */
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class TimelinePageTest {
  private static final int RANKS = 8;

  /** A program's name that would do something if it were markup. */
  private static final String MARKUP =
      "x.jar </script><script>alert(1)</script><img src=x onerror=alert(2)> & \"'";

  /** What is shown, each in a file of its own; all by one start of the browser. */
  private enum Shown {
    WHOLE,
    RECOVERY,
    DRIVEN,
    MARKUP,
    HOUR,
    LOCAL,
    LITTLE
  }

  @TempDir private static Path directory;

  /** What a browser has shown; empty before. */
  private static final Map<Shown, Chromium.Page> PAGES = new EnumMap<>(Shown.class);

  private static Path events(Shown of) {
    return directory.resolve(of + ".json");
  }

  private static Path file(Shown of) {
    return directory.resolve(of + ".html");
  }

  @BeforeAll
  static void makePages() throws Exception {
    for (Shown each : new Shown[] {Shown.WHOLE, Shown.RECOVERY, Shown.DRIVEN}) {
      GeneratedJob.write(events(each), RANKS, 2, 60, 3, 20);
    }
    // An hour of 64 ranks that loses one every 20 seconds.
    GeneratedJob.write(events(Shown.HOUR), 64, 8, 3600, 5, 20);
    try (EventLog log = new EventLog(events(Shown.MARKUP))) {
      log.write(EventLog.line(new Notice.Submitted("f00", MARKUP), 1, 1));
      log.write(EventLog.line(new Notice.Finished(70, 0, MARKUP), 2, 2_000_000));
    }
    writeLocal(events(Shown.LOCAL));
    try (EventLog log = new EventLog(events(Shown.LITTLE))) {
      log.write(EventLog.line(new Notice.Submitted("f00", "x.jar"), 1, 1));
    }
    for (Shown each : Shown.values()) {
      String html = TimelinePage.of(TimelineBuilder.read(events(each)));
      Files.writeString(file(each), each == Shown.DRIVEN ? driven(html) : html);
    }
  }

  /** Rank 1 is lost, goes back alone, and needs half of the time to catch up. */
  private static void writeLocal(Path file) throws IOException {
    try (EventLog log = new EventLog(file)) {
      Notice[][] bySecond = {
        {
          new Notice.Submitted("f00", "x.jar"),
          new Notice.NodeReady(0, "node0"),
          new Notice.Started(2, 1, 0, 1),
          new Notice.Spawned(0, 0, "node0"),
          new Notice.Spawned(1, 0, "node0")
        },
        {
          new Notice.AllRunning(0, -1, -1, 0),
          new Notice.CheckpointCommitted(0, 0, 0, 0, 1000, 1000, 1, 1, 1)
        },
        {
          new Notice.RankFailed(0, 1, "daemon", "was killed by signal 9"),
          new Notice.RecoveryBegun(1, false, "rank 1 was killed by signal 9"),
          new Notice.Respawned(1, 1, 0, "node0", 1)
        },
        {
          new Notice.AllJoined(1),
          new Notice.RollbackDecided(1, "[1]", ""),
          new Notice.Continued(1, 0, 0, 25, 11, 2048),
          new Notice.AllRunning(1, 0, 0, 0)
        },
        {new Notice.Level2Begun(0, 0, 0)},
        {new Notice.Level2Committed(0, 0, 0, 2048)},
        {new Notice.CaughtUp(1, 1, 0, 0, 24, 25)},
        {new Notice.Finished(0, 1, "")}
      };
      for (int second = 0; second < bySecond.length; second++) {
        for (Notice notice : bySecond[second]) {
          log.write(EventLog.line(notice, 1 + second * 1000L, 1 + second * 1_000_000_000L));
        }
      }
    }
  }

  /** As the browser has shown it. Skips the test if there is none. */
  private static Chromium.Page page(Shown of) throws Exception {
    synchronized (TimelinePageTest.class) {
      if (PAGES.isEmpty()) {
        List<Chromium.Place> places = new ArrayList<>();
        for (Shown each : Shown.values()) {
          places.add(
              new Chromium.Place(
                  file(each).toUri() + (each == Shown.RECOVERY ? "#recovery-2" : ""),
                  each == Shown.DRIVEN ? "[data-seen-left]" : "[data-draw-millis]"));
        }
        List<Chromium.Page> opened = Chromium.find(directory).open(places);
        for (Shown each : Shown.values()) {
          PAGES.put(each, opened.get(PAGES.size()));
        }
      }
      return Objects.requireNonNull(PAGES.get(of));
    }
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
    Timeline timeline = TimelineBuilder.read(events(Shown.WHOLE));
    Chromium.Page page = page(Shown.WHOLE);
    assertThat(page.console()).isEmpty();
    assertThat(page.document())
        .contains("heat2d.jar --rows 4096", "ended well", "job generated")
        .contains("<dt>Recoveries</dt><dd>" + timeline.recoveryCount() + "<")
        .contains("<dt>Checkpoints</dt><dd>" + timeline.checkpoints().size() + "<")
        .contains("id=\"row-1\"", "id=\"row-" + timeline.recoveryCount() + "\"")
        .contains("was killed by signal 9")
        .contains("data-draw-millis=")
        .contains("id=\"error\" class=\"message\" hidden=\"\"");
    String html = Files.readString(file(Shown.WHOLE));
    // What has a place in the picture of a minute, on canvas.
    Set<Integer> shown = colours(page.picture(), 0, 1000);
    for (String name : new String[] {"running", "checkpoint", "failure", "progress"}) {
      assertThat(shown).as(name).contains(colour(html, name));
    }
  }

  @Test
  void aBrowserShowsEachStageOfARecovery() throws Exception {
    String html = Files.readString(file(Shown.RECOVERY));
    Chromium.Page page = page(Shown.RECOVERY);
    assertThat(page.console()).isEmpty();
    assertThat(page.document()).contains("<tr id=\"row-2\" class=\"chosen\">");
    // Below the head and above the legend and the table, which show the colours always.
    Set<Integer> shown = colours(page.picture(), 350, 450);
    for (String name : new String[] {"running", "join", "wait", "h2", "h3"}) {
      assertThat(shown).as(name).contains(colour(html, name));
    }
  }

  /** What a person does with wheel and pointer is done by a script behind the page's own. */
  private static String driven(String html) {
    String script =
        """
        <script>
        const part = id => document.getElementById(id);
        const note = (name, text) => document.body.setAttribute('data-seen-' + name, text);
        const span = () => part('shown').textContent;
        const at = (canvas, type, x, y, more) => {
          const box = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new (type === 'wheel' ? WheelEvent : PointerEvent)(type,
            {clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, pointerId: 1, ...more}));
        };
        const drawn = () => new Promise(done => {
          const watch = new MutationObserver(() => { watch.disconnect(); done(); });
          watch.observe(part('chart'), {attributeFilter: ['data-draw-millis']});
        });
        (async () => {
          const head = part('head'), rows = part('rows');
          head.setPointerCapture = rows.setPointerCapture = () => {}; // knows no pointer of a script
          note('all', span());
          at(rows, 'wheel', 700, 50, {deltaY: -300});
          await drawn();
          note('wheel', span());
          at(head, 'pointerdown', 900, 20, {});
          at(head, 'pointermove', 600, 20, {});
          at(head, 'pointerup', 600, 20, {});
          await drawn();
          note('dragged', span());
          dispatchEvent(new KeyboardEvent('keydown', {key: '0'}));
          await drawn();
          note('again', span());
          part('next').click();
          await drawn();
          at(rows, 'pointermove', 800, 30, {});
          note('hover', part('tip').hidden ? 'nothing' : part('tip').textContent);
          at(rows, 'pointermove', 20, 30, {});
          note('left', String(part('tip').hidden));
        })();
        </script>
        </body>
        """;
    return html.replace("</body>", script);
  }

  @Test
  void aPersonMovesAndAsks() throws Exception {
    Chromium.Page page = page(Shown.DRIVEN);
    assertThat(page.console()).isEmpty();
    String all = seen(page, "all");
    assertThat(all).startsWith("all ");
    assertThat(seen(page, "wheel")).contains(" to ").isNotEqualTo(all);
    assertThat(length(seen(page, "dragged"))).isEqualTo(length(seen(page, "wheel")));
    assertThat(seen(page, "dragged")).isNotEqualTo(seen(page, "wheel"));
    assertThat(seen(page, "again")).isEqualTo(all);
    assertThat(seen(page, "hover"))
        .contains("Recovery 2", "was killed by signal 9", "all joined (H1)", "lost work: ");
    assertThat(seen(page, "left")).isEqualTo("true");
  }

  private static String seen(Chromium.Page page, String name) {
    Matcher matcher =
        Pattern.compile("data-seen-" + name + "=\"([^\"]*)\"").matcher(page.document());
    assertThat(matcher.find()).as("%s in %s", name, page.console()).isTrue();
    return matcher.group(1);
  }

  /** The part behind the last comma: how long what is shown took. */
  private static String length(String shown) {
    return shown.substring(shown.lastIndexOf(',') + 1);
  }

  @Test
  void aProgramsTextIsNoMarkup() throws Exception {
    assertThat(Files.readString(file(Shown.MARKUP))).doesNotContain("<script>alert", "<img");
    Chromium.Page page = page(Shown.MARKUP);
    assertThat(page.console()).isEmpty();
    assertThat(page.document()).contains("ended with status 70", "x.jar &lt;/script&gt;");
  }

  @Test
  void anHourOfManyRanksStaysSmall() throws Exception {
    assertThat(Files.size(file(Shown.HOUR))).isLessThan(2 << 20);
    Chromium.Page page = page(Shown.HOUR);
    assertThat(page.console()).isEmpty();
    int elements = page.document().toLowerCase(Locale.ROOT).split("<[a-z]", -1).length;
    // All but the table's is drawn on canvas.
    int recoveries = TimelineBuilder.read(events(Shown.HOUR)).recoveryCount();
    assertThat(recoveries).isGreaterThan(150);
    assertThat(elements).isLessThan(300 + 40 * recoveries);
  }

  /** It must work where there is no network, and tell nobody that it was opened. */
  @Test
  void nothingIsLoadedFromElsewhere() throws Exception {
    assertThat(Files.readString(file(Shown.WHOLE)))
        .contains("default-src 'none'")
        .doesNotContainPattern("(?i)https?://|src=|@import|url\\(");
  }

  @Test
  void aBrowserShowsWhoWentBackAloneAndUntilWhen() throws Exception {
    Chromium.Page page = page(Shown.LOCAL);
    assertThat(page.console()).isEmpty();
    assertThat(page.document())
        .contains(
            "only rank 1 rolled back; the other ranks continued, the furthest in iteration 25")
        .contains("11 messages (2.0 KiB) resent")
        .contains("rank 1 had caught up after 4.00 s, 25 iterations repeated from 0 on")
        .contains("<dd>500 ms<small>25 iterations, time as a mean of all ranks</small>")
        .contains("from iteration 0 to 25");
    String html = Files.readString(file(Shown.LOCAL));
    assertThat(page.document()).contains("on files</dt><dd>1<small>2.0 KiB</small>");
    assertThat(colours(page.picture(), 0, 450))
        .contains(colour(html, "again"), colour(html, "files"));
  }

  @Test
  void aJobOfWhichLittleIsKnownHasAPageToo() throws Exception {
    Chromium.Page page = page(Shown.LITTLE);
    assertThat(page.console()).isEmpty();
    assertThat(page.document()).contains("no end in the file");
  }
}
