package org.fmi;

import java.util.Objects;

/**
 * A reference that is part of a loop's state: for programs that swap buffers ({@code u} and {@code
 * next}) or replace an object while they iterate. A checkpoint holds what the holder refers to at
 * that moment. A rollback makes it refer to a new array, with new rows if it is an array of arrays,
 * of the sizes they had; two holders of one array get the same one. Other objects are restored in
 * place.
 */
public final class Holder<T> {
  private T value;

  private Holder(T value) {
    this.value = Objects.requireNonNull(value);
  }

  /** A holder of {@code value}. */
  public static <T> Holder<T> of(T value) {
    return new Holder<>(value);
  }

  /** What it refers to. */
  public T get() {
    return value;
  }

  /** Makes it refer to {@code value}. */
  public void set(T value) {
    this.value = Objects.requireNonNull(value);
  }

  /** Exchanges what two holders refer to. */
  public static <T> void swap(Holder<T> a, Holder<T> b) {
    T t = a.value;
    a.value = b.value;
    b.value = t;
  }
}
