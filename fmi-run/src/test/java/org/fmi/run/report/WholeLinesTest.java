package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WholeLinesTest {
  private static final long PAUSE = 10;

  private final List<Integer> paused = new ArrayList<>();
  private long now = Long.MAX_VALUE - 5; // the clock may wrap around
  private final WholeLines lines = new WholeLines(() -> now, PAUSE, paused::add);
  private final StringBuilder written = new StringBuilder();

  private void part(int source, String text) {
    lines.add(source, true, () -> written.append(text));
  }

  private void end(int source, String text) {
    lines.add(source, false, () -> written.append(text));
  }

  @Test
  void othersWaitUntilALineEnds() {
    part(1, "a");
    end(2, "x\n");
    end(WholeLines.NONE, "own\n");
    part(1, "b");
    end(2, "y\n");
    assertThat(written).hasToString("ab");
    end(1, "c\n");
    assertThat(written).hasToString("abc\nx\nown\ny\n");
    assertThat(lines.due()).isEmpty();
  }

  @Test
  void longLinesFollowEachOther() {
    part(1, "a");
    part(2, "x");
    end(3, "3\n");
    part(2, "y");
    end(1, "b\n");
    assertThat(written).hasToString("ab\nxy");
    end(2, "z\n");
    assertThat(written).hasToString("ab\nxyz\n3\n");
  }

  @Test
  void aLineThatEndsAsItsProcessDoesIsNotWaitedFor() {
    part(1, "a");
    end(2, "x\n");
    end(1, "");
    assertThat(written).hasToString("ax\n");
  }

  @Test
  void aPauseIsTooLongOnlyIfOthersWait() {
    part(1, "a");
    now += 2 * PAUSE;
    lines.look();
    assertThat(lines.due()).isEmpty();
    part(1, "b");
    end(2, "x\n");
    assertThat(lines.due()).hasValue(now + PAUSE);
    now += PAUSE - 1;
    lines.look();
    assertThat(written).hasToString("ab");
    assertThat(paused).isEmpty();
    now++;
    lines.look();
    assertThat(written).hasToString("abx\n");
    assertThat(paused).containsExactly(1);
    end(1, "c\n");
    assertThat(written).hasToString("abx\nc\n");
  }

  /** As a terminal that was stopped: what was written at last was no pause. */
  @Test
  void theTimeThatWritingTakesDoesNotCount() {
    end(2, "x\n");
    lines.add(1, true, () -> now += 5 * PAUSE);
    end(2, "y\n");
    lines.look();
    assertThat(written).hasToString("x\n");
  }

  @Test
  void releasedAllIsWritten() {
    part(1, "a");
    part(2, "x");
    end(1, "b\n");
    part(1, "c");
    end(3, "3\n");
    lines.release();
    assertThat(written).hasToString("ab\nxc3\n");
    end(4, "4\n");
    assertThat(written).endsWith("4\n");
  }
}
