package org.fmi.run.timeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.fmi.run.options.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of {@code fmirun --events}, which may still be growing, so that its last line may be
 * incomplete.
 */
final class EventFile implements AutoCloseable {
  /** Longer than any event: a file with such a line is of another kind. */
  private static final int MOST_BYTES = 1 << 20;

  private static final String WAY_OUT = "name a file written by fmirun --events";

  private final Path path;
  private final InputStream in;
  private final JsonFactory json = new JsonFactory();
  private int line;
  private boolean cut;

  /**
   * @throws UsageException if the file cannot be read
   */
  EventFile(Path path) throws UsageException {
    this.path = path;
    try {
      if (Files.isDirectory(path)) {
        throw new UsageException(path + ": is a directory; " + WAY_OUT);
      }
      in = new BufferedInputStream(Files.newInputStream(path), 1 << 16);
    } catch (NoSuchFileException e) {
      throw new UsageException(path + ": no such file; " + WAY_OUT);
    } catch (IOException e) {
      throw new UsageException(path + ": cannot be read (" + e + "); " + WAY_OUT);
    }
  }

  /** Whether the last line is incomplete: the job was running, or fmirun was killed. */
  boolean isCut() {
    return cut;
  }

  /**
   * Returns the next event; null at the end.
   *
   * @throws UsageException if this is no event file
   * @throws IOException if it cannot be read
   */
  @Nullable Event next() throws UsageException, IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int next;
    while ((next = in.read()) >= 0 && next != '\n' && bytes.size() <= MOST_BYTES) {
      bytes.write(next);
    }
    if (next < 0 && bytes.size() == 0) {
      if (line == 0) {
        throw new UsageException(path + ": has no events yet; " + WAY_OUT);
      }
      return null;
    }
    line++;
    Event event = bytes.size() > MOST_BYTES ? null : parse(bytes.toByteArray());
    if (event == null && (line == 1 || next >= 0)) {
      throw new UsageException(path + ", line " + line + ": not an event; " + WAY_OUT);
    }
    cut = event == null;
    return event;
  }

  /** Returns null if it is no event. */
  private @Nullable Event parse(byte[] text) {
    Map<String, Object> fields = new HashMap<>();
    try (JsonParser parser = json.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (value == null) {
          return null;
        }
        switch (value) {
          case VALUE_NUMBER_INT -> fields.put(name, parser.getLongValue());
          case VALUE_STRING -> fields.put(name, parser.getText());
          case VALUE_TRUE, VALUE_FALSE -> fields.put(name, parser.getBooleanValue());
          default -> parser.skipChildren();
        }
      }
      if (parser.currentToken() != JsonToken.END_OBJECT
          || !(fields.get("time") instanceof Long)
          || !(fields.get("nanos") instanceof Long)
          || !(fields.remove("event") instanceof String name)) {
        return null;
      }
      return new Event(path + ", line " + line, name, Map.copyOf(fields));
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
