package org.fmi.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a codec written by hand, in the package of the messages: a class with {@code static void
 * put(MessageWriter, T)} and {@code static T get(MessageReader)}, for any type T.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
public @interface ByHand {
  /** The version of its encoding, which is increased with each change. */
  int value();
}
