package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Matching against a model that searches lists from their beginning. */
class MatchingTest {
  private static final int SIZE = 6;

  private record Message(int context, int source, int tag, long id) {}

  private record Posted(int context, int source, int tag, Request request, long[] buffer) {
    boolean wants(Message m) {
      return Pattern.matches(context, source, tag, m.context, m.source, m.tag);
    }
  }

  private final Messenger messenger = Ranks.messenger(0, SIZE);
  private final MemorySegment frame = MemorySegment.ofArray(new byte[256]);
  private final List<Message> unexpected = new ArrayList<>();
  private final List<Posted> posted = new ArrayList<>();
  private final Map<Posted, Long> expected = new HashMap<>();
  private final Map<MessageRequest, Message> matched = new LinkedHashMap<>();
  private long ids;

  MatchingTest() {
    MemoryNetwork network = new MemoryNetwork(SIZE, 1, MemoryNetwork.Options.PLAIN);
    messenger.enter(0, new Transport[] {network.transport(0)});
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 4, 6})
  void agreesWithTheNaiveModel(long seed) {
    Random random = new Random(seed);
    // With few tags and sources much is matched; with many, 10,000 are pending.
    int tags = seed % 2 == 0 ? 4 : 2_000;
    for (int i = 0; i < 30_000; i++) {
      double action = random.nextDouble();
      int context = 4 * random.nextInt(2);
      int source = 1 + random.nextInt(SIZE - 1);
      int tag = random.nextInt(tags);
      // Phases with mostly messages, and phases with mostly receives.
      boolean messagesPrevail = i / 10_000 % 2 == 0;
      if (action < (messagesPrevail ? 0.9 : 0.1)) {
        arrive(new Message(context, source, tag, ++ids));
      } else if (action < 0.99) {
        int wantedSource = random.nextInt(5) == 0 ? Comm.ANY_SOURCE : source;
        int wantedTag = random.nextInt(5) == 0 ? Comm.ANY_TAG : tag;
        switch (random.nextInt(4)) {
          case 0, 1 -> probe(context, wantedSource, wantedTag);
          case 2 -> match(context, wantedSource, wantedTag);
          default -> {}
        }
        post(context, wantedSource, wantedTag);
        if (matched.size() > random.nextInt(20)) {
          receiveMatched();
        }
      } else if (!posted.isEmpty()) {
        Posted p = posted.remove(random.nextInt(posted.size()));
        assertThat(p.request.cancel()).as("seed %d", seed).isTrue();
      }
    }
    while (!matched.isEmpty()) {
      receiveMatched();
    }
    assertThat(Ranks.unexpected(messenger)).as("seed %d", seed).isEqualTo(unexpected.size());
    for (Map.Entry<Posted, Long> e : expected.entrySet()) {
      assertThat(e.getKey().request.test()).as("seed %d", seed).isTrue();
      assertThat(e.getKey().buffer[0]).as("seed %d", seed).isEqualTo(e.getValue());
    }
    for (Posted p : posted) {
      assertThat(p.request.test()).as("seed %d", seed).isFalse();
    }
    assertThat(messenger.activeRequests()).isEqualTo(posted.size());
  }

  @Test
  void tenThousandPendingReceivesMatchInReverse() {
    int n = 10_000;
    Request[] requests = new Request[n];
    long[][] buffers = new long[n][1];
    for (int i = 0; i < n; i++) {
      requests[i] = messenger.irecv(buffers[i], 0, 8, 1, 0, i);
    }
    for (int i = n - 1; i >= 0; i--) {
      inject(new Message(0, 1, i, i + 7));
    }
    for (int i = 0; i < n; i++) {
      assertThat(requests[i].test()).isTrue();
      assertThat(buffers[i][0]).isEqualTo(i + 7);
    }
  }

  private void arrive(Message m) {
    inject(m);
    for (Iterator<Posted> it = posted.iterator(); it.hasNext(); ) {
      Posted p = it.next();
      if (p.wants(m)) {
        it.remove();
        expected.put(p, m.id);
        return;
      }
    }
    unexpected.add(m);
  }

  private void post(int context, int source, int tag) {
    long[] buffer = new long[1];
    Posted p =
        new Posted(
            context, source, tag, messenger.irecv(buffer, 0, 8, source, context, tag), buffer);
    for (Iterator<Message> it = unexpected.iterator(); it.hasNext(); ) {
      Message m = it.next();
      if (p.wants(m)) {
        it.remove();
        expected.put(p, m.id);
        return;
      }
    }
    posted.add(p);
  }

  private void probe(int context, int source, int tag) {
    Status got = messenger.iprobe(source, context, tag);
    for (Message m : unexpected) {
      if (Pattern.matches(context, source, tag, m.context, m.source, m.tag)) {
        assertThat(got).isEqualTo(new Status(m.source, m.tag, 8));
        return;
      }
    }
    assertThat(got).isNull();
  }

  private void match(int context, int source, int tag) {
    MessageRequest got = messenger.improbe(source, context, tag);
    for (Iterator<Message> it = unexpected.iterator(); it.hasNext(); ) {
      Message m = it.next();
      if (Pattern.matches(context, source, tag, m.context, m.source, m.tag)) {
        it.remove();
        assertThat(got).isNotNull();
        matched.put(got, m);
        return;
      }
    }
    assertThat(got).isNull();
  }

  private void receiveMatched() {
    MessageRequest probed = matched.keySet().iterator().next();
    Message m = Objects.requireNonNull(matched.remove(probed));
    long[] buffer = new long[1];
    Status status = messenger.imrecv(probed, buffer, 0, 8, m.tag).waitFor();
    assertThat(status).isEqualTo(new Status(m.source, m.tag, 8));
    assertThat(buffer[0]).isEqualTo(m.id);
  }

  private void inject(Message m) {
    Frame f = new Frame();
    f.kind = FrameKind.EAGER;
    f.epoch = messenger.epoch();
    f.context = m.context;
    f.tag = m.tag;
    f.length = 8;
    f.payload = 8;
    f.encodeHeader(frame, 0);
    frame.set(FrameLayout.LONG, FrameLayout.HEADER_BYTES, m.id);
    messenger.onFrame(m.source, frame, 0);
  }
}
