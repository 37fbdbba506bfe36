package org.fmi.run.status;

import java.util.StringJoiner;
import org.fmi.run.Amounts;

/**
 * The progress of a job.
 *
 * @param state the state of the whole job
 * @param loop its loop; -1 for none or unknown
 * @param iteration the iteration of the rank that is last; -1 outside of loops
 * @param iterations the iterations of the loop; -1 if unknown
 * @param perSecond iterations per second; -1 if unknown
 * @param checkpointShare share of the time, from 0 to 1; -1 if unknown
 * @param nodes the number of nodes that are up
 */
public record Progress(
    String state,
    long loop,
    long iteration,
    long iterations,
    double perSecond,
    double checkpointShare,
    int nodes,
    int epoch,
    int recoveries) {

  /** Returns the time to the end of the loop; -1 if unknown. */
  public double secondsLeft() {
    return iterations < 0 || perSecond <= 0 ? -1 : (iterations - iteration) / perSecond;
  }

  /** Returns it on one line for a person. */
  public String text() {
    StringJoiner text = new StringJoiner(", ");
    if (iteration < 0 || !state.equals("running")) {
      text.add(state);
    }
    if (iteration >= 0) {
      text.add(
          "iteration "
              + iteration
              + (iterations < 0 ? "" : " of " + iterations)
              + (loop == 0 ? "" : " of loop " + loop));
      if (perSecond >= 0) {
        text.add(Amounts.rate(perSecond) + "/s");
      }
      if (secondsLeft() >= 0) {
        text.add(Amounts.duration(secondsLeft()) + " left");
      }
    }
    if (checkpointShare >= 0) {
      text.add("checkpoints " + Amounts.rate(100 * checkpointShare) + " %");
    }
    text.add(Amounts.count(nodes, "node"));
    text.add("epoch " + epoch);
    return text.toString();
  }
}
