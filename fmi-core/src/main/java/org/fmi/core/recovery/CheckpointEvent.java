package org.fmi.core.recovery;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A checkpoint of this rank, from the wait for the others on, as the JVM's flight recorder has it.
 */
@Name("fmi.Checkpoint")
@Label("Checkpoint")
@Category("FMI")
@Description("A checkpoint of this rank, the wait for other ranks included")
@StackTrace(false)
final class CheckpointEvent extends Event {
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
