package org.fmi.spi;

/**
 * A finding of {@code fmi doctor}: something that a machine has or lacks.
 *
 * @param text for a person; unless all is well, the reason and what would help
 */
public record Finding(Kind kind, String text) {
  /** The state of the thing in question. */
  public enum Kind {
    OK,
    /** Absent, and needed only by users who ask for it. */
    UNUSED,
    /** Absent; FMI works without it, but more slowly or with fewer features. */
    MISSING,
    /** Present and broken. */
    FAILED
  }

  public static Finding ok(String text) {
    return new Finding(Kind.OK, text);
  }

  public static Finding unused(String text) {
    return new Finding(Kind.UNUSED, text);
  }

  public static Finding missing(String text) {
    return new Finding(Kind.MISSING, text);
  }

  public static Finding failed(String text) {
    return new Finding(Kind.FAILED, text);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case OK -> "ok       " + text;
      case UNUSED -> "unused:  " + text;
      case MISSING -> "missing: " + text;
      case FAILED -> "failed:  " + text;
    };
  }
}
