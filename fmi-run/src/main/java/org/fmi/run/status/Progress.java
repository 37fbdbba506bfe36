package org.fmi.run.status;

import java.util.StringJoiner;

/**
 * How far a job has come.
 *
 * @param state what it does as a whole
 * @param loop the loop that it is in; -1 for none, or if that is not known
 * @param iteration of the rank that is behind all others; -1 outside of loops
 * @param iterations how many the loop has; -1 if that is not known
 * @param perSecond iterations; -1 if that is not known
 * @param checkpointShare of the time, from 0 to 1; -1 if that is not known
 * @param nodes those that are up
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

  /** Until the end of the loop; -1 if that is not known. */
  public double secondsLeft() {
    return iterations < 0 || perSecond <= 0 ? -1 : (iterations - iteration) / perSecond;
  }

  /** In a line for a person. */
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
