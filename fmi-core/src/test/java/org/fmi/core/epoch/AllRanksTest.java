package org.fmi.core.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.LongStream;
import org.fmi.Comm;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Number of messages until all ranks have all contributions. */
final class AllRanksTest {
  private record Pair(int from, int to) {}

  /** Delivers messages between ranks that send while they receive, and counts them. */
  private static final class Wires {
    private final Map<Pair, BlockingQueue<long[]>> wires = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> sent = new ConcurrentHashMap<>();

    private BlockingQueue<long[]> wire(int from, int to) {
      return wires.computeIfAbsent(new Pair(from, to), _ -> new LinkedBlockingQueue<>());
    }

    Comm of(int rank) {
      return (Comm)
          Proxy.newProxyInstance(
              Comm.class.getClassLoader(),
              new Class<?>[] {Comm.class},
              (_, method, args) -> {
                if (!method.getName().equals("sendRecv")) {
                  throw new UnsupportedOperationException(method.toString());
                }
                long[] out = (long[]) args[0];
                long[] in = (long[]) args[3];
                wire(rank, (int) args[1]).add(out.clone());
                sent.merge(rank, 1, Integer::sum);
                long[] message = wire((int) args[4], rank).take();
                assertThat(message).hasSameSizeAs(in);
                System.arraycopy(message, 0, in, 0, message.length);
                return null;
              });
    }
  }

  /** Two messages per step: a length, and the contributions so far. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 100, 256, 1000})
  void allRanksKnowEverythingAfterLogarithmicSteps(int size) throws Exception {
    Wires wires = new Wires();
    List<Callable<long[]>> ranks = new ArrayList<>();
    for (int r = 0; r < size; r++) {
      int me = r;
      ranks.add(
          () ->
              AllRanks.combine(
                  wires.of(10 * me), size, me, i -> 10 * i, new long[] {me}, AllRanksTest::union));
    }
    long[] all = LongStream.range(0, size).toArray();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<long[]> known : threads.invokeAll(ranks)) {
        assertThat(known.get()).isEqualTo(all);
      }
    }
    int steps = Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    assertThat(wires.sent.values()).hasSize(steps == 0 ? 0 : size).allMatch(n -> n == 2 * steps);
  }

  private static long[] union(long[] one, long[] other) {
    return LongStream.concat(Arrays.stream(one), Arrays.stream(other))
        .sorted()
        .distinct()
        .toArray();
  }
}
