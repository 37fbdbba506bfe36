package org.fmi.codec;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.lang.model.element.TypeElement;
import org.fmi.codec.Schema.Coded;
import org.fmi.codec.Schema.Component;
import org.fmi.codec.Schema.Struct;

/** Generates the source of one codec. */
final class CodecSource {
  private static final String GENERATED = "@Generated(\"" + WireProcessor.class.getName() + "\")\n";

  /** The longest call on one line. */
  private static final int FITS = 80;

  private final String inPackage;
  private final TreeSet<String> imports = new TreeSet<>();
  private final StringBuilder body = new StringBuilder();

  private CodecSource(String inPackage) {
    this.inPackage = inPackage;
    imports.add("javax.annotation.processing.Generated");
  }

  /**
   * The codec of a sealed interface or record.
   *
   * @param root whether it is the codec of whole messages
   */
  static String of(Coded coded, boolean root, String inPackage) {
    CodecSource source = new CodecSource(inPackage);
    source.codec(coded, root);
    return source.text();
  }

  /** The source of the class with the version of all messages. */
  static String ofVersion(int version, String inPackage) {
    CodecSource source = new CodecSource(inPackage);
    source
        .line("/** The version of all messages: a digest of the records that they are. */")
        .append(GENERATED)
        .append("final class WireVersion {\n");
    source.line("  static final int VALUE = 0x%08x;".formatted(version));
    source.line("");
    source.line("  private WireVersion() {}");
    source.line("}");
    return source.text();
  }

  private StringBuilder line(String text) {
    return body.append(text).append('\n');
  }

  private String text() {
    StringBuilder text = new StringBuilder("package " + inPackage + ";\n\n");
    imports.forEach(each -> text.append("import ").append(each).append(";\n"));
    return text.append('\n').append(body).toString();
  }

  /** The name of a type in the source, after importing it. */
  private String use(TypeElement type) {
    String outermost = Schema.name(Schema.outermost(type));
    if (!outermost.equals(inPackage + "." + Schema.outermost(type).getSimpleName())) {
      imports.add(outermost);
    }
    return Schema.nestedName(type);
  }

  private void codec(Coded coded, boolean root) {
    String type = use(coded.type());
    String name = Schema.codecName(coded.type());
    line("/** Writes and reads {@link " + type + "}. */").append(GENERATED);
    line((root ? "public " : "") + "final class " + name + " {");
    line("  private " + name + "() {}");
    if (root) {
      whole(type, name);
    }
    line("");
    line("  static void put(MessageWriter out, " + type + " value) {");
    if (coded.sealed()) {
      putCases(coded.cases());
    } else {
      coded.cases().values().forEach(each -> put(each, "value", "    "));
    }
    line("  }");
    line("");
    line("  static " + type + " get(MessageReader in) throws BadMessageException {");
    if (coded.sealed()) {
      getCases(coded.cases(), type);
    } else {
      coded.cases().values().forEach(each -> line("    return " + get(each, "        ") + ";"));
    }
    line("  }");
    line("}");
  }

  private void whole(String type, String name) {
    imports.add("java.nio.ByteBuffer");
    line("");
    line("  public static byte[] encode(" + type + " message) {");
    line("    MessageWriter out = new MessageWriter();");
    line("    put(out, message);");
    line("    return out.toBytes();");
    line("  }");
    line("");
    line("  /**");
    line("   * @throws BadMessageException if the bytes are no such message");
    line("   */");
    line("  public static " + type + " decode(ByteBuffer bytes) throws BadMessageException {");
    line("    return new MessageReader(bytes).whole(" + name + "::get);");
    line("  }");
  }

  private void putCases(Map<Integer, Struct> cases) {
    line("    switch (value) {");
    cases.forEach(
        (tag, each) -> {
          if (each.components().isEmpty()) {
            line("      case " + use(each.type()) + " _ -> out.putByte(" + tag + ");");
          } else {
            line("      case " + use(each.type()) + " m -> {");
            line("        out.putByte(" + tag + ");");
            put(each, "m", "        ");
            line("      }");
          }
        });
    line("    }");
  }

  private void getCases(Map<Integer, Struct> cases, String type) {
    line("    int tag = in.getByte();");
    line("    return switch (tag) {");
    cases.forEach(
        (tag, each) -> line("      case " + tag + " -> " + get(each, "          ") + ";"));
    line("      default -> throw in.unknownTag(\"" + type + "\", tag);");
    line("    };");
  }

  private void put(Struct struct, String variable, String indent) {
    for (Component each : struct.components()) {
      line(indent + put(each.form(), "out", variable + "." + each.name() + "()") + ";");
    }
  }

  private String get(Struct struct, String indent) {
    List<String> values = struct.components().stream().map(each -> get(each.form(), "in")).toList();
    String whole = "new " + use(struct.type()) + "(" + String.join(", ", values) + ")";
    return whole.length() <= FITS
        ? whole
        : "new " + use(struct.type()) + "(\n" + indent + String.join(",\n" + indent, values) + ")";
  }

  // ---- components

  private String put(Form form, String out, String value) {
    return switch (form) {
      case Form.Basic f -> out + ".put" + f.name() + "(" + value + ")";
      case Form.Constant _ -> out + ".putEnum(" + value + ")";
      case Form.Part f -> f.codec() + ".put(" + out + ", " + value + ")";
      case Form.ListOf f -> out + ".putList(" + value + ", " + putter(f.element(), out) + ")";
      case Form.MapOf f ->
          out
              + ".putMap("
              + value
              + ", "
              + putter(f.key(), out)
              + ", "
              + putter(f.value(), out)
              + ")";
      case Form.OrNull f -> out + ".putNullable(" + value + ", " + putter(f.form(), out) + ")";
    };
  }

  /**
   * A function that writes one value to {@code out}; nested functions have distinct parameter
   * names.
   */
  private String putter(Form form, String out) {
    return switch (form) {
      case Form.Basic f -> "MessageWriter::put" + f.name();
      case Form.Constant _ -> "MessageWriter::putEnum";
      case Form.Part f -> f.codec() + "::put";
      case Form.ListOf _, Form.MapOf _, Form.OrNull _ ->
          "(" + out + "2, v" + out + ") -> " + put(form, out + "2", "v" + out);
    };
  }

  private String get(Form form, String in) {
    return switch (form) {
      case Form.Basic f -> in + ".get" + f.name() + "()";
      case Form.Constant f -> in + ".getEnum(" + use(f.type()) + ".class)";
      case Form.Part f -> f.codec() + ".get(" + in + ")";
      case Form.ListOf f -> in + ".getList(" + getter(f.element(), in) + ")";
      case Form.MapOf f ->
          in + ".getMap(" + getter(f.key(), in) + ", " + getter(f.value(), in) + ")";
      case Form.OrNull f -> in + ".getNullable(" + getter(f.form(), in) + ")";
    };
  }

  private String getter(Form form, String in) {
    return switch (form) {
      case Form.Basic f -> "MessageReader::get" + f.name();
      case Form.Part f -> f.codec() + "::get";
      case Form.Constant _, Form.ListOf _, Form.MapOf _, Form.OrNull _ ->
          in + "2 -> " + get(form, in + "2");
    };
  }
}
