package org.fmi.core.checkpoint;

import org.fmi.spi.CheckpointId;

/** A place in the program at which all ranks meet. */
public record SyncPoint(Kind kind, long loop, long iteration) {
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
  public static SyncPoint at(CheckpointId id) {
    return new SyncPoint(
        id.last() ? Kind.FINAL_CHECKPOINT : Kind.CHECKPOINT, id.loop(), id.iteration());
  }

  /** Kind and loop as one number. */
  long packedLoop() {
    return Kind.values().length * loop + kind.number;
  }

  static SyncPoint unpack(long packedLoop, long iteration) {
    Kind[] kinds = Kind.values();
    return new SyncPoint(
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
