package org.fmi;

/**
 * The type of a buffer's elements (MPI_Datatype, MPI 4 §5.1): Java's primitive types. Multi-byte
 * values travel in the machine's (little endian) order.
 */
public sealed interface Datatype {
  /** Java's {@code byte}. */
  Datatype BYTE = Predefined.BYTE;

  /** Java's {@code boolean}. */
  Datatype BOOLEAN = Predefined.BOOLEAN;

  /** Java's {@code char}. */
  Datatype CHAR = Predefined.CHAR;

  /** Java's {@code short}. */
  Datatype SHORT = Predefined.SHORT;

  /** Java's {@code int}. */
  Datatype INT = Predefined.INT;

  /** Java's {@code long}. */
  Datatype LONG = Predefined.LONG;

  /** Java's {@code float}. */
  Datatype FLOAT = Predefined.FLOAT;

  /** Java's {@code double}. */
  Datatype DOUBLE = Predefined.DOUBLE;

  /**
   * Size of one element in bytes (MPI_Type_size).
   *
   * @return 1 to 8
   */
  int bytes();

  /** The predefined types. */
  enum Predefined implements Datatype {
    /** See {@link Datatype#BYTE}. */
    BYTE(1),
    /** See {@link Datatype#BOOLEAN}. */
    BOOLEAN(1),
    /** See {@link Datatype#CHAR}. */
    CHAR(2),
    /** See {@link Datatype#SHORT}. */
    SHORT(2),
    /** See {@link Datatype#INT}. */
    INT(4),
    /** See {@link Datatype#LONG}. */
    LONG(8),
    /** See {@link Datatype#FLOAT}. */
    FLOAT(4),
    /** See {@link Datatype#DOUBLE}. */
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
