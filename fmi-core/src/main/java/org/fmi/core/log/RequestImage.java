package org.fmi.core.log;

import java.io.Serializable;
import org.fmi.core.p2p.MessageRequest.State;

/** A request of the program as serialized in a checkpoint. */
sealed interface RequestImage extends Serializable {
  /**
   * Its number among the requests of the checkpoint: a state may refer to it from several places.
   */
  int number();

  /** The number of ranks of its job: a job of another size has other messages. */
  int worldSize();

  /**
   * A pending receive.
   *
   * @param source the pattern's source, or that of the message it has matched
   * @param tag the same for the tag
   * @param bytes room for the message
   * @param place the buffer's place in the state
   * @param posting its position in the posting order of all requests
   * @param posted its number in the {@link Determinants}, counted from the checkpoint on, thus
   *     negative
   * @param toBeCancelled whether the process before had cancelled it, so that no message may match
   */
  record Waiting(
      int number,
      int worldSize,
      int context,
      int source,
      long tag,
      long bytes,
      StatePlace place,
      long posting,
      long posted,
      boolean toBeCancelled)
      implements RequestImage {}

  /**
   * A complete request; or a send, whose message is elsewhere in the checkpoints.
   *
   * @param seenComplete whether the program has seen it complete
   * @param source of the message
   * @param tag of the message
   * @param length of the message in bytes; -1 if there was none
   * @param bytes room for the message
   * @param wantedTag the pattern's tag, with the type of the buffer
   */
  record Complete(
      int number,
      int worldSize,
      boolean send,
      State state,
      boolean seenComplete,
      int source,
      long tag,
      long length,
      long bytes,
      long wantedTag)
      implements RequestImage {}
}
