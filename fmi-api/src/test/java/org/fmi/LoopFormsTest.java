package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** The forms of a loop are told apart by their names and types alone. */
class LoopFormsTest {

  /** Compiled with this class: a body may be a variable. */
  static void loops(Fmi fmi, LoopBody body, ConvergingBody converging, double[] u) {
    fmi.loop(10, body, u);
    fmi.loopWhile(10, converging, u);
    while (fmi.nextIteration(u) < 10) {
      u[0]++;
    }
    fmi.endLoop();
  }

  @Test
  void aBodyMayBeAVariable() {
    assertThat(compile("LoopBody b = n -> u[0]++; fmi.loop(10, b, u);")).isEmpty();
  }

  @Test
  void aLoopWithoutABodyDoesNotCompile() {
    assertThat(compile("fmi.loop(1000, u);")).contains("fmi.loop(1000, u);");
    assertThat(compile("fmi.loop(u);")).contains("fmi.loop(u);");
  }

  /** What the compiler reports of statements of a program. */
  private static String compile(String statements) {
    String source =
        "import org.fmi.*; class Program { void run(Fmi fmi, double[] u) { " + statements + " } }";
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter errors = new StringWriter();
    compiler
        .getTask(
            errors,
            null,
            null,
            List.of(
                "-proc:none",
                "-implicit:none",
                "-d",
                System.getProperty("java.io.tmpdir"),
                "-cp",
                System.getProperty("java.class.path")),
            null,
            List.of(file))
        .call();
    return errors.toString();
  }
}
