package org.fmi.run.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
  void theEventsAreThoseThatAreWritten() {
    Map<String, List<String>> written = new LinkedHashMap<>();
    for (Class<?> event : NoticeKinds.all()) {
      written.put(
          event.getSimpleName(),
          Stream.of(event.getRecordComponents()).map(RecordComponent::getName).toList());
    }
    Map<String, List<String>> documented = new LinkedHashMap<>();
    for (List<String> row : Markdown.of("docs/recovery.md").table("event", "fields", "when")) {
      documented.put(Markdown.code(row.getFirst()).getFirst(), Markdown.code(row.get(1)));
    }
    assertThat(documented).isEqualTo(written);
  }

  @Test
  void thePlacesToDieAreThoseOfTheCode() {
    Markdown recovery = Markdown.of("docs/recovery.md");
    for (boolean inLoop : new boolean[] {true, false}) {
      String places =
          inLoop ? "with iteration I, or without: the first one" : "without an iteration";
      assertThat(recovery.table("place", places))
          .flatExtracting(row -> Markdown.code(row.getFirst()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.of(FaultPoint.values())
                  .filter(point -> point.inLoop() == inLoop)
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
