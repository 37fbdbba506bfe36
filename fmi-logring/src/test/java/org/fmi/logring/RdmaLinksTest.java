package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.contract.DetectorThreads;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Verbs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rank 0's reactions to its device's reports about the link with rank 1. Needs no device. */
class RdmaLinksTest {
  private static final int EPOCH = 3;
  private static final int TIMEOUT_SECONDS = 60;
  private static final int HEARTBEAT_MILLIS = 1_000_000;
  private static final byte[] SECRET = new byte[32];

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final AtomicLong clock = new AtomicLong();
  private final ScriptedVerbs verbs = new ScriptedVerbs();
  private final Greeting greeting = new Greeting(SECRET, RankConfigs.JOB, EPOCH);
  private final RdmaEndpoint peer =
      new RdmaEndpoint(new byte[RdmaEndpoint.NONCE_BYTES], verbs.address());
  private RdmaLinks links;

  private final RingLinks.Handler handler =
      new RingLinks.Handler() {
        @Override
        public void onOpen(int rank) {
          heard.add("open " + rank);
        }

        @Override
        public boolean onFrame(int rank, ByteBuffer frame) {
          return true;
        }

        @Override
        public void onClosed(int rank, String reason) {
          heard.add("closed " + rank + ": " + reason);
        }

        @Override
        public void onBroken(String reason) {
          heard.add("broken: " + reason);
        }
      };

  @BeforeEach
  void open() throws IOException {
    links = open(verbs, Thread.ofPlatform().daemon().factory());
  }

  private RdmaLinks open(Verbs device, ThreadFactory threads) throws IOException {
    return new RdmaLinks(
        DetectorThreads.config(0, 2, RdmaLinks.NAME, SECRET, HEARTBEAT_MILLIS),
        EPOCH,
        Set.of(1),
        handler,
        device,
        clock::get,
        threads);
  }

  @AfterEach
  void close() {
    links.close();
    assertThat(verbs.closed).isTrue();
  }

