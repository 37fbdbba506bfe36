package org.fmi.core.recovery;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A recovery, or the start of a process, as the JVM's flight recorder has it. */
@Name("fmi.Recovery")
@Label("Recovery")
@Category("FMI")
@Description(
    "From leaving the program, or the start of this process, until all ranks run (H1 to H3)")
@StackTrace(false)
final class RecoveryEvent extends Event {
  @Label("Epoch")
  int epoch;

  @Label("Loop")
  @Description("the loop that this rank goes on in; -1 for none")
  long loop;

  @Label("Iteration")
  @Description("the iteration that this rank goes on with; -1 for the start of the program")
  long iteration;

  @Label("Rebuilt")
  @Description("whether this rank's checkpoint was lost, and brought back from the group's code")
  boolean rebuilt;
}
