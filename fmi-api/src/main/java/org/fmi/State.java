package org.fmi;

import java.util.Objects;

/**
 * State of a loop with a name. Messages then speak of {@code "u"} and not of {@code object 0}, and
 * a restart from files whose state has other names, or the same ones in another order, is refused.
 *
 * <pre>{@code
 * fmi.loop(1000, iteration -> step(u, sum), State.of("u", u), State.of("sum", Replicated.of(sum)));
 * }</pre>
 *
 * <p>In every other respect it behaves as the state that it names. State with and without names may
 * be mixed, and names may be added to a program whose checkpoints have none.
 *
 * @param name what messages call it; each name of a loop is used once
 * @param state any object that can be state of a loop: an array, a {@link StateRef}, a {@link
 *     Replicated} ...
 */
public record State(String name, Object state) {
  /**
   * State with a name.
   *
   * @throws IllegalArgumentException if the name is blank or has control characters, or the state
   *     has a name already
   */
  public State {
    Objects.requireNonNull(state, () -> "the state \"" + name + "\" is null");
    if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "\"" + name + "\" cannot name state: a name is one line, and not blank");
    }
    if (state instanceof State inner) {
      throw new IllegalArgumentException(
          "the state \"" + name + "\" has the name \"" + inner.name() + "\" already");
    }
  }

  /**
   * State with a name.
   *
   * @param name what messages call it; each name of a loop is used once
   * @param state any object that can be state of a loop
   * @return a new one
   * @throws IllegalArgumentException if the name is blank or has control characters, or the state
   *     has a name already
   */
  public static State of(String name, Object state) {
    return new State(name, state);
  }
}
