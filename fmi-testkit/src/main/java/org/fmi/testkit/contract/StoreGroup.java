package org.fmi.testkit.contract;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.fmi.Comm;
import org.fmi.Rollback;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.NodeMemory;
import org.fmi.testkit.support.MapMemory;
import org.fmi.testkit.support.ThreadComm;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint group of ranks as threads, each on its own node. Index i is world rank 3i + 1. The
 * threads are virtual, as ranks mostly wait for each other.
 */
public final class StoreGroup implements AutoCloseable {
  private static final long POLL_NANOS = 20_000;

  /** Opens the store of one rank. */
  public interface Opener {
    CheckpointStore open(int rank, int[] group, Comm system, NodeMemory memory) throws IOException;
  }

  /** A rank's task; what it throws is returned to the test. */
  public interface Task {
    void run(CheckpointStore store, int index) throws Exception;
  }

  private final int size;
  private final int[] group;
  private final ThreadComm network = new ThreadComm();
  private final NodeMemory[] nodes;
  private final CheckpointStore[] stores;
  private final Opener opener;
  private final IntFunction<NodeMemory> newNode;

  /** Creates a group whose nodes each have a {@link MapMemory}. */
  public StoreGroup(int size, Opener opener) throws IOException {
    this(size, opener, i -> new MapMemory());
  }

  /** Creates a group whose nodes have the memory that {@code newNode} creates for an index. */
  public StoreGroup(int size, Opener opener, IntFunction<NodeMemory> newNode) throws IOException {
    this.size = size;
    this.opener = opener;
    this.newNode = newNode;
    this.group = new int[size];
    Arrays.setAll(group, i -> 3 * i + 1);
    this.nodes = new NodeMemory[size];
    this.stores = new CheckpointStore[size];
    for (int i = 0; i < size; i++) {
      nodes[i] = newNode.apply(i);
      stores[i] = open(i);
    }
  }

  private CheckpointStore open(int i) throws IOException {
    return opener.open(group[i], group, network.comm(group[i]), nodes[i]);
  }

  /** The number of ranks in the group. */
  public int size() {
    return size;
  }

  /** The world rank of an index. */
  public int rank(int i) {
    return group[i];
  }

  /** The world ranks, by index. */
  public int[] ranks() {
    return group.clone();
  }

  /** The network between the ranks. */
  public ThreadComm network() {
    return network;
  }

  /** The store of an index. */
  public CheckpointStore store(int i) {
    return stores[i];
  }

  /** The stores, by index. */
  public List<CheckpointStore> stores() {
    return List.of(stores);
  }

  /** The memory of an index, if the group uses {@link MapMemory}. */
  public MapMemory map(int i) {
    return (MapMemory) nodes[i];
  }

  /** The process of a rank dies and is started again. */
  public void restart(int i) throws IOException {
    stores[i].close();
    stores[i] = open(i);
  }

  /** The node of a rank dies, and the rank is started on another one. */
  public void loseNode(int i) throws IOException {
    stores[i].close();
    nodes[i] = newNode.apply(i);
    stores[i] = open(i);
  }

  /** Runs a task on all ranks; returns the exception of each, or null. */
  public @Nullable Throwable[] attempt(Task task) throws InterruptedException {
    @Nullable Throwable[] thrown = new Throwable[size];
    Thread[] threads = new Thread[size];
    for (int i = 0; i < size; i++) {
      int index = i;
      threads[i] =
          Thread.ofVirtual()
              .name("rank " + group[i])
              .start(
                  () -> {
                    try {
                      task.run(stores[index], index);
                    } catch (Throwable e) {
                      thrown[index] = e;
                      // The other ranks would wait for a rank that fails alone.
                      if (e instanceof Error || e instanceof RuntimeException) {
                        network.fail();
                      }
                    }
                  });
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
  public void run(Task task) throws InterruptedException {
    @Nullable Throwable[] thrown = attempt(task);
    for (Throwable t : thrown) {
      if (t != null && !(t instanceof Rollback)) {
        throw new AssertionError(t);
      }
    }
    for (Throwable t : thrown) {
      if (t != null) {
        throw new AssertionError(t);
      }
    }
  }

  /** Completes a protection step by step. */
  static void complete(CheckpointStore.Protection protection) throws IOException {
    while (!protection.isComplete()) {
      if (!protection.advance()) {
        // A virtual thread that only yields can starve threads that have no carrier yet.
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Writes and protects a checkpoint of random images of the given sizes. */
  public void checkpoint(CheckpointId id, long[] sizes, long seed) throws InterruptedException {
    run((store, i) -> writeAndProtect(store, id, content(sizes[i], seed, i)));
  }

  /** A rank's steps to take a checkpoint. */
  public static void writeAndProtect(CheckpointStore store, CheckpointId id, byte[] content)
      throws IOException {
    MemorySegment.copy(
        content, 0, store.begin(id, content.length), ValueLayout.JAVA_BYTE, 0, content.length);
    store.protect(id);
  }

  /** The image of an index. */
  public static byte[] content(long size, long seed, int index) {
    byte[] content = new byte[(int) size];
    new SplittableRandom(seed * 1_000_003 + index).nextBytes(content);
    return content;
  }

  /** The id of a checkpoint within a loop. */
  public static CheckpointId id(long version) {
    return new CheckpointId(version, 0, version * 10, false);
  }

  @Override
  public void close() {
    for (CheckpointStore store : stores) {
      store.close();
    }
  }
}
