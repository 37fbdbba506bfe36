package org.fmi.run.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.fmi.job.JobCommand;
import org.fmi.run.report.NoticeKinds;
import org.fmi.run.shell.FmiRun;
import org.fmi.run.tool.FmiTool;
import org.fmi.spi.FaultPoint;
import org.junit.jupiter.api.Test;

/**
 * What documents say of events, places to die and exit statuses is what the code does; links lead
 * somewhere.
 */
final class DocumentsTest {
  /** In code font. */
  private static final Pattern CLASS_NAME =
      Pattern.compile("`([A-Z][a-zA-Z0-9]*[a-z][A-Z][a-zA-Z0-9]*)\\b");

  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|enum|record) +([A-Z]\\w*)");

  /** Of a decision, below its title. */
  private static final Pattern STATUS =
      Pattern.compile(
          "\\A# \\d+\\. .*\\n"
              + "\\n"
              + "Status: (?:accepted|proposed, not built|superseded by \\[decision \\d+])");

  /** Of the JDK, libraries, options of the JVM, and settings of the system. */
  private static final Set<String> OTHER_NAMES =
      Set.of(
          "ActiveProcessorCount",
          "ByteBuffer",
          "BytesMarshallable",
          "IllegalStateException",
          "InternalError",
          "LimitMEMLOCK",
          "MemorySegment",
          "MeterRegistry",
          "NaN",
          "OutOfMemoryError",
          "RemoveIPC",
          "ServiceLoader",
          "TestInfo");

  @Test
  void linksLeadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Markdown document : Markdown.all()) {
      for (String link : document.links()) {
        if (!link.matches("(https?|mailto):.*") && !leadsSomewhere(document, link)) {
          broken.add(Markdown.ROOT.relativize(document.file()) + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static boolean leadsSomewhere(Markdown document, String link) {
    String[] parts = link.split("#", 2);
    Path target =
        parts[0].isEmpty() ? document.file() : document.file().resolveSibling(parts[0]).normalize();
    if (!target.startsWith(Markdown.ROOT) || !Files.exists(target)) {
      return false;
    }
    return parts.length == 1
        || Markdown.of(Markdown.ROOT.relativize(target).toString()).anchors().contains(parts[1]);
  }

  @Test
  void eachDecisionHasAStatusAndAPlaceInTheIndex() throws IOException {
    List<String> linked = Markdown.of("docs/decisions/README.md").links();
    List<String> wrong = new ArrayList<>();
    int records = 0;
    for (Markdown document : Markdown.all()) {
      Path file = document.file();
      String name = file.getFileName().toString();
      if (!file.endsWith(Path.of("docs/decisions", name)) || name.equals("README.md")) {
        continue;
      }
      records++;
      if (!STATUS.matcher(Files.readString(document.file())).find()) {
        wrong.add(name + ": its third line is no status");
      }
      if (!linked.contains(name)) {
        wrong.add(name + ": the index does not name it");
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(records).isPositive();
  }

  /** Records of decisions and measurements may speak of what is gone; these pages may not. */
  @Test
  void classesThatPagesNameAreThere() throws IOException {
    Set<String> known = new HashSet<>(OTHER_NAMES);
    for (Path source : SourcesTest.sources()) {
      DECLARED.matcher(Files.readString(source)).results().forEach(m -> known.add(m.group(1)));
    }
    List<String> unknown = new ArrayList<>();
    for (Markdown document : Markdown.all()) {
      String page = Markdown.ROOT.relativize(document.file()).toString();
      if (page.matches("(docs/)?[^/]*") && !page.equals("CHANGELOG.md")) {
        CLASS_NAME
            .matcher(Files.readString(document.file()))
            .results()
            .map(match -> match.group(1))
            .filter(name -> !known.contains(name))
            .forEach(name -> unknown.add(page + ": " + name));
      }
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void theEventsAreThoseThatAreWritten() {
    Map<String, List<String>> written = new LinkedHashMap<>();
    for (Class<?> event : NoticeKinds.all()) {
      written.put(
          event.getSimpleName(),
          Stream.of(event.getRecordComponents()).map(RecordComponent::getName).toList());
    }
    Map<String, List<String>> documented = new LinkedHashMap<>();
    for (List<List<String>> table :
        Markdown.of("docs/events.md").tables("event", "fields", "when")) {
      for (List<String> row : table) {
        String event = Markdown.code(row.getFirst()).getFirst();
        assertThat(documented.put(event, Markdown.code(row.get(1)))).as(event).isNull();
      }
    }
    assertThat(documented).isEqualTo(written);
  }

  @Test
  void thePlacesToDieAreThoseOfTheCode() {
    Markdown recovery = Markdown.of("docs/recovery.md");
    for (boolean numbered : new boolean[] {true, false}) {
      String places =
          numbered ? "with iteration I, or without: the first one" : "without an iteration";
      assertThat(recovery.table("place", places))
          .flatExtracting(row -> Markdown.code(row.getFirst()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.of(FaultPoint.values())
                  .filter(point -> point.isNumbered() == numbered)
                  .map(point -> point.name().toLowerCase(Locale.ROOT))
                  .toList());
    }
  }

  @Test
  void theExitStatusesAreThoseOfTheCode() throws ReflectiveOperationException {
    Set<Integer> used =
        new TreeSet<>(Set.of(0, JobCommand.End.FAILED, JobCommand.End.PROGRAM_FAULT));
    for (Class<?> main : List.of(FmiRun.class, FmiTool.class)) {
      used.add(constant(main, "USAGE"));
      used.add(constant(main, "FAILED"));
    }
    for (String ending : List.of("STOPPED", "TIMED_OUT")) {
      used.add(constant(Class.forName("org.fmi.run.shell.Ending"), ending));
    }
    Set<Integer> documented = new TreeSet<>();
    Set<Integer> ofSignals = new TreeSet<>();
    for (List<String> row : Markdown.of("docs/reference.md").table("status", "when")) {
      if (row.getFirst().matches("\\d+")) {
        int status = Integer.parseInt(row.getFirst());
        (status < 128 ? documented : ofSignals).add(status);
      }
    }
    assertThat(documented).isEqualTo(used);
    // Of a process that was killed; of fmirun when nobody reads its output.
    assertThat(ofSignals).containsExactly(128 + 9, 128 + constant(FmiRun.class, "SIGPIPE"));
  }

  private static int constant(Class<?> owner, String name) throws ReflectiveOperationException {
    Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    return field.getInt(null);
  }
}
