package org.fmi.codec;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a sealed interface of messages, for which a codec is generated. */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
public @interface Wire {}
