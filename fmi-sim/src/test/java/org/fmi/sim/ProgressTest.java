package org.fmi.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressTest {
  private static final long SECOND = 1_000_000_000L;

  private final List<String> drawn = new ArrayList<>();
  private final AtomicLong now = new AtomicLong(-SECOND);
  private final Progress progress = new Progress(drawn::add, now::get);

  @Test
  void whatIsShortHasNone() {
    progress.expect(2);
    now.addAndGet(SECOND);
    progress.add(2);
    progress.erase();
    assertThat(drawn).isEmpty();
  }

  @Test
  void itIsDrawnAFewTimesPerSecondAndErasedForOutput() {
    progress.expect(1000);
    now.addAndGet(2 * SECOND);
    progress.add(500);
    progress.add(1);
    assertThat(drawn).hasSize(1);
    assertThat(drawn.getFirst())
        .isEqualTo("\r\033[Ksimulating [" + "=".repeat(20) + " ".repeat(20) + "] 50 %");
    now.addAndGet(SECOND);
    progress.add(5000); // more than was expected
    assertThat(drawn.getLast()).endsWith("] 99 %");
    progress.erase();
    progress.erase();
    assertThat(drawn).hasSize(3).last().isEqualTo("\r\033[K");
  }
}
