package org.fmi.core.checkpoint;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.fmi.core.epoch.RecoveryEvent;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * A flight recorder event of this rank's checkpoint, including the wait for other ranks. Does
 * nothing if the recorder is not in use, as with {@link RecoveryEvent}.
 */
final class CheckpointEvent {
  private final @Nullable Recorded recorded =
      FlightRecorder.isInitialized() ? new Recorded() : null;

  void begin() {
    if (recorded != null) {
      recorded.begin();
    }
  }

  void commit(int epoch, CheckpointId id, long bytes) {
    if (recorded != null) {
      recorded.epoch = epoch;
      recorded.version = id.version();
      recorded.loop = id.loop();
      recorded.iteration = id.iteration();
      recorded.bytes = bytes;
      recorded.commit();
    }
  }

  @Name("fmi.Checkpoint")
  @Label("Checkpoint")
  @Category("FMI")
  @Description("A checkpoint of this rank, the wait for other ranks included")
  @StackTrace(false)
  static final class Recorded extends Event {
    @Label("Epoch")
    int epoch;

    @Label("Version")
    long version;

    @Label("Loop")
    long loop;

    @Label("Iteration")
    long iteration;

    @Label("Image Size")
    @DataAmount
    long bytes;
  }
}
