package org.fmi.codec;

import javax.lang.model.element.TypeElement;

/** The encoding of a record component. */
sealed interface Form {
  /**
   * By a method of the writer and one of the reader.
   *
   * @param name the name of both, without put and get
   */
  record Basic(String name) implements Form {}

  /** The name of an enum constant. */
  record Constant(TypeElement type) implements Form {}

  /** By the codec of its type. */
  record Part(TypeElement type, String codec) implements Form {}

  /** The count, and each element. */
  record ListOf(Form element) implements Form {}

  /** The count, and each key with its value. */
  record MapOf(Form key, Form value) implements Form {}

  /** A flag for null, and the value if there is one. */
  record OrNull(Form form) implements Form {}
}
