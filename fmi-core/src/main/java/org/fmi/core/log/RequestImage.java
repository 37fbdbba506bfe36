package org.fmi.core.log;

import java.io.Serializable;
import org.fmi.core.p2p.MessageRequest.State;

/** A request of the program as it stands in a checkpoint, by Java's serialization. */
sealed interface RequestImage extends Serializable {
  /** Which one it is among those of the checkpoint: it may be in several places of the state. */
  int number();

  /** The ranks of its job: another number of them has other messages. */
  int worldSize();

  /**
   * A receive that is not complete.
   *
   * @param source wanted, or that of the message it has matched
   * @param tag the same
   * @param bytes room for the message
   * @param place where that is in the state
   * @param posting orders it among all
   * @param posted its number in the {@link Determinants}, from the checkpoint on: below zero
   * @param toBeCancelled no message may match it, as the process before had cancelled it
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
   * A request that is complete; or a send, whose message is elsewhere in the checkpoints.
   *
   * @param told whether the program has been told so
   * @param source of the message
   * @param tag of the message
   * @param length of the message in bytes; -1 if there was none
   * @param bytes room that there was
   * @param wantedTag what it was for, with the type of the buffer
   */
  record Complete(
      int number,
      int worldSize,
      boolean send,
      State state,
      boolean told,
      int source,
      long tag,
      long length,
      long bytes,
      long wantedTag)
      implements RequestImage {}
}
