package org.fmi.verbs.disni;

/**
 * The buffers that the caller has posted, in that order: what a device with a shared queue holds.
 */
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

  /** Of the first. */
  long id() {
    return ids[begin];
  }

  /** Of the first. */
  long address() {
    return addresses[begin];
  }

  /** The first one is used. */
  void remove() {
    begin = begin + 1 == ids.length ? 0 : begin + 1;
    count--;
  }
}
