package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class EventFeedTest {
  /** What a follower has got. */
  private static final class Follower implements Answer {
    final StringBuilder got = new StringBuilder();
    boolean ready = true;
    boolean there = true;

    @Override
    public boolean part(byte[] bytes) {
      got.append(new String(bytes, StandardCharsets.UTF_8));
      return there;
    }

    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public void end() {
      got.append("END");
    }

    @Override
    public void refuse(String reason) {
      got.append("REFUSED: ").append(reason);
    }
  }

  private final EventFeed feed = new EventFeed(10);

  private void add(String line) {
    feed.add(line.getBytes(StandardCharsets.UTF_8));
  }

  private Follower follower() {
    Follower follower = new Follower();
    feed.follow(follower);
    return follower;
  }

  @Test
  void whoComesLateGetsWhatWasBefore() {
    add("1\n");
    Follower follower = follower();
    add("2\n");
    feed.end();
    assertThat(follower.got).hasToString("1\n2\nEND");
  }

  @Test
  void onlyTheNewestLinesAreKept() {
    for (int i = 1; i <= 7; i++) {
      add(i + "\n");
    }
    assertThat(follower().got).hasToString("3\n4\n5\n6\n7\n");
  }

  @Test
  void aLineThatIsLongerThanAllIsKept() {
    add("1\n");
    add("long long long\n");
    assertThat(follower().got).hasToString("long long long\n");
  }

  @Test
  void whoDoesNotReadIsSentNothingAndTurnedAwayOnceItHasMissedSomething() {
    Follower slow = follower();
    Follower fast = follower();
    slow.ready = false;
    for (int i = 1; i <= 5; i++) {
      add(i + "\n");
    }
    assertThat(slow.got).isEmpty();
    slow.ready = true;
    feed.pump();
    assertThat(slow.got).hasToString("1\n2\n3\n4\n5\n");
    slow.ready = false;
    for (int i = 1; i <= 7; i++) {
      add(i + "\n");
    }
    assertThat(slow.got.substring(10)).startsWith("REFUSED: 1 event");
    assertThat(fast.got).hasToString("1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n6\n7\n");
  }

  @Test
  void whoIsBehindAtTheEndIsToldSo() {
    Follower slow = follower();
    slow.ready = false;
    add("1\n");
    feed.end();
    assertThat(slow.got.toString())
        .startsWith("REFUSED: the job ended before its last events were read");
  }

  @Test
  void whoHasGoneIsForgotten() {
    Follower gone = follower();
    gone.there = false;
    add("1\n");
    add("2\n");
    feed.end();
    assertThat(gone.got).hasToString("1\n");
  }
}
