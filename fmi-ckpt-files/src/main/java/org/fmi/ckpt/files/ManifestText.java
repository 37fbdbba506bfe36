package org.fmi.ckpt.files;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;
import org.fmi.ckpt.files.Manifest.Origin;
import org.fmi.ckpt.files.ProgramFacts.Jar;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a manifest: JSON, and a last line with the checksum of all preceding text. It is
 * read whole, and only if the checksum is right.
 */
final class ManifestText {
  /** The newest known format. */
  private static final int FORMAT = 1;

  private static final String SUM = "crc32c ";

  /** The length of the last line: name, eight digits, and line end. */
  private static final int SUM_BYTES = SUM.length() + 8 + 1;

  private static final int MAX_DEPTH = 8;
  private static final JsonFactory JSON = new JsonFactory();

  private ManifestText() {}

  static byte[] write(Manifest manifest) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      out.setPrettyPrinter(new DefaultPrettyPrinter());
      write(out, manifest);
    } catch (IOException e) {
      throw new IllegalStateException("a text in memory cannot be written", e);
    }
    byte[] json = (text + "\n").getBytes(StandardCharsets.UTF_8);
    byte[] sum = sum(json, json.length);
    byte[] all = new byte[json.length + sum.length];
    System.arraycopy(json, 0, all, 0, json.length);
    System.arraycopy(sum, 0, all, json.length, sum.length);
    return all;
  }

  private static byte[] sum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (SUM + hex((int) crc.getValue()) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static String hex(int digest) {
    return String.format(Locale.ROOT, "%08x", digest);
  }

  private static void write(JsonGenerator out, Manifest m) throws IOException {
    out.writeStartObject();
    out.writeNumberField("format", FORMAT);
    out.writeStringField("job", m.job());
    out.writeNumberField("ranks", m.size());
    out.writeFieldName("line");
    write(out, m.line());
    out.writeArrayFieldStart("finals");
    for (CheckpointId id : m.finals()) {
      write(out, id);
    }
    out.writeEndArray();
    out.writeObjectFieldStart("program");
    out.writeStringField("main", m.program().mainClass());
    out.writeArrayFieldStart("jars");
    for (Jar jar : m.program().jars()) {
      out.writeStartObject();
      out.writeStringField("name", jar.name());
      out.writeStringField("sha256", jar.sha256());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeArrayFieldStart("arguments");
    for (String argument : m.program().arguments()) {
      out.writeString(argument);
    }
    out.writeEndArray();
    out.writeEndObject();
    out.writeStringField("lineage", m.lineage());
    Origin began = m.began();
    if (began != null) {
      out.writeObjectFieldStart("began");
      out.writeStringField("job", began.job());
      out.writeNumberField("version", began.version());
      out.writeEndObject();
    }
    out.writeArrayFieldStart("files");
    for (FileFacts file : m.files()) {
      out.writeStartObject();
      out.writeStringField("name", file.name());
      out.writeNumberField("bytes", file.bytes());
      out.writeStringField("digest", hex(file.digest()));
      out.writeArrayFieldStart("ranks");
      for (int rank : file.ranks()) {
        out.writeNumber(rank);
      }
      out.writeEndArray();
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, CheckpointId id) throws IOException {
    out.writeStartObject();
    out.writeNumberField("version", id.version());
    out.writeNumberField("loop", id.loop());
    out.writeNumberField("iteration", id.iteration());
    out.writeBooleanField("last", id.last());
    out.writeEndObject();
  }

  /**
   * Reads a text.
   *
   * @param path for error messages
   * @throws UnusableException if it is damaged, or has another format
   */
  static Manifest read(Object path, byte[] bytes) throws UnusableException {
    int length = bytes.length - SUM_BYTES;
    if (length < 0
        || !new String(bytes, length, SUM_BYTES, StandardCharsets.UTF_8)
            .equals(new String(sum(bytes, length), StandardCharsets.UTF_8))) {
      throw new UnusableException(
          path, "damaged or cut short: its last line is not the checksum of the rest");
    }
    Fields fields;
    try (JsonParser in = JSON.createParser(bytes, 0, length)) {
      in.nextToken();
      fields = new Fields(asObject(tree(in, 0)));
      if (in.nextToken() != null) {
        throw new IllegalArgumentException("more than one object");
      }
      if (fields.number("format") != FORMAT) {
        throw new UnusableException(
            path,
            "of format " + fields.number("format") + "; this FMI reads format " + FORMAT + " only");
      }
      Manifest manifest = manifest(fields);
      if (!manifest.isComplete()) {
        throw new UnusableException(path, "its files do not hold each rank exactly once");
      }
      return manifest;
    } catch (UnusableException e) {
      throw e;
    } catch (IOException | IllegalArgumentException | ArithmeticException e) {
      throw new UnusableException(path, "no manifest of checkpoints: " + e.getMessage());
    }
  }

  private static Manifest manifest(Fields fields) {
    Fields program = fields.object("program");
    List<Jar> jars = new ArrayList<>();
    for (Fields jar : program.objects("jars")) {
      String sha256 = jar.text("sha256");
      if (sha256.length() != 64) {
        throw new IllegalArgumentException("a SHA-256 of " + sha256.length() + " digits");
      }
      jars.add(new Jar(jar.text("name"), sha256));
    }
    List<FileFacts> files = new ArrayList<>();
    for (Fields file : fields.objects("files")) {
      // It becomes part of a path.
      if (!Names.isNodeFile(file.text("name"))) {
        throw new IllegalArgumentException("a file named " + file.text("name"));
      }
      files.add(
          new FileFacts(
              file.text("name"),
              file.number("bytes"),
              HexFormat.fromHexDigits(file.text("digest")),
              file.list("ranks").stream().map(rank -> Math.toIntExact(asNumber(rank))).toList()));
    }
    Fields began = fields.has("began") ? fields.object("began") : null;
    return new Manifest(
        fields.job("job"),
        Math.toIntExact(fields.number("ranks")),
        id(fields.object("line")),
        fields.objects("finals").stream().map(ManifestText::id).toList(),
        new ProgramFacts(
            program.text("main"),
            jars,
            program.list("arguments").stream().map(ManifestText::asText).toList()),
        fields.job("lineage"),
        began == null ? null : new Origin(began.job("job"), began.number("version")),
        files);
  }

  private static CheckpointId id(Fields id) {
    return new CheckpointId(
        id.number("version"), id.number("loop"), id.number("iteration"), id.flag("last"));
  }

  // ---- JSON as maps, lists, texts, numbers

  private static Object tree(JsonParser in, int depth) throws IOException {
    JsonToken token = in.currentToken();
    if (token == null || depth > MAX_DEPTH) {
      throw new IllegalArgumentException("no JSON, or nested too deep");
    }
    return switch (token) {
      case START_OBJECT -> {
        Map<String, Object> object = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
          String name = in.currentName();
          in.nextToken();
          object.put(name, tree(in, depth + 1));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<Object> list = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          list.add(tree(in, depth + 1));
        }
        yield list;
      }
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT -> in.getLongValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw new IllegalArgumentException("an unexpected " + token);
    };
  }

  private static Map<?, ?> asObject(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException("no object where one was expected");
  }

  private static long asNumber(@Nullable Object value) {
    if (value instanceof Long number && number >= 0) {
      return number;
    }
    throw new IllegalArgumentException("no number where one was expected");
  }

  private static String asText(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("no text where one was expected");
  }

  /** The members of an object. */
  private record Fields(Map<?, ?> map) {
    boolean has(String name) {
      return map.containsKey(name);
    }

    long number(String name) {
      return asNumber(map.get(name));
    }

    String text(String name) {
      return asText(map.get(name));
    }

    String job(String name) {
      String job = text(name);
      if (!Names.isJob(job)) {
        throw new IllegalArgumentException("a job named " + job);
      }
      return job;
    }

    boolean flag(String name) {
      if (map.get(name) instanceof Boolean flag) {
        return flag;
      }
      throw new IllegalArgumentException("no " + name);
    }

    List<?> list(String name) {
      if (map.get(name) instanceof List<?> list) {
        return list;
      }
      throw new IllegalArgumentException("no list " + name);
    }

    Fields object(String name) {
      return new Fields(asObject(map.get(name)));
    }

    List<Fields> objects(String name) {
      return list(name).stream().map(each -> new Fields(asObject(each))).toList();
    }
  }
}
