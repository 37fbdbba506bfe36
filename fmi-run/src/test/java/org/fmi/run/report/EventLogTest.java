package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.control.Notice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EventLogTest {
  @TempDir private Path directory;

  @Test
  void writesEachEventAsALineWithAllItsFields() throws IOException {
    Path file = directory.resolve("events.jsonl");
    try (EventLog log = new EventLog(file)) {
      log.write(EventLog.line(new Notice.RankFailed(1, 2, "daemon", "said \"no\"\n"), 1000, 77));
      log.write(EventLog.line(new Notice.AllRunning(1, 2, 30, 1), 1001, 78));
      assertThat(Files.readAllLines(file))
          .containsExactly(
              "{\"time\":1000,\"nanos\":77,\"event\":\"RankFailed\",\"epoch\":1,\"rank\":2,"
                  + "\"by\":\"daemon\",\"reason\":\"said \\\"no\\\"\\n\"}",
              "{\"time\":1001,\"nanos\":78,\"event\":\"AllRunning\",\"epoch\":1,\"loop\":2,"
                  + "\"iteration\":30,\"rebuilt\":1}");
    }
  }

  /** Every kind of event has only fields that can be written. */
  @Test
  void knowsEveryKindOfField() {
    for (Class<?> kind : NoticeKinds.all()) {
      for (var component : kind.getRecordComponents()) {
        assertThat(component.getType())
            .as("%s of %s", component.getName(), kind.getSimpleName())
            .isIn(int.class, long.class, boolean.class, String.class);
      }
    }
  }
}
