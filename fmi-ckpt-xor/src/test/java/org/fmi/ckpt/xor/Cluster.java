package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.fmi.core.spi.CheckpointId;
import org.fmi.core.spi.NodeMemory;
import org.jspecify.annotations.Nullable;

/** A group of ranks as threads, each on a node of its own. Index i is world rank 3i + 1. */
final class Cluster implements AutoCloseable {
  /** What a rank does; what it throws is returned to the test. */
  interface Task {
    void run(XorStore store, int index) throws Exception;
  }

  final int size;
  final int[] group;
  final ThreadComm network = new ThreadComm();
  final NodeMemory[] nodes;
  final XorStore[] stores;
  private final IntFunction<NodeMemory> newNode;

  Cluster(int size) throws IOException {
    this(size, i -> new MapMemory());
  }

  Cluster(int size, IntFunction<NodeMemory> newNode) throws IOException {
    this.size = size;
    this.newNode = newNode;
    this.group = new int[size];
    Arrays.setAll(group, i -> 3 * i + 1);
    this.nodes = new NodeMemory[size];
    this.stores = new XorStore[size];
    for (int i = 0; i < size; i++) {
      nodes[i] = newNode.apply(i);
      stores[i] = open(i);
    }
  }

  private XorStore open(int i) throws IOException {
    return new XorStore(group[i], group, network.comm(group[i]), nodes[i]);
  }

  MapMemory map(int i) {
    return (MapMemory) nodes[i];
  }

  /** The process of a rank dies and is started again. */
  void restart(int i) throws IOException {
    stores[i].close();
    stores[i] = open(i);
  }

  /** The node of a rank dies, and the rank is started on another one. */
  void loseNode(int i) throws IOException {
    stores[i].close();
    nodes[i] = newNode.apply(i);
    stores[i] = open(i);
  }

  /** Runs a task on all ranks; what each of them threw, or null. */
  @Nullable Throwable[] attempt(Task task) throws InterruptedException {
    @Nullable Throwable[] thrown = new Throwable[size];
    Thread[] threads = new Thread[size];
    for (int i = 0; i < size; i++) {
      int index = i;
      threads[i] =
          new Thread(
              () -> {
                try {
                  task.run(stores[index], index);
                } catch (Throwable e) {
                  thrown[index] = e;
                  // A rank that fails on its own would leave the others waiting.
                  if (e instanceof Error || e instanceof RuntimeException) {
                    network.fail();
                  }
                }
              },
              "rank " + group[i]);
      threads[i].setDaemon(true);
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(120));
      if (thread.isAlive()) {
        AssertionError hangs = new AssertionError(thread.getName() + " hangs");
        hangs.setStackTrace(thread.getStackTrace());
        network.fail();
        throw hangs;
      }
    }
    return thrown;
  }

  /** Runs a task on all ranks, none of which may throw. */
  void run(Task task) throws InterruptedException {
    @Nullable Throwable[] thrown = attempt(task);
    for (Throwable t : thrown) {
      if (t != null && !(t instanceof org.fmi.RollbackException)) {
        throw new AssertionError(t);
      }
    }
    for (Throwable t : thrown) {
      if (t != null) {
        throw new AssertionError(t);
      }
    }
  }

  /** Writes and protects a checkpoint of random images of the given sizes. */
  void checkpoint(CheckpointId id, long[] sizes, long seed) throws InterruptedException {
    run((store, i) -> writeAndProtect(store, id, content(sizes[i], seed, i)));
  }

  static void writeAndProtect(XorStore store, CheckpointId id, byte[] content) throws IOException {
    MemorySegment.copy(
        content, 0, store.begin(id, content.length), ValueLayout.JAVA_BYTE, 0, content.length);
    store.protect(id);
  }

  static byte[] content(long size, long seed, int index) {
    byte[] content = new byte[(int) size];
    new Random(seed * 1_000_003 + index).nextBytes(content);
    return content;
  }

  static CheckpointId id(long version) {
    return new CheckpointId(version, 0, version * 10, false);
  }

  @Override
  public void close() {
    for (XorStore store : stores) {
      store.close();
    }
  }
}
