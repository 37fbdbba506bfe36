package org.fmi.control;

import org.fmi.spi.Medium;
import org.jspecify.annotations.Nullable;

/**
 * A number that a rank publishes: a count since its process began or, if it {@linkplain #isLevel is
 * a level}, a current amount.
 */
public enum Counter {
  MESSAGES_SENT("messages of the program sent to other ranks, without those of collectives"),
  MESSAGES_RECEIVED("messages of other ranks' programs that have arrived"),
  BYTES_SENT("bytes of the program's messages to other ranks"),
  BYTES_RECEIVED("bytes of the messages of other ranks' programs"),
  MESSAGES_UNEXPECTED("messages that arrived before their receive"),
  WAITS("how often the rank slept because nothing came"),
  WAIT_NANOS("time in which the rank slept because nothing came"),
  CHECKPOINTS("checkpoints that the rank has committed"),
  CHECKPOINT_BYTES("bytes of their images on this rank"),
  CHECKPOINT_CODED_BYTES("bytes of those whose code was computed, as they were changed"),
  CHECKPOINT_NANOS("time for checkpoints, without the wait for slower ranks before"),
  EPOCHS("epochs that the rank has entered"),
  LOG_RING_NOTICES("failures that the rank has heard of over the log-ring"),
  MESSAGES_SENT_AGAIN("messages sent again after failures, to ranks that went back alone"),
  BYTES_SENT_AGAIN("bytes of those messages"),
  PEERS_SHM("ranks that it reaches over shared memory, of those it has sent to", true),
  PEERS_TCP("ranks that it reaches over TCP, of those it has sent to", true),
  PEERS_RDMA("ranks that it reaches over RDMA, of those it has sent to", true),
  UNEXPECTED_MESSAGES("messages here that no receive has taken yet", true),
  UNEXPECTED_BYTES("memory of those messages", true),
  RECORD_BYTES("memory of what is recorded of messages outside of loops", true),
  LOG_MESSAGES("messages sent since the last checkpoint, of which a copy is kept", true),
  LOG_BYTES("memory of those copies", true),
  LOG_LIMIT_BYTES("the most memory that those copies may take", true),
  CHECKPOINT_MEMORY_BYTES("memory of the node that its checkpoints take, images and codes", true),
  CHECKPOINT_FORECAST_BYTES(
      "memory of the node that its checkpoints will take once two have been taken", true),
  HEAP_USED_BYTES("heap in use, with what is garbage already", true),
  HEAP_MAX_BYTES("how large the heap may become", true),
  MEMORY_BYTES("memory of its process, shared memory that it uses included", true),
  PEAK_MEMORY_BYTES("the most that its process ever had", true),
  NODE_MEMORY_FREE_BYTES("what is free for checkpoints and messages on its machine", true),
  NODE_JOULES(
      "energy that its machine's processors have taken since its daemon began, where Linux tells",
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
