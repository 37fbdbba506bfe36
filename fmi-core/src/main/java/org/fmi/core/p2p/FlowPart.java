package org.fmi.core.p2p;

import java.util.Arrays;
import java.util.BitSet;
import org.fmi.Comm;
import org.jspecify.annotations.Nullable;

/** The ranks that a part of a {@code flowLoop}'s iteration communicates with. */
public sealed interface FlowPart {
  /**
   * Whether this part may send to that rank.
   *
   * @throws IllegalStateException if this part sends nothing
   */
  boolean sendsTo(int dest);

  /**
   * Whether this part receives from that rank.
   *
   * @throws IllegalStateException if this part must not receive from it
   */
  boolean receivesFrom(int source);

  /** The {@link MessageTag} of a message that this part sends or wants. */
  long tag(long tag);

  /**
   * Checks that this part may call a collective.
   *
   * @throws IllegalStateException if this part must not call one
   */
  void collective();

  /**
   * Checks that this part may receive a message whose length it does not know.
   *
   * @throws IllegalStateException if its receives need buffers
   */
  default void unsized() {}

  /**
   * The exchange, which receives from the ranks that the flow names. If only some ranks compute
   * again, messages to and from all other ranks are skipped.
   */
  final class Exchange implements FlowPart {
    private static final String PART = "the exchange";

    private final int rank;
    private final long iteration;
    private final int[] inputs;
    private final @Nullable BitSet takingPart;

    /**
     * @param inputs the ranks that this rank reads from
     * @param takingPart the ranks in this exchange; null for all
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
    public boolean receivesFrom(int source) {
      if (source == Comm.ANY_SOURCE) {
        throw refusal(
            rank,
            "receives from any source",
            PART,
            iteration,
            ": receive from the ranks that the flow names");
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
    public long tag(long tag) {
      return MessageTag.in(iteration, tag);
    }

    @Override
    public void collective() {
      throw refusal(
          rank,
          "calls a collective",
          PART,
          iteration,
          ", which only some ranks repeat after a failure: call it in FlowBody.finish");
    }

    @Override
    public void unsized() {
      throw refusal(
          rank,
          "receives a message of unknown length",
          PART,
          iteration,
          ", which after a failure some ranks send nothing in: receive into a buffer");
    }
  }

  /**
   * A part without messages.
   *
   * @param ends whether it is the end of an iteration, where all ranks may call collectives; else
   *     it is the step, which communicates with no rank
   */
  record WithoutMessages(int rank, long iteration, boolean ends) implements FlowPart {
    @Override
    public boolean sendsTo(int dest) {
      throw refused("sends to rank " + dest, "send it in FlowBody.exchange");
    }

    @Override
    public boolean receivesFrom(int source) {
      String from = source == Comm.ANY_SOURCE ? "any source" : "rank " + source;
      throw refused("receives from " + from, "receive it in FlowBody.exchange");
    }

    @Override
    public long tag(long tag) {
      return tag;
    }

    @Override
    public void collective() {
      if (!ends) {
        throw refused("calls a collective", "call it in FlowBody.finish");
      }
    }

    private IllegalStateException refused(String what, String help) {
      return ends
          ? refusal(
              rank,
              what,
              "FlowBody.finish",
              iteration,
              ", which is for collectives: " + help + ", or call a collective")
          : refusal(
              rank, what, "FlowBody.step", iteration, ", which must not communicate: " + help);
    }
  }

  private static IllegalStateException refusal(
      int rank, String what, String part, long iteration, String why) {
    return new IllegalStateException(
        "rank "
            + rank
            + " "
            + what
            + " in "
            + part
            + " of iteration "
            + iteration
            + " of a flowLoop"
            + why);
  }
}
