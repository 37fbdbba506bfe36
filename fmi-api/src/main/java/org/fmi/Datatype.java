package org.fmi;

/**
 * The type of a buffer's elements (MPI_Datatype, MPI 4 §5.1): Java's primitive types. Multi-byte
 * values travel in the machine's (little endian) order.
 */
public sealed interface Datatype {
  Datatype BYTE = Predefined.BYTE;
  Datatype BOOLEAN = Predefined.BOOLEAN;
  Datatype CHAR = Predefined.CHAR;
  Datatype SHORT = Predefined.SHORT;
  Datatype INT = Predefined.INT;
  Datatype LONG = Predefined.LONG;
  Datatype FLOAT = Predefined.FLOAT;
  Datatype DOUBLE = Predefined.DOUBLE;

  /** Size of one element in bytes (MPI_Type_size). */
  int bytes();

  /** The types that come with the library. */
  enum Predefined implements Datatype {
    BYTE(1),
    BOOLEAN(1),
    CHAR(2),
    SHORT(2),
    INT(4),
    LONG(8),
    FLOAT(4),
    DOUBLE(8);

    private final int bytes;

    Predefined(int bytes) {
      this.bytes = bytes;
    }

    @Override
    public int bytes() {
      return bytes;
    }
  }
}
