package org.fmi;

/**
 * The type of a buffer's elements: Java's primitive types. Multi-byte values travel in the
 * machine's (little endian) order.
 */
public enum Datatype {
  BYTE(1),
  BOOLEAN(1),
  CHAR(2),
  SHORT(2),
  INT(4),
  LONG(8),
  FLOAT(4),
  DOUBLE(8);

  private final int bytes;

  Datatype(int bytes) {
    this.bytes = bytes;
  }

  /** Size of one element in bytes. */
  public int bytes() {
    return bytes;
  }
}
