package org.fmi.core.p2p;

import java.util.Arrays;
import java.util.BitSet;
import org.fmi.Comm;
import org.jspecify.annotations.Nullable;

/**
 * Which ranks the exchange of a {@code flowLoop} reaches: it receives from those that its flow
 * names. Where only some ranks compute again, the others are as if there were none.
 */
public final class Reach {
  private final int rank;
  private final long iteration;
  private final int[] inputs;
  private final @Nullable BitSet takingPart;

  /**
   * @param inputs the ranks that this one reads from
   * @param takingPart ranks that make this exchange; null for all
   */
  public Reach(int rank, long iteration, int[] inputs, @Nullable BitSet takingPart) {
    this.rank = rank;
    this.iteration = iteration;
    this.inputs = inputs;
    this.takingPart = takingPart;
  }

  /** Whether something can be sent there. */
  public boolean sendsTo(int dest) {
    return takingPart == null || takingPart.get(dest);
  }

  /**
   * Whether something comes from there.
   *
   * @throws IllegalStateException if the flow does not say that it may
   */
  public boolean hears(int source) {
    if (source == Comm.ANY_SOURCE) {
      throw new IllegalStateException(
          "rank "
              + rank
              + " receives from any source in the exchange of iteration "
              + iteration
              + " of a flowLoop: receive from the ranks that the flow names");
    }
    if (source != rank && Arrays.stream(inputs).noneMatch(input -> input == source)) {
      throw new IllegalStateException(
          "rank "
              + rank
              + " receives from rank "
              + source
              + " in iteration "
              + iteration
              + " of a flowLoop, whose flow says that it reads from "
              + Arrays.toString(inputs)
              + " there: let Flow.inputs name each rank that is read from");
    }
    return takingPart == null || takingPart.get(source);
  }

  /** Why a collective is refused. */
  public IllegalStateException collective() {
    return new IllegalStateException(
        "rank "
            + rank
            + " calls a collective in the exchange of iteration "
            + iteration
            + " of a flowLoop, which only some ranks repeat after a failure: call it in"
            + " FlowBody.finish");
  }
}
