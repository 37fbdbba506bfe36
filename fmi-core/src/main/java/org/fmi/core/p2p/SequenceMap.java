package org.fmi.core.p2p;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Requests by sequence number: a hash table with open addressing that boxes nothing. */
final class SequenceMap {
  private long[] keys = new long[16];
  private @Nullable MessageRequest[] values = new MessageRequest[16];
  private int count;

  void put(long sequence, MessageRequest request) {
    if (count * 2 >= keys.length) {
      grow();
    }
    insert(sequence, request);
    count++;
  }

  /** The request of this number; null if there is none. */
  @Nullable MessageRequest get(long sequence) {
    return values[find(sequence)];
  }

  /** Removes the request of this number; null if there is none. */
  @Nullable MessageRequest remove(long sequence) {
    int hole = find(sequence);
    MessageRequest removed = values[hole];
    if (removed == null) {
      return null;
    }
    count--;
    assert count >= 0 : "more requests were taken out than put in";
    // An entry that was probed past the hole moves into it, so that no chain breaks.
    int mask = keys.length - 1;
    for (int i = hole + 1 & mask; values[i] != null; i = i + 1 & mask) {
      int home = home(keys[i]);
      if ((i - home & mask) >= (i - hole & mask)) {
        keys[hole] = keys[i];
        values[hole] = values[i];
        hole = i;
      }
    }
    values[hole] = null;
    return removed;
  }

  /** Puts another request in the place of one of the same number. */
  void replace(long sequence, MessageRequest request) {
    int i = find(sequence);
    assert values[i] != null : "there is no such number";
    values[i] = request;
  }

  /** Passes on each number with its request, which may be replaced. */
  void forEachEntry(Entry each) {
    for (int i = 0; i < values.length; i++) {
      MessageRequest r = values[i];
      if (r != null) {
        each.entry(keys[i], r);
      }
    }
  }

  /** Takes numbers with their requests. */
  interface Entry {
    void entry(long sequence, MessageRequest request);
  }

  void forEach(Consumer<MessageRequest> each) {
    for (MessageRequest r : values) {
      if (r != null) {
        each.accept(r);
      }
    }
  }

  /** The slot of the number, or the one where it would be inserted. */
  private int find(long sequence) {
    int mask = keys.length - 1;
    int i = home(sequence);
    while (values[i] != null && keys[i] != sequence) {
      i = i + 1 & mask;
    }
    return i;
  }

  private void insert(long sequence, MessageRequest request) {
    int i = find(sequence);
    assert values[i] == null : "the number is in use";
    keys[i] = sequence;
    values[i] = request;
  }

  private void grow() {
    long[] oldKeys = keys;
    @Nullable MessageRequest[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = new MessageRequest[oldKeys.length * 2];
    for (int i = 0; i < oldKeys.length; i++) {
      MessageRequest r = oldValues[i];
      if (r != null) {
        insert(oldKeys[i], r);
      }
    }
  }

  private int home(long sequence) {
    return (int) ((sequence * 0x9E3779B97F4A7C15L) >>> 40) & (keys.length - 1);
  }
}
