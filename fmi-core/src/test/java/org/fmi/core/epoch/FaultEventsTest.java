package org.fmi.core.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.fmi.FaultEvent;
import org.fmi.FaultEvent.CheckpointDone;
import org.fmi.FaultEvent.CheckpointDue;
import org.fmi.FaultEvent.Failed;
import org.fmi.FaultEvent.FalsePositive;
import org.fmi.FaultEvent.Recovered;
import org.fmi.Fmi;
import org.fmi.ProcessState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What listeners see, and the states of ranks. */
final class FaultEventsTest {
  private final List<String> reported = Collections.synchronizedList(new ArrayList<>());
  private final FaultEvents events = new FaultEvents(0, 4, reported::add);
  private final List<Thread> threads = new ArrayList<>();

  /** The listeners have seen all events once their thread has ended. */
  @AfterEach
  void allIsSeen() throws InterruptedException {
    events.close();
    for (Thread each : threads) {
      each.join();
    }
  }

  private List<FaultEvent> listened() {
    List<FaultEvent> seen = Collections.synchronizedList(new ArrayList<>());
    Fmi.Listening _ = events.listen(seen::add, threads::add);
    return seen;
  }

  @Test
  void aFailureIsToldOnceUntilAllRunAgain() throws InterruptedException {
    List<FaultEvent> seen = listened();
    events.suspected(0, 2, 1, true);
    assertThat(events.state(2)).isEqualTo(ProcessState.SUSPECTED);
    events.suspected(0, 2, 0, true);
    events.dead(0, 2);
    assertThat(events.state(2)).isEqualTo(ProcessState.DEAD);
    events.dead(0, 3);
    events.running(1, 40);
    assertThat(events.state(2)).isEqualTo(ProcessState.ALIVE);
    events.suspected(1, 2, 0, true);
    allIsSeen();
    assertThat(seen)
        .containsExactly(
            new Failed(2, "detector", 1),
            new Failed(3, "fmirun", Failed.TOLD),
            new Recovered(1, 40),
            new Failed(2, "detector", 0));
  }

  /** A failure in the epoch that a rank is about to run in is not forgotten as it begins to run. */
  @Test
  void aNewFailureOutlivesTheRecoveryFromAnOldOne() {
    events.dead(0, 1);
    events.suspected(1, 3, 0, true);
    events.running(1, 10);
    assertThat(events.state(1)).isEqualTo(ProcessState.ALIVE);
    assertThat(events.state(3)).isEqualTo(ProcessState.SUSPECTED);
  }

  @Test
  void anAccusationIsTakenBackUntilTheRankIsDead() throws InterruptedException {
    List<FaultEvent> seen = listened();
    events.suspected(0, 1, 0, true);
    events.alive(1);
    assertThat(events.state(1)).isEqualTo(ProcessState.ALIVE);
    events.dead(0, 1);
    events.alive(1);
    assertThat(events.state(1)).isEqualTo(ProcessState.DEAD);
    allIsSeen();
    assertThat(seen)
        .containsExactly(
            new Failed(1, "detector", 0),
            new FalsePositive(1),
            new Failed(1, "fmirun", Failed.TOLD));
  }

  @Test
  void theFirstStartIsNoRecovery() throws InterruptedException {
    List<FaultEvent> seen = listened();
    events.running(0, -1);
    allIsSeen();
    assertThat(seen).isEmpty();
  }

  @Test
  void eachListenerSeesWhatComesWhileItIsRegistered() throws InterruptedException {
    List<FaultEvent> all = listened();
    events.checkpointDue(0);
    List<FaultEvent> later = Collections.synchronizedList(new ArrayList<>());
    Fmi.Listening listening = events.listen(later::add, threads::add);
    events.checkpointDone(0);
    listening.close();
    events.checkpointDue(10);
    allIsSeen();
    assertThat(threads).hasSize(1);
    assertThat(all)
        .containsExactly(new CheckpointDue(0), new CheckpointDone(0), new CheckpointDue(10));
    assertThat(later).containsExactly(new CheckpointDone(0));
  }

  /** The events wait for a slow listener; whoever publishes them does not. */
  @Test
  void eventsKeepTheirOrderBehindASlowListener() throws InterruptedException {
    CountDownLatch open = new CountDownLatch(1);
    LinkedBlockingQueue<FaultEvent> seen = new LinkedBlockingQueue<>();
    Fmi.Listening _ =
        events.listen(
            event -> {
              try {
                open.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              seen.add(event);
            },
            threads::add);
    events.checkpointDue(1);
    events.checkpointDone(2);
    events.checkpointDue(3);
    assertThat(seen).isEmpty();
    open.countDown();
    assertThat(seen.take()).isEqualTo(new CheckpointDue(1));
    assertThat(seen.take()).isEqualTo(new CheckpointDone(2));
    assertThat(seen.take()).isEqualTo(new CheckpointDue(3));
  }

  @Test
  void aListenerThatThrowsIsReportedOnceAndStopsNobody() throws InterruptedException {
    List<FaultEvent> thrown = Collections.synchronizedList(new ArrayList<>());
    Fmi.Listening _ =
        events.listen(
            event -> {
              thrown.add(event);
              throw new IllegalArgumentException("no idea");
            },
            threads::add);
    List<FaultEvent> seen = listened();
    events.checkpointDue(1);
    events.checkpointDue(2);
    allIsSeen();
    assertThat(seen).containsExactly(new CheckpointDue(1), new CheckpointDue(2));
    assertThat(thrown).isEqualTo(seen);
    assertThat(reported).hasSize(1);
    assertThat(reported.getFirst())
        .contains("a listener of rank 0 has thrown java.lang.IllegalArgumentException: no idea")
        .contains("CheckpointDue[iteration=1]");
  }
}
