package org.fmi.core.p2p;

import java.util.concurrent.TimeUnit;
import org.fmi.Comm;
import org.fmi.Slice;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.spi.Transport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the calls of two ranks cost that exchange messages, without the cost of a core's waiting for
 * another: both ranks are driven by one thread, over the in-memory network of the tests. Time and
 * allocated bytes of one operation, which is two sends and their receives.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CallPathBenchmark {
  private static final int TAG = 1;

  /** Of a message, in bytes. */
  @Param({"8", "1024"})
  public int bytes;

  private final Comm[] world = new Comm[2];
  private final byte[] out = new byte[1024];
  private final byte[] in = new byte[1024];

  public CallPathBenchmark() {
    MemoryNetwork network = new MemoryNetwork(2, 1, MemoryNetwork.Options.PLAIN);
    for (int rank = 0; rank < 2; rank++) {
      Messenger messenger = Ranks.messenger(rank, 2);
      messenger.enter(0, new Transport[] {network.transport(rank)});
      world[rank] = Communicator.world(messenger, new ContextIds(), status -> {});
    }
  }

  /** Each message is there when its receive is called. */
  @Benchmark
  public void roundTrip() {
    world[0].send(Slice.of(out, 0, bytes), 1, TAG);
    world[1].recv(Slice.of(in, 0, bytes), 0, TAG);
    world[1].send(Slice.of(out, 0, bytes), 0, TAG);
    world[0].recv(Slice.of(in, 0, bytes), 1, TAG);
  }

  /** As {@link #roundTrip}, from any source, with any tag. */
  @Benchmark
  public void roundTripAny() {
    world[0].send(Slice.of(out, 0, bytes), 1, TAG);
    world[1].recv(Slice.of(in, 0, bytes), Comm.ANY_SOURCE, Comm.ANY_TAG);
    world[1].send(Slice.of(out, 0, bytes), 0, TAG);
    world[0].recv(Slice.of(in, 0, bytes), Comm.ANY_SOURCE, Comm.ANY_TAG);
  }

  /** A collective call of two ranks by one message. */
  @Benchmark
  public void bcast() {
    world[0].bcast(Slice.of(out, 0, bytes), 0);
    world[1].bcast(Slice.of(in, 0, bytes), 0);
  }
}
