package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.fmi.job.JobEvent;
import org.junit.jupiter.api.Test;

final class EndOfAllTest {
  private static final JobEvent LOST = new JobEvent.NodeLost(1, "gone");
  private static final JobEvent SIGNAL = new JobEvent.Interrupted(15);

  private final Deque<Runnable> later = new ArrayDeque<>();
  private final List<JobEvent> heard = new ArrayList<>();
  private final EndOfAll end = new EndOfAll((_, task) -> later.add(task), heard::add);

  @Test
  void eventsPassAsLongAsNobodyEndsADaemon() {
    end.pass(LOST);
    assertThat(heard).containsExactly(LOST);
    assertThat(later).isEmpty();
  }

  /** As Slurm does when a job is cancelled. */
  @Test
  void theSignalComesBeforeTheLossesThatGoWithIt() {
    end.begins();
    end.pass(LOST);
    end.begins();
    assertThat(heard).isEmpty();
    end.pass(SIGNAL);
    assertThat(heard).containsExactly(SIGNAL);
  }

  @Test
  void aDaemonAloneIsANodeThatIsLost() {
    end.begins();
    end.pass(LOST);
    later.remove().run();
    assertThat(heard).containsExactly(LOST);
    end.pass(LOST);
    assertThat(heard).containsExactly(LOST, LOST);
    assertThat(later).isEmpty();
  }
}
