package org.fmi.core.epoch;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A flight recorder event of a recovery, or of the start of a process.
 *
 * <p>Does nothing if the recorder is not in use when it begins: the first event makes the JVM set
 * up the whole recorder, which takes a third of the CPU time that a rank needs until it runs.
 */
public final class RecoveryEvent {
  private final @Nullable Recorded recorded =
      FlightRecorder.isInitialized() ? new Recorded() : null;

  int epoch;
  long loop;
  long iteration;
  boolean rebuilt;

  void begin() {
    if (recorded != null) {
      recorded.begin();
    }
  }

  void commit() {
    if (recorded != null) {
      recorded.epoch = epoch;
      recorded.loop = loop;
      recorded.iteration = iteration;
      recorded.rebuilt = rebuilt;
      recorded.commit();
    }
  }

  @Name("fmi.Recovery")
  @Label("Recovery")
  @Category("FMI")
  @Description(
      "From leaving the program, or the start of this process, until all ranks run (H1 to H3)")
  @StackTrace(false)
  static final class Recorded extends Event {
    @Label("Epoch")
    int epoch;

    @Label("Loop")
    @Description("the loop that this rank continues in; -1 for none")
    long loop;

    @Label("Iteration")
    @Description("the iteration that this rank continues with; -1 for the start of the program")
    long iteration;

    @Label("Rebuilt")
    @Description("whether this rank's checkpoint was lost, and rebuilt from the group's code")
    boolean rebuilt;
  }
}