  @Test
  void withoutAThreadItIsRefusedAndLeavesNothing() {
    ScriptedVerbs device = new ScriptedVerbs();
    assertThatIOException()
        .isThrownBy(
            () ->
                open(
                    device,
                    task ->
                        new Thread(task) {
                          @Override
                          public void start() {
                            throw new OutOfMemoryError("no more threads");
                          }
                        }))
        .withMessage("fmi-logring: no more threads");
    assertThat(device.closed).isTrue();
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing came");
    }
    return next;
  }

  private void wake() {
    links.execute(() -> {});
  }

  /** Advances a quarter of the heartbeat timeout, and waits until all due work is done. */
  private void beat() throws InterruptedException {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(HEARTBEAT_MILLIS) / 4);
    verbs.rounds.drainPermits();
    for (int i = 0; i < 2; i++) {
      wake();
      assertThat(verbs.rounds.tryAcquire(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void answer(ScriptedVerbs.Dialled dialled) {
    Greeting.Request request = greeting.request(dialled.greeting, peer.nonce());
    if (request == null) {
      throw new AssertionError("not a request");
    }
    dialled.happens(
        Verbs.Event.Kind.ESTABLISHED, greeting.answer(request, Window.FRAMES, peer.nonce()));
    wake();
  }

  private ScriptedVerbs.Dialled connect() throws InterruptedException {
    links.connect(1, peer.bytes());
    ScriptedVerbs.Dialled dialled = next(verbs.dialled);
    answer(dialled);
    assertThat(next(heard)).isEqualTo("open 1");
    return dialled;
  }

  @Test
  void reportsANeighboursEndBeforeADeviceFailure() throws Exception {
    ScriptedVerbs.Dialled link = connect();
    link.happens(Verbs.Event.Kind.DISCONNECTED, new byte[0]);
    wake();
    assertThat(next(heard)).isEqualTo("closed 1: scripted");
    verbs.failure = "removed";
    wake();
    assertThat(next(heard)).isEqualTo("broken: removed");
  }

  /** The device fails: work, an event or an attempt ends with it. */
  @Test
  void aFailedDeviceAccusesNoNeighbour() throws Exception {
    ScriptedVerbs.Dialled link = connect();
    links.send(1, new byte[] {1});
    verbs.failure = "removed";
    verbs.broken.add(link);
    link.happens(Verbs.Event.Kind.DISCONNECTED, new byte[0]);
    wake();
    assertThat(next(heard)).isEqualTo("broken: removed");
    links.close();
    assertThat(heard).allMatch("broken: removed"::equals);
  }

  @Test
  void aFailedDeviceAccusesNoDialledPeer() throws Exception {
    links.connect(1, peer.bytes());
    ScriptedVerbs.Dialled link = next(verbs.dialled);
    verbs.failure = "removed";
    link.happens(Verbs.Event.Kind.REJECTED, new byte[0]);
    wake();
    assertThat(next(heard)).isEqualTo("broken: removed");
    links.close();
    assertThat(heard).allMatch("broken: removed"::equals);
  }

  @Test
  void freesTheResourcesOfARefusingDevice() throws Exception {
    connect();
    verbs.notifies = false;
    wake();
    assertThat(next(heard)).isEqualTo("broken: scripted: no notification");
  }

  @Test
  void aRequestThatIsLostIsMadeAnew() throws Exception {
    links.connect(1, peer.bytes());
    ScriptedVerbs.Dialled first = next(verbs.dialled);
    beat();
    assertThat(verbs.dialled).isEmpty();
    beat();
    ScriptedVerbs.Dialled second = next(verbs.dialled);
    assertThat(first.closed).isTrue();
    assertThat(second.greeting).isNotEqualTo(first.greeting);
    // The events of the first attempt are too late.
    answer(first);
    first.happens(Verbs.Event.Kind.REJECTED, new byte[0]);
    answer(second);
    assertThat(next(heard)).isEqualTo("open 1");
    beat();
    beat();
    assertThat(verbs.dialled).isEmpty();
    assertThat(heard).isEmpty();
  }

  @Test
  void aPeerThatNeverAnswersIsLostAfterTheTimeout() throws Exception {
    links.connect(1, peer.bytes());
    next(verbs.dialled);
    for (int i = 0; i < 5; i++) {
      assertThat(heard).isEmpty();
      beat();
    }
    assertThat(next(heard)).isEqualTo("closed 1: no answer within 1000000 ms");
  }

  /** An attempt that only resolves the route would start over and never get through. */
  @Test
  void doesNotRepeatAnUnsentRequest() throws Exception {
    links.connect(1, peer.bytes());
    ScriptedVerbs.Dialled link = next(verbs.dialled);
    link.asked = false;
    beat();
    beat();
    link.asked = true;
    beat();
    assertThat(verbs.dialled).isEmpty();
    answer(link);
    assertThat(next(heard)).isEqualTo("open 1");
  }

  /** With many ranks the network's manager may need longer than a neighbour's time to answer. */
  @Test
  void aNeighbourIsNotLostBecauseTheWayToItIsFoundLate() throws Exception {
    links.connect(1, peer.bytes());
    ScriptedVerbs.Dialled first = next(verbs.dialled);
    first.asked = false;
    for (int i = 0; i < 6; i++) {
      beat();
    }
    first.happens(Verbs.Event.Kind.UNRESOLVED, new byte[0]);
    wake();
    ScriptedVerbs.Dialled second = next(verbs.dialled);
    beat();
    assertThat(heard).isEmpty();
    answer(second);
    assertThat(next(heard)).isEqualTo("open 1");
  }

  @Test
  void aNeighbourToWhichThereIsNoWayIsLostInTheEnd() throws Exception {
    links.connect(1, peer.bytes());
    for (int i = 0; i < 4; i++) {
      assertThat(heard).isEmpty();
      ScriptedVerbs.Dialled link = next(verbs.dialled);
      link.asked = false;
      link.happens(Verbs.Event.Kind.UNRESOLVED, new byte[0]);
      wake();
    }
    assertThat(next(heard)).isEqualTo("closed 1: scripted");
  }

  @Test
  void dialsAgainAfterARefusal() throws Exception {
    links.connect(1, peer.bytes());
    ScriptedVerbs.Dialled first = next(verbs.dialled);
    first.happens(Verbs.Event.Kind.REJECTED, Greeting.refusal(2));
    wake();
    answer(next(verbs.dialled));
    assertThat(next(heard)).isEqualTo("open 1");
    assertThat(first.closed).isTrue();
  }

  @Test
  void aRefusedPeerMayDialAgain() throws Exception {
    verbs.accepts = false;
    ScriptedVerbs.Dialled theirs = dials(1);
    beat();
    links.close();
    assertThat(Greeting.refused(theirs.refusal)).isEqualTo(2);
    assertThat(heard).isEmpty();
  }

  private ScriptedVerbs.Dialled dials(long nonce) {
    byte[] listener = RdmaEndpoint.of(links.endpoint()).nonce();
    Greeting.Request request = new Greeting.Request(1, 0, Window.FRAMES, nonce);
    ScriptedVerbs.Dialled theirs = verbs.new Dialled(greeting.request(request, listener));
    theirs.happens(Verbs.Event.Kind.REQUEST, theirs.greeting);
    return theirs;
  }

  /** Any process may send requests; the neighbours' time goes on meanwhile. */
  @Test
  void aNeighbourIsLostInTimeDuringAFloodOfRequests() throws Exception {
    links.connect(1, peer.bytes());
    next(verbs.dialled);
    verbs.flood = true;
    try {
      for (int i = 0; i < 5; i++) {
        beat();
      }
      assertThat(next(heard)).isEqualTo("closed 1: no answer within 1000000 ms");
    } finally {
      verbs.flood = false;
    }
  }

  /** A second attempt may cross the answer to the first one, and its end. */
  @Test
  void theLastRequestOfANeighbourCounts() throws Exception {
    ScriptedVerbs.Dialled first = dials(1);
    ScriptedVerbs.Dialled second = dials(2);
    first.happens(Verbs.Event.Kind.REJECTED, new byte[0]);
    first.happens(Verbs.Event.Kind.UNANSWERED, new byte[0]);
    second.happens(Verbs.Event.Kind.UNANSWERED, new byte[0]);
    second.happens(Verbs.Event.Kind.ESTABLISHED, new byte[0]);
    second.happens(Verbs.Event.Kind.UNANSWERED, new byte[0]);
    wake();
    assertThat(next(heard)).isEqualTo("open 1");
    assertThat(first.closed).isTrue();
    links.close();
    assertThat(heard).isEmpty();
  }
}
