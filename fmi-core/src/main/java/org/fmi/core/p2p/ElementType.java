package org.fmi.core.p2p;

import java.util.Locale;
import org.fmi.Datatype.Predefined;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of element types in messages, in 4 bits, and the one rule for which of them match, in
 * collectives and elsewhere.
 */
@SuppressWarnings("EnumOrdinal") // all ranks of a job run the same version
final class ElementType {
  /** The number of bits. */
  static final int BITS = 4;

  static final int MASK = (1 << BITS) - 1;

  /** The number of data without an element type. */
  static final int NONE = 0;

  private static final Predefined[] TYPES = Predefined.values();
  private static final int BYTE = number(Predefined.BYTE);

  /** Of a message that is an object, and no bytes either. */
  static final int OBJECT = TYPES.length + 1;

  private ElementType() {}

  /** The number of a type; {@link #NONE} for null. */
  static int number(@Nullable Predefined type) {
    return type == null ? NONE : type.ordinal() + 1;
  }

  /** Whether data of one type may be received as data of the other: bytes go with every type. */
  static boolean match(int one, int other) {
    return one == other || (one != OBJECT && other != OBJECT && (isAny(one) || isAny(other)));
  }

  private static boolean isAny(int number) {
    return number == NONE || number == BYTE || number > TYPES.length;
  }

  /** The size of an element. */
  static int bytes(int number) {
    return isAny(number) ? 1 : TYPES[number - 1].bytes();
  }

  /** An array of this type and this many bytes in readable form: "double[8]". */
  static String text(int number, long bytes) {
    return number == OBJECT ? "an object" : name(number) + "[" + bytes / bytes(number) + "]";
  }

  /** The type's name in Java. */
  static String name(int number) {
    return TYPES[number - 1].name().toLowerCase(Locale.ROOT);
  }
}
