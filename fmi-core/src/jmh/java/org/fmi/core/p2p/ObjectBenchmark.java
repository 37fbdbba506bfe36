package org.fmi.core.p2p;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.fmi.Comm;
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
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to send an object and receive it, beside Java's serialization over an array of
 * bytes. Both ranks are driven by one thread, over the in-memory network of the tests.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ObjectBenchmark {
  private static final int TAG = 1;

  /** A task of a farm. */
  record Task(int number, long seed, String name, double[] data) implements Serializable {}

  /** A particle. */
  record Particle(double x, double y, double z, int cell) implements Serializable {}

  @Param({"string", "record", "doubles", "list", "map"})
  public String what;

  private final Comm[] world = new Comm[2];
  private final byte[] none = new byte[0];
  private Object object = "";

  public ObjectBenchmark() {
    MemoryNetwork network =
        new MemoryNetwork(2, 1, new MemoryNetwork.Options(1 << 20, 1 << 20, 64, 0, 0));
    for (int rank = 0; rank < 2; rank++) {
      Messenger messenger = Ranks.messenger(rank, 2);
      messenger.enter(0, new Transport[] {network.transport(rank)});
      world[rank] = Communicator.world(messenger, new ContextIds(), status -> {});
    }
  }

  @Setup
  public void make() {
    object =
        switch (what) {
          case "string" -> "a message of some words";
          case "record" -> new Task(7, 42, "task", new double[10]);
          case "doubles" -> new double[10_000];
          case "list" -> {
            List<Particle> all = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
              all.add(new Particle(i, 2 * i, 3 * i, i));
            }
            yield all;
          }
          default -> {
            TreeMap<String, Integer> all = new TreeMap<>();
            for (int i = 0; i < 100; i++) {
              all.put("key " + i, i);
            }
            yield all;
          }
        };
  }

  @Benchmark
  public Object objects() {
    world[0].sendObject(object, 1, TAG);
    Object got = world[1].recvObject(Object.class, 0, TAG);
    answer();
    return got;
  }

  @Benchmark
  public Object serialized() throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    }
    world[0].send(bytes.toByteArray(), 1, TAG);
    byte[] in = world[1].recv(byte[].class, 0, TAG);
    try (ObjectInputStream read = new ObjectInputStream(new ByteArrayInputStream(in))) {
      Object got = read.readObject();
      answer();
      return got;
    }
  }

  /** The sender looks at what has arrived in receives: its credit comes back. */
  private void answer() {
    world[1].send(none, 0, TAG);
    world[0].recv(none, 1, TAG);
  }
}
