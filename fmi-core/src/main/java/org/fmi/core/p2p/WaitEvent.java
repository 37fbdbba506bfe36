package org.fmi.core.p2p;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** The end of a long wait in a blocking call, as an event of the JVM's flight recorder. */
@Name("fmi.Wait")
@Label("Wait")
@Category("FMI")
@Description("A blocking call has waited for longer than a tenth of a second, and returns")
final class WaitEvent extends Event {
  @Label("Call")
  String call;

  @Label("Peer")
  @Description("the world rank that was waited for; -1 for any, or none in particular")
  int peer;

  @Label("Tag")
  @Description("of the message; -1 for any, or none")
  int tag;

  @Label("Communicator")
  String communicator;

  @Label("Waited")
  @Timespan
  long nanos;

  private WaitEvent(LongWait wait, long nanos) {
    this.call = wait.call();
    this.peer = wait.peer();
    this.tag = wait.tag();
    this.communicator = wait.communicator();
    this.nanos = nanos;
  }

  /** Records a wait that has ended. */
  static void record(LongWait wait, long nanos) {
    new WaitEvent(wait, nanos).commit();
  }
}
