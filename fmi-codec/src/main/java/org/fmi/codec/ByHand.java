package org.fmi.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a codec that is written by hand, in the package of the messages: a class with {@code static
 * void put(MessageWriter, T)} and {@code static T get(MessageReader)}, for whichever T that is.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
public @interface ByHand {
  /** The version of its bytes: grows when they change. */
  int value();
}
