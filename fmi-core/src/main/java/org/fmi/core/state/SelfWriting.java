package org.fmi.core.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesMarshallable;

/**
 * Writes and reads objects that marshal themselves ({@link BytesMarshallable}). A separate class,
 * so that Chronicle is loaded only on use.
 */
final class SelfWriting {
  private SelfWriting() {}

  static byte[] write(Object object) {
    Bytes<byte[]> bytes = Bytes.allocateElasticOnHeap();
    try {
      ((BytesMarshallable) object).writeMarshallable(bytes);
      return bytes.toByteArray();
    } finally {
      bytes.releaseLast();
    }
  }

  static void read(Object object, MemorySegment data) {
    Bytes<byte[]> bytes = Bytes.wrapForRead(data.toArray(ValueLayout.JAVA_BYTE));
    try {
      ((BytesMarshallable) object).readMarshallable(bytes);
    } finally {
      bytes.releaseLast();
    }
  }
}
