package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.Test;

/** The detector's use of links, independent of their transport. Rank 1 of 4. */
class LinksTest {
  private static final int EPOCH = 3;
  private static final RankConfig CONFIG = RankConfigs.rank(1, 4).build();

  /** Links that are up as soon as they are requested. */
  private static final class FakeLinks implements RingLinks {
    final String name;
    final Handler handler;
    final List<String> sent = new ArrayList<>();
    boolean closed;

    FakeLinks(String name, Handler handler) {
      this.name = name;
      this.handler = handler;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public byte[] endpoint() {
      return new byte[] {1};
    }

    @Override
    public void connect(int peer, byte[] endpoint) {
      sent.add("connect " + peer + " at " + endpoint[0]);
      handler.onOpen(peer);
    }

    @Override
    public void send(int peer, byte[] frame) {
      if (!closed) {
        sent.add(frame[0] + " to " + peer);
      }
    }

    @Override
    public void watchAnew(int peer) {
      sent.add("watch " + peer);
    }

    @Override
    public void execute(Runnable task) {
      if (!closed) {
        task.run();
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private final List<String> heard = new ArrayList<>();
  private final List<FakeLinks> links = new ArrayList<>();
  private final LogRingDetector detector =
      new LogRingDetector(
          CONFIG, EPOCH, (rank, hops, reason) -> heard.add(rank + " " + hops + " " + reason));

  private void offer(String... names) throws IOException {
    for (String name : names) {
      detector.offer(
          (config, epoch, neighbours, handler) -> {
            FakeLinks fake = new FakeLinks(name, handler);
            links.add(fake);
            return fake;
          });
    }
  }

  private static byte[] offerOf(String... names) {
    Map<String, byte[]> endpoints = new LinkedHashMap<>();
    for (String name : names) {
      endpoints.put(name, new byte[] {(byte) (10 + endpoints.size())});
    }
    return new Offer(endpoints).bytes();
  }

  /** Rank 0 dials rank 1, which dials 2 and 3. */
  private void connect(byte[][] endpoints, int used) throws IOException {
    links.get(used).handler.onOpen(0);
    detector.connect(Endpoints.of(endpoints));
    links.get(used).sent.clear();
  }

  private void connectOverTcp() throws IOException {
    offer("tcp");
    byte[] tcp = offerOf("tcp");
    connect(new byte[][] {tcp, detector.endpoint(), tcp, tcp}, 0);
  }

  private static ByteBuffer frame(int... words) {
    ByteBuffer frame = ByteBuffer.allocate(1 + 4 * (words.length - 1)).put((byte) words[0]);
    for (int i = 1; i < words.length; i++) {
      frame.putInt(words[i]);
    }
    return frame.flip();
  }

  @Test
  void usesATransportThatAllRanksOffer() throws Exception {
    offer("rdma", "tcp");
    byte[] both = offerOf("rdma", "tcp");
    links.get(0).handler.onOpen(0);
    detector.connect(Endpoints.of(both, detector.endpoint(), both, offerOf("rdma")));
    assertThat(detector.transport()).isEqualTo("rdma");
    assertThat(links.get(0).sent).containsExactly("connect 2 at 10", "connect 3 at 10");
    assertThat(links.get(0).closed).isFalse();
    assertThat(links.get(1).closed).isTrue();
  }

  @Test
  void skipsATransportThatARankLacks() throws Exception {
    offer("rdma", "tcp");
    byte[] both = offerOf("rdma", "tcp");
    links.get(1).handler.onOpen(0);
    detector.connect(Endpoints.of(both, detector.endpoint(), both, offerOf("tcp")));
    assertThat(detector.transport()).isEqualTo("tcp");
    assertThat(links.get(1).sent).containsExactly("connect 2 at 11", "connect 3 at 10");
    assertThat(links.get(0).closed).isTrue();
    assertThat(links.get(1).closed).isFalse();
  }

  @Test
  void withNothingInCommonItSaysSo() throws Exception {
    offer("rdma");
    byte[] tcp = offerOf("tcp");
    assertThatThrownBy(() -> detector.connect(Endpoints.of(tcp, detector.endpoint(), tcp, tcp)))
        .isInstanceOf(IOException.class)
        .hasMessage("no kind of link is offered by all ranks; rank 0 has no rdma");
  }

  @Test
  void anAnnouncementBeforeConnectUsesAllLinks() throws Exception {
    offer("rdma", "tcp");
    detector.announce(2, "told by the job");
    assertThat(heard).containsExactly("2 0 told by the job");
    for (FakeLinks fake : links) {
      assertThat(fake.sent).as(fake.name).containsExactly("1 to 0", "1 to 3");
    }
    byte[] both = offerOf("rdma", "tcp");
    assertThatThrownBy(() -> detector.connect(Endpoints.of(both, detector.endpoint(), both, both)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rank 2 has failed: told by the job");
  }

  @Test
  void aNoticeIsPassedOnOnce() throws Exception {
    connectOverTcp();
    RingLinks.Handler handler = links.getFirst().handler;
    assertThat(handler.onFrame(0, frame(1, EPOCH, 2, 1))).isTrue();
    assertThat(handler.onFrame(3, frame(1, EPOCH, 2, 1))).isTrue();
    assertThat(heard).containsExactly("2 1 notice of rank 0");
    assertThat(links.getFirst().sent).containsExactly("1 to 3");
  }

  @Test
  void refusesFramesOfOtherEpochs() throws Exception {
    connectOverTcp();
    RingLinks.Handler handler = links.getFirst().handler;
    ByteBuffer[] wrong = {
      frame(1, EPOCH - 1, 2, 1), // another epoch
      frame(1, EPOCH, 4, 1), // no such rank
      frame(1, EPOCH, -1, 1),
      frame(1, EPOCH, 2), // too short
      frame(1, EPOCH, 2, 1, 0), // too long
      frame(1),
      frame(3, EPOCH, 2, 1) // unknown
    };
    for (ByteBuffer f : wrong) {
      assertThat(handler.onFrame(0, f)).as("%s", f).isFalse();
    }
    assertThat(heard).isEmpty();
  }

  @Test
  void aGoodbyeIsNotAFailure() throws Exception {
    connectOverTcp();
    RingLinks.Handler handler = links.getFirst().handler;
    handler.onFrame(2, frame(2));
    handler.onClosed(2, "disconnected");
    assertThat(heard).isEmpty();
    handler.onClosed(3, "disconnected");
    assertThat(heard).containsExactly("3 0 disconnected");
  }

  @Test
  void severalFailuresArePassedOn() throws Exception {
    connectOverTcp();
    RingLinks.Handler handler = links.getFirst().handler;
    assertThat(handler.onFrame(0, frame(1, EPOCH, 2, 1))).isTrue();
    assertThat(handler.onFrame(0, frame(1, EPOCH, 3, 2))).isTrue();
    assertThat(heard).containsExactly("2 1 notice of rank 0", "3 2 notice of rank 0");
    assertThat(links.getFirst().sent).containsExactly("1 to 3", "1 to 2");
  }

  @Test
  void silenceEndsALink() throws Exception {
    connectOverTcp();
    assertThat(links.getFirst().handler.onSilent(2, "silent for 5 s")).isTrue();
    links.getFirst().handler.onUnreachable(3, "no answer");
    assertThat(heard).containsExactly("3 0 no answer");
  }

  /** Where the job continues without its dead, it first looks whether a silent rank lives. */
  @Test
  void silenceIsForTheJobIfDeathIsFinal() throws Exception {
    JobSettings job = RankConfigs.job(4).policy(new RecoveryPolicy.Shrink()).build();
    List<String> silences = new ArrayList<>();
    List<FakeLinks> opened = new ArrayList<>();
    LogRingDetector continuing =
        new LogRingDetector(
            RankConfigs.rank(1, job).build(),
            EPOCH,
            new FailureDetector.Listener() {
              @Override
              public void onFailure(int rank, int hops, String reason) {
                heard.add(rank + " " + hops + " " + reason);
              }

              @Override
              public void onSilence(int rank, String reason) {
                silences.add(rank + " " + reason);
              }

              @Override
              public void onHeard(int rank) {
                silences.add(rank + " heard");
              }
            });
    continuing.offer(
        (config, epoch, neighbours, handler) -> {
          opened.add(new FakeLinks("tcp", handler));
          return opened.getFirst();
        });
    FakeLinks fake = opened.getFirst();
    byte[] tcp = offerOf("tcp");
    fake.handler.onClosed(0, "its process ended");
    continuing.connect(Endpoints.of(tcp, continuing.endpoint(), tcp, tcp));
    assertThat(heard).containsExactly("0 0 its process ended");
    fake.sent.clear();
    assertThat(fake.handler.onSilent(2, "silent for 5 s")).isFalse();
    fake.handler.onHeard(2);
    fake.handler.onUnreachable(3, "no answer");
    assertThat(silences).containsExactly("2 silent for 5 s", "2 heard", "3 no answer");
    assertThat(fake.sent).isEmpty();
    continuing.alive(2);
    assertThat(fake.sent).containsExactly("watch 2");
    fake.sent.clear();
    continuing.dead(3);
    fake.handler.onClosed(3, "its process ended");
    assertThat(fake.sent).isEmpty();
    assertThat(heard).hasSize(1);
  }

  @Test
  void aFailedDeviceAccusesNoPeer() throws Exception {
    connectOverTcp();
    links.getFirst().handler.onBroken("the port is down");
    assertThat(heard).containsExactly("1 0 the port is down");
  }

  @Test
  void closeSendsGoodbyesAndIgnoresLaterFrames() throws Exception {
    connectOverTcp();
    detector.close();
    assertThat(links.getFirst().sent).containsExactly("2 to 0", "2 to 2", "2 to 3");
    assertThat(links.getFirst().closed).isTrue();
    links.getFirst().handler.onClosed(0, "closed here");
    links.getFirst().handler.onBroken("the port is down");
    assertThat(heard).isEmpty();
  }

  @Test
  void anOfferIsReadAsItWasWritten() {
    Offer offer = Offer.of(offerOf("rdma", "tcp"));
    assertThat(offer).hasToString("[rdma, tcp]");
    assertThat(offer.endpoint("tcp")).containsExactly(11);
    assertThat(offer.has("shm")).isFalse();
    assertThatThrownBy(() -> Offer.of(new byte[] {3, 'r'}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
