package org.fmi.run.timeline;

import java.util.Map;
import org.fmi.run.options.UsageException;

/**
 * One line of an event file.
 *
 * @param where file and line, for messages
 * @param name the kind of event
 * @param fields its other fields: each a {@link Long}, {@link Boolean} or {@link String}
 */
record Event(String where, String name, Map<String, Object> fields) {
  /**
   * Returns a number.
   *
   * @throws UsageException if there is none
   */
  long number(String field) throws UsageException {
    return value(field, Long.class);
  }

  /**
   * Returns the number of a rank, node or epoch, or a count.
   *
   * @throws UsageException if there is none
   */
  int integer(String field) throws UsageException {
    long number = number(field);
    if (number != (int) number) {
      throw new UsageException(
          where + ": " + field + " " + number + " of " + name + " is too large");
    }
    return (int) number;
  }

  /**
   * Returns a text.
   *
   * @throws UsageException if there is none
   */
  String text(String field) throws UsageException {
    return value(field, String.class);
  }

  /**
   * Returns a truth value.
   *
   * @throws UsageException if there is none
   */
  boolean flag(String field) throws UsageException {
    return value(field, Boolean.class);
  }

  private <T> T value(String field, Class<T> type) throws UsageException {
    Object value = fields.get(field);
    if (!type.isInstance(value)) {
      throw new UsageException(
          where
              + ": the event "
              + name
              + " has no "
              + field
              + " that can be read; use the fmi of the same version as the fmirun that wrote it");
    }
    return type.cast(value);
  }
}
