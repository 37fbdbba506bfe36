package org.fmi.core.p2p;

import java.util.Arrays;
import java.util.BitSet;
import org.fmi.Comm;
import org.jspecify.annotations.Nullable;

/** Which ranks a part of a {@code flowLoop}'s iteration reaches. */
public sealed interface Reach {
  /**
   * Whether something can be sent there.
   *
   * @throws IllegalStateException if that part sends nothing
   */
  boolean sendsTo(int dest);

  /**
   * Whether something comes from there.
   *
   * @throws IllegalStateException if that part must not receive it
   */
  boolean hears(int source);

  /**
   * A collective is called.
   *
   * @throws IllegalStateException if that part must not call one
   */
  void collective();

  /**
   * The exchange receives from those ranks that the flow names. Where only some ranks compute
   * again, the others are as if there were none.
   */
  final class Exchange implements Reach {
    private final int rank;
    private final long iteration;
    private final int[] inputs;
    private final @Nullable BitSet takingPart;

    /**
     * @param inputs the ranks that this one reads from
     * @param takingPart ranks that make this exchange; null for all
     */
    public Exchange(int rank, long iteration, int[] inputs, @Nullable BitSet takingPart) {
      this.rank = rank;
      this.iteration = iteration;
      this.inputs = inputs;
      this.takingPart = takingPart;
    }

    @Override
    public boolean sendsTo(int dest) {
      return takingPart == null || takingPart.get(dest);
    }

    @Override
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

    @Override
    public void collective() {
      throw new IllegalStateException(
          "rank "
              + rank
              + " calls a collective in the exchange of iteration "
              + iteration
              + " of a flowLoop, which only some ranks repeat after a failure: call it in"
              + " FlowBody.finish");
    }
  }

  /** The step computes, and reaches nobody. */
  record Step(int rank, long iteration) implements Reach {
    @Override
    public boolean sendsTo(int dest) {
      throw refusal("sends to rank " + dest, "send it in FlowBody.exchange");
    }

    @Override
    public boolean hears(int source) {
      throw refusal("receives from " + name(source), "receive it in FlowBody.exchange");
    }

    @Override
    public void collective() {
      throw refusal("calls a collective", "call it in FlowBody.finish");
    }

    private IllegalStateException refusal(String what, String help) {
      return new IllegalStateException(
          "rank "
              + rank
              + " "
              + what
              + " in FlowBody.step of iteration "
              + iteration
              + " of a flowLoop, which communicates with nobody: "
              + help);
    }
  }

  /** The end of an iteration is what all ranks do together. */
  record Finish(int rank, long iteration) implements Reach {
    @Override
    public boolean sendsTo(int dest) {
      throw refusal("sends to rank " + dest, "send it in FlowBody.exchange");
    }

    @Override
    public boolean hears(int source) {
      throw refusal("receives from " + name(source), "receive it in FlowBody.exchange");
    }

    @Override
    public void collective() {}

    private IllegalStateException refusal(String what, String help) {
      return new IllegalStateException(
          "rank "
              + rank
              + " "
              + what
              + " in FlowBody.finish of iteration "
              + iteration
              + " of a flowLoop, which is for collectives: "
              + help
              + ", or use one of them");
    }
  }

  private static String name(int source) {
    return source == Comm.ANY_SOURCE ? "any source" : "rank " + source;
  }
}
