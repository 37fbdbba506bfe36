package org.fmi.core.recovery;

/** What a program is told that calls {@link org.fmi.Fmi} where or as it must not. */
final class Misuse {
  /** Of a rank that others wait for, as the end of a sentence that begins with it. */
  static final String CATCHES_ROLLBACK =
      "catches Rollback again and again (in catch Throwable?) instead of going back with the"
          + " others: let Rollback pass";

  private Misuse() {}

  static IllegalArgumentException iterations(long iterations) {
    return new IllegalArgumentException("a loop cannot have " + iterations + " iterations");
  }

  static IllegalStateException nestedLoop() {
    return new IllegalStateException(
        "loops cannot be nested: this is called from the body of a loop; move the inner loop's work"
            + " into the body");
  }

  static IllegalStateException otherState() {
    return new IllegalStateException(
        "other state objects than those that this loop began with: call endLoop before another"
            + " loop; objects that are replaced belong in a Holder");
  }

  static IllegalStateException endLoopInBody() {
    return new IllegalStateException(
        "endLoop ends loops of the form loop(state...); this one ends by itself");
  }

  /** Refuses a loop where all communication has ended. */
  static void requireOpen(Place place) {
    if (place == Place.CLOSED) {
      throw new IllegalStateException(
          "a loop after Fmi.close: all communication has ended with it");
    }
  }

  static IllegalStateException closeInBody() {
    return new IllegalStateException(
        "Fmi.close in the body of a loop, which would go on without communication: close after"
            + " the loop");
  }
}
