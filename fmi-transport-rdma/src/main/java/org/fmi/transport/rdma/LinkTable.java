package org.fmi.transport.rdma;

import org.jspecify.annotations.Nullable;

/** Links by connection number, without boxing. */
final class LinkTable {
  private static final int MIX = 0x9e3779b9;

  /** The slots: a power of two, more than half of them free. */
  private @Nullable Link[] slots = new Link[16];

  private int count;

  void put(Link link) {
    if (2 * ++count >= slots.length) {
      @Nullable Link[] old = slots;
      slots = new Link[2 * old.length];
      for (Link l : old) {
        if (l != null) {
          slots[slot(l.connection.number())] = l;
        }
      }
    }
    slots[slot(link.connection.number())] = link;
  }

  @Nullable Link get(int number) {
    return slots[slot(number)];
  }

  /** The slot of the number, or the one where it would be inserted. */
  private int slot(int number) {
    int mask = slots.length - 1;
    int i = ((number * MIX) >>> 8) & mask;
    for (Link l; (l = slots[i]) != null && l.connection.number() != number; ) {
      i = (i + 1) & mask;
    }
    return i;
  }
}
