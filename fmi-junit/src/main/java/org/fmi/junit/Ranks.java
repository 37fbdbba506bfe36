package org.fmi.junit;

import java.lang.reflect.Method;
import java.util.List;
import org.fmi.Fmi;
import org.fmi.jobsim.SimulatedJob;
import org.fmi.jobsim.SimulatedJob.Ending;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** A job: runs the test's method on all ranks, and fails if one of them fails. */
record Ranks(int size, List<SimulatedJob.Kill> kills, long seed, int abortsWith)
    implements TestTemplateInvocationContext, ParameterResolver, InvocationInterceptor {

  @Override
  public String getDisplayName(int invocationIndex) {
    return "ranks = " + size;
  }

  @Override
  public List<Extension> getAdditionalExtensions() {
    return List.of(this);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Fmi.class;
  }

  /** Resolves the parameter to null; each rank gets its own value later. */
  @Override
  public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return null;
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> called,
      ExtensionContext context) {
    invocation.skip();
    Method method = called.getExecutable();
    Object test = context.getRequiredTestInstance();
    ClassLoader loader = new RankLoader(Thread.currentThread().getContextClassLoader());
    SimulatedJob job =
        new SimulatedJob(
            seed,
            size,
            kills,
            fmi -> {
              Thread.currentThread().setContextClassLoader(loader);
              ReflectionSupport.invokeMethod(
                  method, test, arguments(method, called.getArguments(), fmi));
            });
    Ending ending = job.run();
    List<String> skipped = job.skippedCollectives();
    if (!skipped.isEmpty()) {
      // The skipped call is the cause of anything that followed.
      throw failed(
          skipped.getFirst(), ending instanceof Ending.Threw threw ? threw.thrown() : null);
    }
    judge(ending);
  }

  private static @Nullable Object[] arguments(Method method, List<Object> resolved, Fmi fmi) {
    @Nullable Object[] arguments = resolved.toArray();
    for (int i = 0; i < arguments.length; i++) {
      if (method.getParameterTypes()[i] == Fmi.class) {
        arguments[i] = fmi;
      }
    }
    return arguments;
  }

  private void judge(Ending ending) {
    switch (ending) {
      case Ending.Threw e -> {
        if (e.thrown() instanceof TestAbortedException assumption) {
          throw assumption;
        }
        boolean asserted = e.thrown() instanceof AssertionError && e.thrown().getMessage() != null;
        throw failed(
            "rank " + e.rank() + ": " + (asserted ? e.thrown().getMessage() : e.thrown()),
            e.thrown());
      }
      case Ending.Stuck e -> throw failed(e.reason() + waits(e.waits()), e.failure());
      case Ending.Ended e -> judge(e);
    }
  }

  private void judge(Ending.Ended ended) {
    if (ended.status() != abortsWith) {
      String how =
          ended.status() == 0
              ? "the job succeeded"
              : "the job ended with status " + ended.status() + ": " + ended.message();
      throw failed(
          abortsWith == 0 ? how : how + ", but should have ended by abort(" + abortsWith + ")",
          null);
    }
    for (SimulatedJob.Kill kill : ended.left()) {
      String place =
          kill.iteration() == KillRank.AFTER_LOOP
              ? "communicated after a loop"
              : "began iteration " + kill.iteration() + " of a loop";
      throw failed(
          "rank " + kill.rank() + " never " + place + ", where it should have been killed", null);
    }
  }

  private static String waits(List<String> waits) {
    return waits.isEmpty() ? "" : "\n  " + String.join("\n  ", waits);
  }

  private AssertionFailedError failed(String what, @Nullable Throwable cause) {
    String text = what + "\n  in a job of " + size + " ranks; again: @Seed(" + seed + "L)";
    return cause instanceof AssertionFailedError e && e.isExpectedDefined() && e.isActualDefined()
        ? new AssertionFailedError(text, e.getExpected(), e.getActual(), e)
        : new AssertionFailedError(text, cause);
  }
}
