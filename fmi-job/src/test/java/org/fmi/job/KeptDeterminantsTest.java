package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.control.RankMessage;
import org.junit.jupiter.api.Test;

/** What is kept of a rank while it may go back to one checkpoint or the next. */
final class KeptDeterminantsTest {
  private final KeptDeterminants kept = new KeptDeterminants();

  private void tells(long version, int first, long... determinants) {
    kept.keep(0, new RankMessage.Chose(version, first, determinants));
  }

  @Test
  void bothAreKeptWhileACheckpointIsUnderWay() {
    tells(4, 0, 1, 2);
    tells(4, 2, 3);
    tells(5, 0, 3);
    tells(4, 3, 4);
    tells(5, 1, 4);
    assertThat(kept.since(4, 0)).containsExactly(1, 2, 3, 4);
    assertThat(kept.since(5, 0)).containsExactly(3, 4);
    tells(5, 2, 5);
    tells(6, 0);
    assertThat(kept.since(5, 0)).containsExactly(3, 4, 5);
    assertThat(kept.since(4, 0)).isEmpty();
    assertThat(kept.since(5, 1)).isEmpty();
  }

  /** The next one has another version. */
  @Test
  void oneThatIsGivenUpIsForgotten() {
    tells(4, 0, 1);
    tells(5, 0, 1);
    tells(4, 1, 2);
    tells(6, 0, 2);
    assertThat(kept.since(4, 0)).containsExactly(1, 2);
    assertThat(kept.since(5, 0)).isEmpty();
  }

  /** The next one has the same version. */
  @Test
  void whoGoesBackBeforeItsCommitBeginsItAnew() {
    tells(4, 0, 1);
    tells(5, 0, 1);
    kept.forgetNewer(4);
    tells(4, 1, 2);
    tells(5, 0, 2);
    assertThat(kept.since(4, 0)).containsExactly(1, 2);
    assertThat(kept.since(5, 0)).containsExactly(2);
  }
}
