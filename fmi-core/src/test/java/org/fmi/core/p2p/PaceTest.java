package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.fmi.core.progress.WaitStrategy;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final int BYTES = 64 << 10;
  private static final int MESSAGES = 40_000;

  private final Pace pace = new Pace();
  private final Messenger messenger =
      new Messenger(0, 2, new WaitStrategy(1, 1), (peer, reason) -> {});
  private long now = 1_000_000_000;

  private MessageRequest receive(Object base, long bytes) {
    MessageRequest r = messenger.requests().make();
    r.prepareReceive(base, 0, bytes, 1, 0, 0);
    r.matched(1, 0, bytes);
    return r;
  }

  /** Receives a message whose path takes this long. Returns whether it was read. */
  private boolean message(Object base, long bytes, long byFrames, long byReading) {
    MessageRequest r = receive(base, bytes);
    boolean read = pace.begins(r, now);
    now += read ? byReading : byFrames;
    if (r.begun != Pace.UNTIMED) {
      pace.ends(r, now);
    }
    return read;
  }

  private int readOf(Object base, int messages, long byFrames, long byReading) {
    int read = 0;
    for (int i = 0; i < messages; i++) {
      read += message(base, BYTES, byFrames, byReading) ? 1 : 0;
    }
    return read;
  }

  @Test
  void theFasterWayIsTaken() {
    byte[] array = new byte[BYTES];
    readOf(array, MESSAGES, 9_000, 5_000);
    assertThat(readOf(array, MESSAGES, 9_000, 5_000)).isGreaterThan(MESSAGES * 9 / 10);
    readOf(array, MESSAGES, 5_000, 9_000);
    assertThat(readOf(array, MESSAGES, 5_000, 9_000)).isLessThan(MESSAGES / 10);
    readOf(array, MESSAGES, 9_000, 5_000);
    assertThat(readOf(array, MESSAGES, 9_000, 5_000)).isGreaterThan(MESSAGES * 9 / 10);
  }

  @Test
  void aFewLongTimesChangeNothing() {
    SplittableRandom random = new SplittableRandom(1);
    byte[] array = new byte[BYTES];
    int read = 0;
    readOf(array, MESSAGES, 9_000, 5_000);
    for (int i = 0; i < MESSAGES; i++) {
      long late = random.nextInt(20) == 0 ? 10_000_000 : 0;
      read += message(array, BYTES, 9_000 + late, 5_000 + late) ? 1 : 0;
    }
    assertThat(read).isGreaterThan(MESSAGES * 8 / 10);
  }

  /** The first messages after a change of the path do not predict the next ones. */
  @Test
  void takesAWayThatIsSlowOnlyAtFirst() {
    byte[] array = new byte[BYTES];
    int read = 0;
    int row = 0;
    boolean before = false;
    for (int i = 0; i < MESSAGES; i++) {
      MessageRequest r = receive(array, BYTES);
      boolean reads = pace.begins(r, now);
      row = reads == before ? row + 1 : 0;
      before = reads;
      now += row < 30 ? 20_000 : reads ? 5_000 : 9_000;
      if (r.begun != Pace.UNTIMED) {
        pace.ends(r, now);
      }
      read += reads ? 1 : 0;
    }
    assertThat(read).isGreaterThan(MESSAGES * 9 / 10);
  }

  @Test
  void trialsOfTheSlowerWayAreRare() {
    byte[] array = new byte[BYTES];
    readOf(array, 4 * MESSAGES, 5_000, 50_000);
    assertThat(readOf(array, 8 * MESSAGES, 5_000, 50_000))
        .isBetween(1, 2 * 8 * MESSAGES / Pace.MOST_PAUSE);
  }

  @Test
  void measuresEachLengthAndKindOfMemory() {
    Object array = new long[BYTES / 8];
    Object memory = Arena.ofAuto().allocate(BYTES);
    for (int i = 0; i < MESSAGES; i++) {
      message(array, BYTES, 5_000, 9_000);
      message(memory, BYTES, 9_000, 5_000);
      message(memory, BYTES / 4, 2_000, 3_000);
    }
    assertThat(readOf(array, MESSAGES, 5_000, 9_000)).isLessThan(MESSAGES / 10);
    assertThat(readOf(memory, MESSAGES, 9_000, 5_000)).isGreaterThan(MESSAGES * 9 / 10);
  }

  /** Of many concurrent messages, each is measured from the end of the previous one. */
  @Test
  void waitingForEarlierMessagesDoesNotCount() {
    byte[] array = new byte[BYTES];
    readOf(array, MESSAGES / 10, 5_000, 5_000);
    int read = 0;
    for (int window = 0; window < MESSAGES / 16; window++) {
      MessageRequest[] all = new MessageRequest[16];
      for (int i = 0; i < all.length; i++) {
        all[i] = receive(array, BYTES);
        read += pace.begins(all[i], now) ? 1 : 0;
      }
      for (MessageRequest r : all) {
        now += r.read ? 5_000 : 9_000;
        if (r.begun != Pace.UNTIMED) {
          pace.ends(r, now);
        }
      }
    }
    assertThat(read).isGreaterThan(MESSAGES * 8 / 10);
  }
}
