package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.control.RankMessage;
import org.fmi.job.control.FromDaemon;
import org.junit.jupiter.api.Test;

final class PhaseTest {
  private static final Path SOURCE = Path.of("src/main/java/org/fmi/job/Phase.java");

  /** A new event, or what a rank says in one, has a row: it says what the event does. */
  @Test
  void theTableHasEachEvent() throws IOException {
    List<String> events =
        Stream.of(JobEvent.class, FromDaemon.OfRank.class, RankMessage.class)
            .flatMap(type -> Stream.of(type.getPermittedSubclasses()))
            .filter(type -> type != JobEvent.FromNode.class && type != FromDaemon.Relayed.class)
            .map(Class::getSimpleName)
            .toList();
    assertThat(rows()).containsExactlyInAnyOrderElementsOf(events);
  }

  /** The first word of each row. */
  private static List<String> rows() throws IOException {
    List<String> lines = Files.readAllLines(SOURCE);
    return lines.stream()
        .dropWhile(line -> !line.startsWith(" *  event "))
        .skip(1)
        .takeWhile(line -> !line.contains("</pre>"))
        .map(line -> line.substring(" *  ".length()).split(" ")[0])
        .toList();
  }

  @Test
  void aJobGoesThroughItsPhases() {
    assertThat(
            Phase.LAUNCHING
                .to(Phase.JOINING)
                .to(Phase.CONNECTING)
                .to(Phase.RUNNING)
                .to(Phase.JOINING)
                .to(Phase.JOINING)
                .to(Phase.CONNECTING)
                .to(Phase.JOINING)
                .to(Phase.CONNECTING)
                .to(Phase.RUNNING)
                .to(Phase.RELEASED)
                .to(Phase.ENDED))
        .isEqualTo(Phase.ENDED);
  }

  @Test
  void everyPhaseButTheLastMayEnd() {
    for (Phase phase : Phase.values()) {
      if (phase != Phase.ENDED) {
        assertThat(phase.to(Phase.ENDED)).isEqualTo(Phase.ENDED);
      }
    }
  }

  @Test
  void nothingIsRepeatedAfterTheRelease() {
    assertThatThrownBy(() -> Phase.RELEASED.to(Phase.JOINING))
        .isInstanceOf(AssertionError.class)
        .hasMessage("RELEASED must not become JOINING");
    assertThatThrownBy(() -> Phase.ENDED.to(Phase.ENDED)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> Phase.JOINING.to(Phase.RUNNING)).isInstanceOf(AssertionError.class);
  }
}
