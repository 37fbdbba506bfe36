package org.fmi.spi;

/**
 * Something that a machine has or lacks, as {@code fmi doctor} tells it.
 *
 * @param text for a person; if all is not well: why, and what would help
 */
public record Finding(Kind kind, String text) {
  /** How it is. */
  public enum Kind {
    OK,
    /** It is not there, and only those who ask for it would need it. */
    UNUSED,
    /** It is not there; FMI goes on without it, but slower or with less. */
    MISSING,
    /** It is there and does not work. */
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
