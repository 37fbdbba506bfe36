package org.fmi.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The number of a record, unique within its sealed interface. */
@Retention(RetentionPolicy.CLASS) // read by modules that use the record
@Target(ElementType.TYPE)
public @interface Tag {
  /** 1 to 255; numbers of removed records are not reused. */
  int value();
}
