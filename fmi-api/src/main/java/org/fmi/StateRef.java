package org.fmi;

import java.util.Objects;

/**
 * A reference that is part of a loop's state: for programs that swap buffers ({@code u} and {@code
 * next}) or replace an object while they iterate, and for {@link java.io.Serializable} objects:
 * records, {@link java.util.Random}, collections. A checkpoint holds the object that the StateRef
 * refers to at that moment. After a rollback it refers to a new array of the same size (with new
 * rows, if it is an array of arrays), or to a new object equal to the serialized one. Two StateRefs
 * to one object refer to one object again; an object inside two of them is written twice. Buffers,
 * memory segments and objects that implement {@code BytesMarshallable} are restored in place.
 *
 * <p>A StateRef may hold communicators that one iteration makes and a later one uses, in a {@code
 * Comm[]} or in a serialized object. After a rollback, and in a replacement process, they are the
 * same communicators.
 *
 * <p>It may also hold {@link Request}s that one iteration starts and a later one completes, in a
 * {@code Request[]} or in a serialized object. After a rollback they are new requests.
 *
 * @param <T> the type of the object: one that can be state of a loop, or is serializable
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
   * Returns the object that this refers to.
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
