package org.fmi.core.p2p;

/** The CTS frames still to be sent to a peer: pairs of sequence number and wanted bytes. */
final class ClearQueue {
  /** In place of wanted bytes: the receiver knows that the communicator was revoked. */
  static final long REVOKED = -1;

  private long[] ring = new long[16];
  private int head;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  void add(long sequence, long wanted) {
    if (size == ring.length) {
      grow();
    }
    assert Integer.bitCount(ring.length) == 1 && size < ring.length : "not a ring, or no room";
    int at = head + size & ring.length - 1;
    ring[at] = sequence;
    ring[at + 1] = wanted;
    size += 2;
  }

  long sequence() {
    return ring[head];
  }

  long wanted() {
    return ring[head + 1];
  }

  void removeFirst() {
    assert size > 0 : "no frame is left to be sent";
    head = head + 2 & ring.length - 1;
    size -= 2;
  }

  private void grow() {
    long[] bigger = new long[ring.length * 2];
    System.arraycopy(ring, head, bigger, 0, ring.length - head);
    System.arraycopy(ring, 0, bigger, ring.length - head, head);
    ring = bigger;
    head = 0;
  }
}
