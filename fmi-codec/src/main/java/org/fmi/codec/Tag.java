package org.fmi.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The number that tells a record from the others of its sealed interface. */
@Retention(RetentionPolicy.CLASS) // modules that use the record read it
@Target(ElementType.TYPE)
public @interface Tag {
  /** From 1 to 255; never that of a record which is gone. */
  int value();
}
