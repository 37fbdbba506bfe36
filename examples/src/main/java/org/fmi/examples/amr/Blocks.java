package org.fmi.examples.amr;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;

/**
 * The blocks that one rank has, by number. Which these are and how large they are changes, so they
 * write themselves into a checkpoint and read themselves from it.
 */
final class Blocks implements BytesMarshallable {
  final SortedMap<Integer, Block> byNumber = new TreeMap<>();

  @Override
  public void writeMarshallable(BytesOut<?> bytes) {
    bytes.writeInt(byNumber.size());
    for (Map.Entry<Integer, Block> entry : byNumber.entrySet()) {
      bytes.writeInt(entry.getKey());
      Block block = entry.getValue();
      bytes.writeInt(block.level);
      for (double u : block.u) {
        bytes.writeDouble(u);
      }
    }
  }

  /** Reads all that was written, into an object that is full of what a rollback undoes. */
  @Override
  public void readMarshallable(BytesIn<?> bytes) {
    byNumber.clear();
    int count = bytes.readInt();
    for (int i = 0; i < count; i++) {
      int number = bytes.readInt();
      Block block = new Block(bytes.readInt());
      for (int x = 0; x < block.u.length; x++) {
        block.u[x] = bytes.readDouble();
      }
      byNumber.put(number, block);
    }
  }
}
