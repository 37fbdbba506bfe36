package org.fmi;

import java.util.Objects;

/**
 * A reference that is part of a loop's state: for programs that swap buffers ({@code u} and {@code
 * next}) or replace an object while they iterate, and for {@link java.io.Serializable} objects:
 * records, {@link java.util.Random}, collections. A checkpoint holds what the StateRef refers to at
 * that moment. A rollback makes it refer to a new array, with new rows if it is an array of arrays,
 * of the sizes they had; or to a new object equal to the one it had, if that is serialized. Two
 * StateRefs to one object get the same one; but what the serialized objects of two StateRefs refer
 * to is written once for each. Buffers, memory segments and objects that implement {@code
 * BytesMarshallable} are restored in place.
 *
 * <p>Communicators may be held, in a {@code Comm[]} or by serialized objects too: those that are
 * made in an iteration and used in later ones. They are the same ones after a rollback, and in a
 * process that replaces another.
 *
 * <p>So may {@link Request}s, in a {@code Request[]} or by serialized objects: those that are begun
 * in an iteration and completed in a later one. After a rollback they are new ones.
 *
 * @param <T> what it refers to: a type that can be state of a loop, or is serializable
 */
public final class StateRef<T> {
  private T value;

  private StateRef(T value) {
    this.value = Objects.requireNonNull(value);
  }

  /**
   * A reference to {@code value}.
   *
   * @param <T> what it refers to
   * @param value not null
   * @return a new StateRef
   */
  public static <T> StateRef<T> of(T value) {
    return new StateRef<>(value);
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
   * Exchanges what two StateRefs refer to.
   *
   * @param <T> what they refer to
   * @param a a StateRef
   * @param b another one
   */
  public static <T> void swap(StateRef<T> a, StateRef<T> b) {
    T t = a.value;
    a.value = b.value;
    b.value = t;
  }
}
