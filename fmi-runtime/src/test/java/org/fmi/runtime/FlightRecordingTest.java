package org.fmi.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.fmi.Fmi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of a rank in the JVM's flight recorder. */
final class FlightRecordingTest {
  @TempDir private Path directory;

  @Test
  void hasStartAndCheckpoints() throws IOException {
    Path file = directory.resolve("rank.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (Fmi fmi = JobOfOne.join()) {
        long[] state = {0};
        fmi.loop(3, i -> state[0] += i, state);
      }
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("fmi.Recovery"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getInt("epoch")).isZero();
              assertThat(event.getLong("iteration")).isEqualTo(-1);
            });
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("fmi.Checkpoint"))
        .hasSizeGreaterThanOrEqualTo(2)
        .allSatisfy(event -> assertThat(event.getLong("bytes")).isPositive())
        .last()
        .satisfies(event -> assertThat(event.getLong("iteration")).isEqualTo(3));
  }
}
