package org.fmi.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.Fmi;
import org.fmi.Op;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.opentest4j.AssertionFailedError;

/**
 * The results of {@link FmiTest} for the methods of {@link Sample}, and its messages for failing
 * ones.
 */
final class FmiTestTest {
  private static Events run(String name) {
    Method method =
        Arrays.stream(Sample.class.getDeclaredMethods())
            .filter(m -> m.getName().equals(name))
            .findFirst()
            .orElseThrow();
    return EngineTestKit.engine("junit-jupiter")
        .selectors(DiscoverySelectors.selectMethod(Sample.class, method))
        .execute()
        .allEvents();
  }

  private static void passes(String name, int tests) {
    run(name).assertStatistics(s -> s.failed(0).aborted(0));
    assertThat(run(name).succeeded().filter(e -> e.getTestDescriptor().isTest())).hasSize(tests);
  }

  private static Throwable failure(String name) {
    List<Throwable> thrown =
        run(name)
            .failed()
            .map(e -> e.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow())
            .toList();
    assertThat(thrown).as(name).isNotEmpty();
    return thrown.getFirst();
  }

  private static void fails(String name, String... lines) {
    assertThat(failure(name)).as(name).hasMessageMatching(String.join("\n  ", lines));
  }

  private static String again(int ranks) {
    return "in a job of " + ranks + " ranks; again: @Seed\\(\\d+L\\)";
  }

  // ---- jobs that succeed

  @FmiTest(ranks = 4)
  void aRankGetsItsOwnFmi(Fmi fmi) {
    assertThat(fmi.world().size()).isEqualTo(4);
    long[] ranks = new long[4];
    fmi.world().allGather(new long[] {fmi.world().rank()}, ranks);
    assertThat(ranks).containsExactly(0, 1, 2, 3);
  }

  @FmiTest(ranks = 4)
  void undisturbed(Fmi fmi) {
    assertThat(Sample.sum(fmi, 100)).isEqualTo(Sample.sumOf(4, 100));
    assertThat(fmi.epoch()).isZero();
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 55)
  void aKilledRankIsReplacedAndTheAnswerIsTheSame(Fmi fmi) {
    assertThat(Sample.sum(fmi, 100)).isEqualTo(Sample.sumOf(4, 100));
    assertThat(fmi.epoch()).isEqualTo(1);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 15)
  @KillRank(rank = 2, iteration = KillRank.AFTER_LOOP)
  void aLoopThatEndsByItselfEndsAtTheSameIteration(Fmi fmi) {
    long[] sum = new long[1];
    long done =
        fmi.loopWhile(
            100,
            n -> {
              long[] each = {fmi.world().rank()};
              fmi.world().allReduce(each, Op.SUM);
              sum[0] += each[0];
              return sum[0] < 60;
            },
            sum);
    fmi.world().barrier();
    assertThat(done).isEqualTo(20);
    assertThat(sum[0]).isEqualTo(60);
    assertThat(fmi.epoch()).isEqualTo(2);
  }

  @FmiTest(ranks = {1, 3})
  @KillRank(rank = 0, iteration = 0)
  @KillRank(rank = 0, iteration = 99)
  void theFirstAndTheLastIterationAreSurvived(Fmi fmi) {
    assertThat(Sample.sum(fmi, 100)).isEqualTo(Sample.sumOf(fmi.world().size(), 100));
    assertThat(fmi.epoch()).isEqualTo(2);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = KillRank.AFTER_LOOP)
  void aLoopThatHasEndedIsNotRepeated(Fmi fmi) {
    long sum = Sample.sum(fmi, 9);
    fmi.world().barrier();
    assertThat(sum).isEqualTo(Sample.sumOf(3, 9));
    assertThat(fmi.epoch()).isEqualTo(1);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 0, iteration = 5)
  @KillRank(rank = 1, iteration = 5)
  @KillRank(rank = 2, iteration = 5)
  void allRanksMayDieInOneIteration(Fmi fmi) {
    assertThat(Sample.sum(fmi, 7)).isEqualTo(Sample.sumOf(3, 7));
  }

  @Test
  void eachNumberOfRanksIsATest() {
    passes("runsOnOneToThree", 3);
  }

  @Test
  void otherParametersAreResolvedAsInAnyTest() {
    passes("hasOtherParameters", 1);
  }

  @Test
  void aProgramMayCloseItsFmi() {
    passes("closes", 1);
  }

  @Test
  void anAbortThatIsExpectedPasses() {
    passes("abortsAsExpected", 1);
  }

  @Test
  void anAssumptionAborts() {
    run("assumesWhatIsNotSo").assertStatistics(s -> s.aborted(1).failed(0));
  }

  // ---- jobs that fail

