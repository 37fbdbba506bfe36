package org.fmi.testkit.support;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.DiscoverySelectorIdentifier;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs tests without Maven. Arguments: a JUnit tag expression for the tests to run, and JUnit
 * selectors: {@code package:org.fmi.logring}, {@code class:org.fmi.run.e2e.RecoveryIT}, {@code
 * iteration:method:...[0..19]}.
 */
public final class RunTests {
  private RunTests() {}

  public static void main(String[] args) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(args).skip(1).map(RunTests::selector).toList())
            .filters(TagFilter.includeTags(args[0]))
            .build();
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, summary, new Progress());
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    summary.getSummary().printFailuresTo(out, 100);
    long run = summary.getSummary().getTestsStartedCount();
    long failed = summary.getSummary().getTotalFailureCount();
    out.println("tests: " + run + ", failed: " + failed);
    System.exit(run > 0 && failed == 0 ? 0 : 1);
  }

  private static DiscoverySelector selector(String text) {
    return DiscoverySelectors.parse(DiscoverySelectorIdentifier.parse(text)).orElseThrow();
  }

  private static final class Progress implements TestExecutionListener {
    private long begin;

    @Override
    public void executionStarted(TestIdentifier test) {
      begin = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
        System.out.printf(
            "%-10s %6d ms  %s%n",
            result.getStatus(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
            test.getDisplayName());
      }
    }
  }
}
