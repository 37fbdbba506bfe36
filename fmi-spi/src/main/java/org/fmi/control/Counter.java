package org.fmi.control;

import org.fmi.spi.Medium;
import org.jspecify.annotations.Nullable;

/**
 * A number that a rank publishes: a count since its process began or, if it {@linkplain #isLevel is
 * a level}, a current amount.
 */
public enum Counter {
  MESSAGES_SENT("point-to-point messages of the program sent to other ranks"),
  MESSAGES_RECEIVED("point-to-point messages that have arrived from other ranks"),
  BYTES_SENT("bytes of the messages sent"),
  BYTES_RECEIVED("bytes of the messages that have arrived"),
  MESSAGES_UNEXPECTED("messages that arrived before their receive"),
  WAITS("sleeps of the rank for lack of messages"),
  WAIT_NANOS("time of these sleeps"),
  CHECKPOINTS("checkpoints committed by the rank"),
  CHECKPOINT_BYTES("bytes of their images on this rank"),
  CHECKPOINT_CODED_BYTES("bytes of these images that had changed and were encoded"),
  CHECKPOINT_NANOS("time of checkpoints, without the wait for slower ranks"),
  EPOCHS("epochs entered by the rank"),
  LOG_RING_NOTICES("failures of which the rank was notified over the log-ring"),
  MESSAGES_SENT_AGAIN("messages resent to ranks that rolled back alone"),
  BYTES_SENT_AGAIN("bytes of the resent messages"),
  PEERS_SHM("peers reached over shared memory", true),
  PEERS_TCP("peers reached over TCP", true),
  PEERS_RDMA("peers reached over RDMA", true),
  UNEXPECTED_MESSAGES("arrived messages without a matching receive", true),
  UNEXPECTED_BYTES("memory of these messages", true),
  RECORD_BYTES("memory of the record of messages outside of loops", true),
  LOG_MESSAGES("messages in the message log, sent since the last checkpoint", true),
  LOG_BYTES("memory of the message log", true),
  LOG_LIMIT_BYTES("limit of the message log", true),
  CHECKPOINT_MEMORY_BYTES("node memory of its checkpoints, images and parity", true),
  CHECKPOINT_FORECAST_BYTES("node memory of its checkpoints once two have been taken", true),
  HEAP_USED_BYTES("heap in use, including garbage", true),
  HEAP_MAX_BYTES("maximum heap size", true),
  MEMORY_BYTES("memory of its process, including shared memory in use", true),
  PEAK_MEMORY_BYTES("peak memory of its process", true),
  NODE_MEMORY_FREE_BYTES("memory free for checkpoints and messages on its machine", true),
  NODE_JOULES(
      "energy used by its machine's processors since the start of its daemon, where Linux reports"
          + " it",
      true);

  private final String meaning;
  private final boolean level;

  Counter(String meaning) {
    this(meaning, false);
  }

  Counter(String meaning, boolean level) {
    this.meaning = meaning;
    this.level = level;
  }

  /** The number of peers reached through a medium; null if none is published. */
  public static @Nullable Counter peersOver(Medium medium) {
    return switch (medium) {
      case SHARED_MEMORY -> PEERS_SHM;
      case TCP -> PEERS_TCP;
      case RDMA -> PEERS_RDMA;
      case OTHER -> null;
    };
  }

  /** A description for a person. */
  public String meaning() {
    return meaning;
  }

  /** Whether the number is a current amount, and so may fall. */
  public boolean isLevel() {
    return level;
  }
}
