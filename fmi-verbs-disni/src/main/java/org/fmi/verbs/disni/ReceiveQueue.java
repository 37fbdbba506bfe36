package org.fmi.verbs.disni;

/** The buffers that the caller has posted, in order, as a device with a shared queue holds them. */
final class ReceiveQueue {
  private final long[] ids;
  private final long[] addresses;
  private int begin;
  private int count;

  ReceiveQueue(int capacity) {
    ids = new long[capacity];
    addresses = new long[capacity];
  }

  boolean isEmpty() {
    return count == 0;
  }

  boolean isFull() {
    return count == ids.length;
  }

  void add(long id, long address) {
    int end = begin + count;
    end -= end < ids.length ? 0 : ids.length;
    ids[end] = id;
    addresses[end] = address;
    count++;
  }

  /** The id of the first buffer. */
  long id() {
    return ids[begin];
  }

  /** The address of the first buffer. */
  long address() {
    return addresses[begin];
  }

  /** Removes the first buffer, which is used. */
  void remove() {
    begin = begin + 1 == ids.length ? 0 : begin + 1;
    count--;
  }
}
