package org.fmi.examples;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Takes what a test's ranks print to standard output. */
public final class Console implements BeforeEachCallback, AfterEachCallback {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream before = System.out;

  @Override
  public void beforeEach(ExtensionContext context) {
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    System.setOut(before);
  }

  /** All that was printed so far. */
  public String text() {
    return printed.toString(StandardCharsets.UTF_8);
  }
}
