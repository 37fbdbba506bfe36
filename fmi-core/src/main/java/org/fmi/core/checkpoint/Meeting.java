package org.fmi.core.checkpoint;

import org.fmi.spi.CheckpointId;

/** A place in the program at which all ranks meet. */
public record Meeting(Kind kind, long loop, long iteration) {
  enum Kind {
    CHECKPOINT(0),
    FINAL_CHECKPOINT(1),
    DECISION(2);

    private final long number;

    Kind(long number) {
      this.number = number;
    }
  }

  /** At a checkpoint. */
  public static Meeting at(CheckpointId id) {
    return new Meeting(
        id.last() ? Kind.FINAL_CHECKPOINT : Kind.CHECKPOINT, id.loop(), id.iteration());
  }

  /** Kind and loop as one number. */
  long packedLoop() {
    return Kind.values().length * loop + kind.number;
  }

  static Meeting unpack(long packedLoop, long iteration) {
    Kind[] kinds = Kind.values();
    return new Meeting(
        kinds[(int) (packedLoop % kinds.length)], packedLoop / kinds.length, iteration);
  }

  @Override
  public String toString() {
    return switch (kind) {
          case CHECKPOINT -> "takes a checkpoint before iteration " + iteration;
          case FINAL_CHECKPOINT ->
              "takes a checkpoint at the end, after " + iteration + " iterations,";
          case DECISION -> "asks whether to continue after iteration " + iteration;
        }
        + " of loop "
        + loop;
  }
}
