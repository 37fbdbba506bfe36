package org.fmi.testkit.turns;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Whether it is a test's turn. The property {@code fmi.tests.wide} tells a wide build, and {@code
 * fmi.tests.part} which part of it: {@code K/N}, the Kth of N, counted from 0; by their names, so
 * that a new test moves no other one.
 */
public final class Turn implements ExecutionCondition {
  private static final String INVOCATION = "[test-template-invocation:#";

  private final boolean wide;
  private final int part;
  private final int parts;

  /** As the build's properties tell. */
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
   * Whether it is made now.
   *
   * @param always whether each build makes it that is not wide; wide ones make the others
   * @param name by which the parts of a wide build share these
   */
  public boolean isMade(boolean always, String name) {
    return wide ? !always && Math.floorMod(name.hashCode(), parts) == part : always;
  }
}
