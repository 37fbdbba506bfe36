package org.fmi.run.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.control.Notice;

/**
 * Writes each event as one line of JSON: {@code time} in milliseconds since 1970, {@code nanos} of
 * the monotonic clock, {@code event}, and the fields of the notice.
 */
public final class EventLog implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();

  private final OutputStream file;

  /**
   * @throws IOException if the file cannot be written
   */
  public EventLog(Path path) throws IOException {
    file = Files.newOutputStream(path);
  }

  /** Returns an event as a line, with its line feed. */
  public static byte[] line(Notice notice, long timeMillis, long nanos) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(line)) {
      out.writeStartObject();
      out.writeNumberField("time", timeMillis);
      out.writeNumberField("nanos", nanos);
      out.writeStringField("event", notice.getClass().getSimpleName());
      for (RecordComponent component : notice.getClass().getRecordComponents()) {
        out.writeFieldName(component.getName());
        writeValue(out, value(notice, component));
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    line.write('\n');
    return line.toByteArray();
  }

  /** Appends a {@link #line}. */
  public void write(byte[] line) throws IOException {
    // One unbuffered write per line, so that a reader of the file sees whole lines at once.
    file.write(line);
  }

  private static Object value(Notice notice, RecordComponent component) {
    try {
      return component.getAccessor().invoke(notice);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read the event " + notice, e);
    }
  }

  private static void writeValue(JsonGenerator out, Object value) throws IOException {
    switch (value) {
      case Integer number -> out.writeNumber(number);
      case Long number -> out.writeNumber(number);
      case Boolean flag -> out.writeBoolean(flag);
      case String text -> out.writeString(text);
      default -> throw new IllegalStateException("cannot write a " + value.getClass());
    }
  }

  /** May take forever, like any write, if the file is on a server that does not respond. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
