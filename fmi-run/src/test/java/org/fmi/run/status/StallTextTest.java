package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.fmi.control.RankReport.Untaken;
import org.fmi.control.RankReport.Waiting;
import org.fmi.job.Stall;
import org.junit.jupiter.api.Test;

final class StallTextTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static List<Stall.Waiter> waiters(int size, IntFunction<Waiting> waiting) {
    List<Stall.Waiter> waiters = new ArrayList<>();
    for (int r = 0; r < size; r++) {
      waiters.add(new Stall.Waiter(r, waiting.apply(r), 17, (10 + r) * SECOND));
    }
    return waiters;
  }

  private static List<Integer> range(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  private static Waiting receives(int peer) {
    return new Waiting("recv", peer, 7, "world", 0);
  }

  @Test
  void whoWaitsForWhom() {
    Stall stall =
        new Stall.AllWait(
            10 * SECOND,
            List.of(
                new Stall.Waiter(0, receives(1), 17, 12 * SECOND),
                new Stall.Waiter(1, receives(0), 17, 11 * SECOND),
                new Stall.Waiter(
                    2, new Waiting("probe", Waiting.ANY, Waiting.ANY, "#3", 0), 18, 200 * SECOND),
                new Stall.Waiter(
                    5, new Waiting("checkpoint", 2, Waiting.ANY, "", 0), -1, 10 * SECOND)),
            List.of(3, 4),
            List.of(0, 1));
    assertThat(String.join("\n", StallText.lines(stall)) + "\n")
        .isEqualTo(
            """
            all ranks have been waiting without progress for 10 s:
              rank  in          waits for  tag  communicator  iteration  since
              0     recv        rank 1       7  world                17  12 s
              1     recv        rank 0       7  world                17  11 s
              2     probe       any          -  #3                   18  3 min
              5     checkpoint  rank 2       -  -                     -  10 s
            ranks 3, 4 have ended
            they wait in a circle: 0 waits for 1, 1 for 0
            """);
    assertThat(StallText.brief(stall)).isEqualTo("all ranks have been waiting for 10 s");
  }

  @Test
  void ranksThatDoTheSameShareARow() {
    Stall stall =
        new Stall.AllWait(
            60 * SECOND,
            waiters(8, r -> r == 3 ? receives(0) : new Waiting("allReduce", 3, -1, "world", 0)),
            List.of(),
            List.of());
    assertThat(String.join("\n", StallText.lines(stall)) + "\n")
        .isEqualTo(
            """
            all ranks have been waiting without progress for 60 s:
              rank      in         waits for  tag  communicator  iteration  since
              0-2, 4-7  allReduce  rank 3       -  world                17  17 s
              3         recv       rank 0       7  world                17  13 s
            """);
  }

  @Test
  void manyRowsThatDifferInWhomTheyWaitForAreOne() {
    Stall stall =
        new Stall.AllWait(
            10 * SECOND, waiters(40, r -> receives((r + 39) % 40)), List.of(), range(0, 40));
    assertThat(String.join("\n", StallText.lines(stall)) + "\n")
        .isEqualTo(
            """
            all ranks have been waiting without progress for 10 s:
              rank  in    waits for   tag  communicator  iteration  since
              0-39  recv  ranks 0-39    7  world                17  49 s
            they wait in a circle: 0 waits for 1, 1 for 2, 2 for 3, ..., 39 for 0: 40 ranks
            """);
  }

  @Test
  void whatFillsASendBufferIsNamed() {
    Waiting sends = new Waiting("send", 1, 8, "world", 0, new Untaken(1, 7, 73_325, 7_332_500));
    Waiting reduces =
        new Waiting("reduce", 0, -1, "world", 0, new Untaken(2, Untaken.NO_TAG, 1, 8));
    Stall stall =
        new Stall.AllWait(
            10 * SECOND,
            waiters(3, r -> r == 0 ? sends : r == 1 ? reduces : receives(0)),
            List.of(),
            List.of(0, 1));
    assertThat(StallText.lines(stall))
        .hasSize(8)
        .endsWith(
            "they wait in a circle: 0 waits for 1, 1 for 0",
            "the send buffer of rank 0 is full (--send-buffer): rank 1 has not received 73325"
                + " messages with tag 7, 7.0 MiB",
            "the send buffer of rank 1 is full (--send-buffer): rank 2 has not received 1 message"
                + " of collective calls, 8 B");
    Stall all = new Stall.AllWait(10 * SECOND, waiters(10, _ -> sends), List.of(), List.of());
    assertThat(StallText.lines(all)).hasSize(12).last().isEqualTo("likewise 2 more ranks");
  }

  @Test
  void rowsAreBounded() {
    Stall stall =
        new Stall.AllWait(
            10 * SECOND,
            waiters(100, r -> new Waiting("recv", r / 2 * 2, r, "world", 0)),
            List.of(),
            List.of());
    assertThat(StallText.lines(stall)).hasSize(35).last().isEqualTo("  and 68 rows more");
  }

  @Test
  void rangesOfRanks() {
    assertThat(StallText.ranges(List.of(4))).isEqualTo("4");
    assertThat(StallText.ranges(List.of(0, 1, 3, 4, 5, 9))).isEqualTo("0, 1, 3-5, 9");
    assertThat(StallText.ranges(List.of(0, 2, 4, 6, 8, 10))).isEqualTo("0, 2, 4, 6 and 2 more");
  }

  @Test
  void ofThoseThatAreWaitedForEachIsALine() {
    Stall stall =
        new Stall.SomeAwaited(
            10 * SECOND,
            List.of(
                new Stall.Awaited(3, true, false, 17, 31 * SECOND, List.of(0, 1, 2, 4)),
                new Stall.Awaited(7, false, false, -1, 12 * SECOND, List.of(5))));
    assertThat(StallText.lines(stall))
        .containsExactly(
            "rank 3 has been computing for 31 s, iteration 17; ranks 0-2, 4 wait for it",
            "rank 7 has been silent for 12 s; rank 5 waits for it");
    assertThat(StallText.brief(stall)).isEqualTo("rank 3 has been computing for 31 s, and 1 more");
    List<Stall.Awaited> many =
        range(0, 30).stream()
            .map(r -> new Stall.Awaited(r, true, false, 1, SECOND, List.of(30 + r)))
            .toList();
    assertThat(StallText.lines(new Stall.SomeAwaited(SECOND, many)))
        .hasSize(9)
        .last()
        .isEqualTo("likewise 22 more ranks");
  }

  @Test
  void aRecoverySaysWhomItWaitsFor() {
    Stall stall =
        new Stall.RecoveryWaits(
            10 * SECOND,
            List.of(
                new Stall.Awaited(0, true, false, 17, 15 * SECOND, List.of()),
                new Stall.Awaited(1, true, true, -1, 15 * SECOND, List.of()),
                new Stall.Awaited(2, false, false, 17, 15 * SECOND, List.of())));
    assertThat(StallText.lines(stall))
        .containsExactly(
            "recovery waits: rank 0 has been computing for 15 s and learns of the failure in its"
                + " next call",
            "recovery waits: rank 1 has been computing for 15 s and repeats its code before the"
                + " loop",
            "recovery waits: rank 2 has been silent for 15 s");
    assertThat(StallText.brief(stall))
        .isEqualTo("recovery waits: rank 0 has been computing for 15 s, and 2 more");
  }
}
