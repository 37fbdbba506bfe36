package org.fmi.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The generated code itself is tested with its messages. */
final class WireProcessorTest {
  @TempDir private Path generated;

  /** The compiler's errors for a root {@code M} with these records. */
  private List<String> errors(String records) {
    String source =
        "package p; import java.util.*; import org.fmi.codec.*; @Wire sealed interface M {"
            + records
            + "} class MessageWriter {} class MessageReader {}"
            + "class BadMessageException extends Exception {}";
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///p/M.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public String getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    List<String> options =
        List.of(
            "-proc:only", "-cp", System.getProperty("java.class.path"), "-s", generated.toString());
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    JavaCompiler.CompilationTask task =
        ToolProvider.getSystemJavaCompiler()
            .getTask(null, null, found, options, null, List.of(file));
    task.setProcessors(List.of(new WireProcessor()));
    boolean _ = task.call();
    List<String> errors = new ArrayList<>();
    found.getDiagnostics().stream()
        .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
        .forEach(each -> errors.add(each.getMessage(Locale.ROOT)));
    return errors;
  }

  private String text(String name) throws IOException {
    return Files.readString(generated.resolve("p/" + name + ".java"));
  }

  private String version(String records) throws IOException {
    assertThat(errors(records)).isEmpty();
    return text("WireVersion");
  }

  @Test
  void eachRecordHasATag() {
    assertThat(errors("record A() implements M {} @Tag(1) record B() implements M {}"))
        .containsExactly("p.M.A has no @Tag, as one of p.M");
  }

  @Test
  void noTwoHaveTheSame() {
    assertThat(errors("@Tag(1) record A() implements M {} @Tag(1) record B() implements M {}"))
        .containsExactly("p.M.B has the tag 1 of p.M.A");
    assertThat(
            errors(
                "@Tag(1) record A() implements M {}"
                    + "sealed interface N extends M {} @Tag(1) record B() implements N {}"))
        .containsExactly("p.M.B has the tag 1 of p.M.A");
  }

  @Test
  void aTagIsAByte() {
    assertThat(errors("@Tag(256) record A() implements M {}"))
        .containsExactly("the tag of p.M.A is not between 1 and 255");
  }

  @Test
  void namesWhatCannotBeWritten() {
    assertThat(errors("@Tag(1) record A(List<Date> days) implements M {}"))
        .containsExactly(
            "p.M.A.days cannot be written: there is no codec for java.util.List<java.util.Date>");
  }

  @Test
  void partsHaveCodecsToo() throws IOException {
    assertThat(
            errors(
                "@Tag(1) record A(List<Part> parts, Map<Kind, List<long[]>> byKind) implements M {}"
                    + "record Part(String text) {} enum Kind { X, Y }"))
        .isEmpty();
    assertThat(text("MCodec"))
        .contains("public final class MCodec")
        .contains("out.putList(m.parts(), MPartCodec::put);")
        .contains("MessageWriter::putEnum, (out2, vout) -> out2.putList(vout, ");
    assertThat(text("MPartCodec")).contains("\nfinal class MPartCodec").contains("in.getString()");
  }

  @Test
  void theVersionIsThatOfTheBytes() throws IOException {
    String version = version("@Tag(1) record A(int i) implements M {}");
    assertThat(version("/** Another comment. */ @Tag(1) record A(int i) implements M {}"))
        .isEqualTo(version);
    for (String other :
        List.of(
            "@Tag(2) record A(int i) implements M {}",
            "@Tag(1) record A(long i) implements M {}",
            "@Tag(1) record A(int i) implements M {} @Tag(2) record B() implements M {}")) {
      assertThat(version(other)).as(other).isNotEqualTo(version);
    }
  }

  @Test
  void theVersionKnowsTheConstantsOfEnums() throws IOException {
    String a = "@Tag(1) record A(Kind kind) implements M {} enum Kind ";
    assertThat(version(a + "{ X, Y }")).isNotEqualTo(version(a + "{ X, Z }"));
  }
}
