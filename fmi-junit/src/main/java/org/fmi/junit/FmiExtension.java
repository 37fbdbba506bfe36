package org.fmi.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.Fmi;
import org.fmi.jobsim.SimulatedJob;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** Turns each number of ranks of an {@link FmiTest} into a job, and rejects invalid tests. */
final class FmiExtension implements TestTemplateInvocationContextProvider, BeforeEachCallback {
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return context.getRequiredTestMethod().isAnnotationPresent(FmiTest.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    Method method = context.getRequiredTestMethod();
    FmiTest test = method.getAnnotation(FmiTest.class);
    Seed seed = method.getAnnotation(Seed.class);
    List<KillRank> kills = AnnotationSupport.findRepeatableAnnotations(method, KillRank.class);
    require(
        Arrays.asList(method.getParameterTypes()).contains(Fmi.class),
        method,
        "has no parameter of type org.fmi.Fmi, which its ranks need to communicate");
    require(test.ranks().length > 0, method, "has no value for ranks");
    for (int ranks : test.ranks()) {
      require(ranks >= 1, method, "has ranks = " + ranks + ": a job has at least one");
      for (KillRank kill : kills) {
        require(
            kill.rank() >= 0 && kill.rank() < ranks,
            method,
            "kills rank " + kill.rank() + " in a job of " + ranks + ": ranks count from 0");
        require(
            kill.iteration() >= 0 || kill.iteration() == KillRank.AFTER_LOOP,
            method,
            "kills in iteration " + kill.iteration() + ": iterations count from 0");
      }
    }
    List<SimulatedJob.Kill> deaths =
        kills.stream().map(k -> new SimulatedJob.Kill(k.rank(), k.iteration())).toList();
    return Arrays.stream(test.ranks())
        .mapToObj(
            ranks ->
                new Ranks(
                    ranks, deaths, seed == null ? Seeds.fresh() : seed.value(), test.abortsWith()));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Method method = context.getRequiredTestMethod();
    require(
        method.isAnnotationPresent(FmiTest.class),
        method,
        "has @KillRank or @Seed, but no @FmiTest");
    require(
        Arrays.stream(method.getAnnotations()).filter(FmiExtension::makesATest).count() == 1,
        method,
        "has two annotations that make it a test: @FmiTest is enough");
  }

  private static boolean makesATest(Annotation annotation) {
    return AnnotationSupport.isAnnotated(annotation.annotationType(), Testable.class);
  }

  private static void require(boolean right, Method method, String otherwise) {
    if (!right) {
      String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
      throw new ExtensionConfigurationException(name + " " + otherwise);
    }
  }
}
