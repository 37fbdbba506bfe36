package org.fmi.testkit.turns;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Decides whether a test runs in this build. The property {@code fmi.tests.wide} marks a wide
 * build, and {@code fmi.tests.part} its part: {@code K/N}, the Kth of N, counted from 0. Tests are
 * assigned to parts by their names, so that a new test moves no other one.
 */
public final class Turn implements ExecutionCondition {
  private static final String INVOCATION = "[test-template-invocation:#";

  private final boolean wide;
  private final int part;
  private final int parts;

  /** Creates the condition from the build's properties. */
  public Turn() {
    this(Boolean.getBoolean("fmi.tests.wide"), System.getProperty("fmi.tests.part", "0/1"));
  }

  Turn(boolean wide, String part) {
    String[] words = part.split("/", 2);
    this.wide = wide;
    this.part = Integer.parseInt(words[0]);
    this.parts = words.length == 1 ? 0 : Integer.parseInt(words[1]);
    if (this.part < 0 || this.part >= parts) {
      throw new IllegalArgumentException(
          "fmi.tests.part=" + part + " is no part: use K/N, with K from 0 to N - 1");
    }
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String id = context.getUniqueId();
    boolean ofMany = id.contains("[test-template:");
    if (context.getTestMethod().isEmpty() || (ofMany && !id.contains(INVOCATION))) {
      return ConditionEvaluationResult.enabled("its tests are asked one by one");
    }
    boolean always = context.getTags().contains(Variants.TAG) && id.endsWith(INVOCATION + "1]");
    return isMade(always, id)
        ? ConditionEvaluationResult.enabled("its turn")
        : ConditionEvaluationResult.disabled("not its turn");
  }

  /**
   * Whether a test runs in this build.
   *
   * @param always whether each build that is not wide runs it; wide builds run the remaining tests
   * @param name the test's name, by which it is assigned to a part of a wide build
   */
  public boolean isMade(boolean always, String name) {
    return wide ? !always && Math.floorMod(name.hashCode(), parts) == part : always;
  }
}
