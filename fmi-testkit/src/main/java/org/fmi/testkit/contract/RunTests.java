package org.fmi.testkit.contract;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs a package's tests that need an RDMA device, where there is no Maven. Arguments: the package,
 * and a pattern for the names of the classes to run (default: all).
 */
public final class RunTests {
  private RunTests() {}

  public static void main(String[] args) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectPackage(args[0]))
            .filters(
                TagFilter.includeTags("rdma"),
                ClassNameFilter.includeClassNamePatterns(args.length > 1 ? args[1] : ".*"))
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
