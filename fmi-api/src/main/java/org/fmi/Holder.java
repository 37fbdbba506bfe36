package org.fmi;

import java.util.Objects;

/**
 * A reference that is part of a loop's state: for programs that swap buffers ({@code u} and {@code
 * next}) or replace an object while they iterate. A checkpoint holds what the holder refers to at
 * that moment. A rollback makes it refer to a new array, with new rows if it is an array of arrays,
 * of the sizes they had; two holders of one array get the same one. Other objects are restored in
 * place.
 *
 * @param <T> what it refers to: a type that can be state of a loop
 */
public final class Holder<T> {
  private T value;

  private Holder(T value) {
    this.value = Objects.requireNonNull(value);
  }

  /**
   * A holder of {@code value}.
   *
   * @param <T> what it refers to
   * @param value not null
   * @return a new holder
   */
  public static <T> Holder<T> of(T value) {
    return new Holder<>(value);
  }

  /**
   * What it refers to.
   *
   * @return never null
   */
  public T get() {
    return value;
  }

  /**
   * Makes it refer to {@code value}.
   *
   * @param value not null
   */
  public void set(T value) {
    this.value = Objects.requireNonNull(value);
  }

  /**
   * Exchanges what two holders refer to.
   *
   * @param <T> what they refer to
   * @param a a holder
   * @param b another one
   */
  public static <T> void swap(Holder<T> a, Holder<T> b) {
    T t = a.value;
    a.value = b.value;
    b.value = t;
  }
}