  @Test
  void aFailureNamesRankAndSeed() {
    fails("assertsWrongly", "rank 2: expected: <5> but was: <3>", again(3));
    assertThat(failure("assertsWrongly"))
        .hasMessageEndingWith("@Seed(7L)")
        .isInstanceOfSatisfying(
            AssertionFailedError.class,
            e -> assertThat(e.getExpected().getEphemeralValue()).isEqualTo(5))
        .cause()
        .isInstanceOf(AssertionFailedError.class);
    fails("throwsOnOneRank", "rank 1: java.lang.IllegalArgumentException: no such plate", again(2));
    fails(
        "throwsInALoop",
        "rank \\d: java.lang.IllegalStateException: iteration 0 failed: java.io.IOException: no"
            + " file",
        again(2));
  }

  @Test
  void aSeedRepeatsTheOrderOfEvents() {
    Sample.SEEN.clear();
    passes("records", 1);
    int half = Sample.SEEN.size() / 2;
    assertThat(half).isEqualTo(40);
    assertThat(Sample.SEEN.subList(0, half)).isEqualTo(Sample.SEEN.subList(half, 2 * half));
  }

  @Test
  void aFreshSeedIsDrawnEachTime() {
    Matcher first = Pattern.compile("@Seed.*").matcher(failure("throwsOnOneRank").toString());
    Matcher second = Pattern.compile("@Seed.*").matcher(failure("throwsOnOneRank").toString());
    assertThat(first.find() && second.find()).isTrue();
    assertThat(first.group()).isNotEqualTo(second.group());
  }

  @Test
  void failsIfTheKillNeverHappened() {
    fails(
        "endsTooEarlyToBeKilled",
        "rank 1 never began iteration 10 of a loop, where it should have been killed",
        again(3));
    fails(
        "doesNothingAfterItsLoop",
        "rank 0 never communicated after a loop, where it should have been killed",
        again(2));
  }

  @Test
  void aCollectiveThatARankSkipsFails() {
    fails(
        "skipsACollective",
        "rank 1: org.fmi.FmiException: MISMATCH: rank 0 calls bcast\\(long\\[1\\], root 0\\) in"
            + " iteration 5 of loop 0 where rank 1 calls it in iteration 6: .*",
        again(2));
  }

  @Test
  void aStateThatIsNotCompleteFails() {
    fails("hasIncompleteState", "rank \\d: expected: <36> but was: <\\d+>", again(2));
  }

  /** Without a death and without an assertion. */
  @Test
  void failsIfIterationsChangeMoreThanTheState() {
    fails(
        "addsUpWhatIsNoState",
        "the job ended with status 1: --check: rank 0 changes data that is not state of the loop"
            + " when iterations are repeated from a checkpoint, up to iteration 1: forgotten, a"
            + " long\\[\\], element 0: 1 the first time, 2 when repeated; .*",
        again(1));
  }

  @Test
  void aJobThatHangsSaysWhatRanksWaitFor() {
    String at = ", called at org.fmi.junit.Sample.waitsForAMissingMessage\\(Sample.java:\\d+\\)";
    fails(
        "waitsForAMissingMessage",
        "the job hangs: not finished after \\d+ ms of virtual time",
        "rank 0 waits in recv" + at,
        "rank 1 waits in recv" + at,
        "rank 2 has completed its part",
        again(3));
  }

  @Test
  void anAbortFailsUnlessItIsExpected() {
    fails("aborts", "the job ended with status 3: rank 1 called abort\\(3\\)", again(2));
    fails(
        "abortsOtherwise",
        "the job ended with status 3: rank 0 called abort\\(3\\), but should have ended by"
            + " abort\\(2\\)",
        again(1));
    fails("doesNotAbort", "the job succeeded, but should have ended by abort\\(2\\)", again(2));
  }

  @Test
  void initIsRefusedInARank() {
    fails(
        "callsInit",
        "rank 0: java.lang.IllegalStateException: Fmi.init was called in an @FmiTest, .*",
        ".*");
  }

  // ---- misuse

  @Test
  void refusesImpossibleJobs() {
    fails("hasNoRanks", "Sample.hasNoRanks has ranks = 0: a job has at least one");
    fails("hasNoNumber", "Sample.hasNoNumber has no value for ranks");
    fails(
        "hasNoFmi",
        "Sample.hasNoFmi has no parameter of type org.fmi.Fmi, which its ranks need to"
            + " communicate");
    fails("killsNoRank", "Sample.killsNoRank kills rank 2 in a job of 2: ranks count from 0");
    fails("killsNever", "Sample.killsNever kills in iteration -2: iterations count from 0");
    fails("hasTooManyParameters", "No ParameterResolver registered for parameter .*String.*");
  }

  @Test
  void annotationsOutOfPlaceAreRefused() {
    fails("isNoFmiTest", "Sample.isNoFmiTest has @KillRank or @Seed, but no @FmiTest");
    fails("isKilledTwice", "Sample.isKilledTwice has @KillRank or @Seed, but no @FmiTest");
    fails("isRepeated", "Sample.isRepeated has @KillRank or @Seed, but no @FmiTest");
    fails(
        "isTwoTests",
        "Sample.isTwoTests has two annotations that make it a test: @FmiTest is enough");
  }
}
