package org.fmi.core.rank;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a rank has sent in the iterations since a checkpoint: by receiver and context,
 * in order, each with its size and a hash of its content.
 */
final class SentMessages {
  /** Messages beyond this many are not compared. */
  private static final int MAX_MESSAGES = 100_000;

  private final Map<Receiver, Stream> streams = new HashMap<>();
  private int recorded;

  private record Receiver(int dest, int context) {}

  private record Message(long iteration, int dest, int context, long tag, long bytes, long hash) {
    String describe() {
      return "a message of "
          + bytes
          + " bytes to rank "
          + dest
          + " "
          + CollectiveCall.belonging(context, tag)
          + ", in iteration "
          + iteration;
    }
  }

  private static final class Stream {
    final List<Message> messages = new ArrayList<>();
    int repeated;
  }

  /** Forgets all messages. */
  void clear() {
    streams.clear();
    recorded = 0;
  }

  void record(
      long iteration, Object base, long offset, long bytes, int dest, int context, long tag) {
    if (recorded < MAX_MESSAGES) {
      recorded++;
      streams
          .computeIfAbsent(new Receiver(dest, context), r -> new Stream())
          .messages
          .add(new Message(iteration, dest, context, tag, bytes, Memory.hash(base, offset, bytes)));
    }
  }

  /** Prepares for the recorded messages to be sent again. */
  void beginRepetition() {
    streams.values().forEach(s -> s.repeated = 0);
  }

  /** Compares a message with the one that was sent at its position; returns the difference. */
  @Nullable String repeat(
      long iteration, Object base, long offset, long bytes, int dest, int context, long tag) {
    Stream stream = streams.get(new Receiver(dest, context));
    Message now =
        new Message(iteration, dest, context, tag, bytes, Memory.hash(base, offset, bytes));
    if (stream == null || stream.repeated == stream.messages.size()) {
      return recorded == MAX_MESSAGES
          ? null
          : "it sends " + now.describe() + ", but sent no such message";
    }
    Message before = stream.messages.get(stream.repeated++);
    if (now.equals(before)) {
      return null;
    }
    return now.describe().equals(before.describe())
        ? now.describe() + ", has different content"
        : "it sends " + now.describe() + ", but sent " + before.describe();
  }

  /** A message that was sent and not sent again; null if there is none. */
  @Nullable String missing() {
    for (Stream stream : streams.values()) {
      if (stream.repeated < stream.messages.size()) {
        return "it does not send "
            + stream.messages.get(stream.repeated).describe()
            + ", which it sent";
      }
    }
    return null;
  }
}
