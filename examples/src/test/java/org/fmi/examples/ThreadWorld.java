package org.fmi.examples;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Holder;
import org.fmi.LoopBody;
import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program's ranks as threads of one JVM, with just the calls that the examples use. Its loop
 * can go back to an earlier state, and can restore a finished loop's final state in a program that
 * runs anew: so it shows whether a program's state is complete.
 */
public final class ThreadWorld {
  /** How a loop is disturbed. */
  public enum Loops {
    UNDISTURBED,
    /** Goes back once, from the middle to the state at a third, and on from there. */
    ROLLED_BACK,
    /** Computes nothing, but restores what an undisturbed run of the same world ended with. */
    ALREADY_DONE
  }

  /** A program's main part. */
  @FunctionalInterface
  public interface Program {
    void run(Fmi fmi) throws Exception;
  }

  /** The program called {@code abort}. */
  public static final class Aborted extends RuntimeException {
    private static final long serialVersionUID = 1L;
    public final int status;

    Aborted(int status) {
      super("abort " + status);
      this.status = status;
    }
  }

  private static final long PATIENCE_SECONDS = 60;

  private final int size;
  private final Map<String, BlockingQueue<Object>> mailboxes = new ConcurrentHashMap<>();
  private final Map<String, List<Object>> finalStates = new ConcurrentHashMap<>();

  /** A world of {@code size} ranks. */
  public ThreadWorld(int size) {
    this.size = size;
  }

  /** Runs the program on all ranks; returns what they printed to standard output. */
  public String run(Loops loops, Program program) throws Exception {
    mailboxes.clear();
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (ExecutorService threads = Executors.newFixedThreadPool(size)) {
      CompletionService<Void> ranks = new ExecutorCompletionService<>(threads);
      for (int r = 0; r < size; r++) {
        Fmi fmi = fmi(r, loops);
        ranks.submit(
            () -> {
              program.run(fmi);
              return null;
            });
      }
      try {
        for (int r = 0; r < size; r++) {
          ranks.take().get();
        }
      } finally {
        threads.shutdownNow(); // the others wait for the one that failed
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      System.setOut(console);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  private Fmi fmi(int rank, Loops loops) {
    Comm world = comm("world", allRanks(), rank);
    int[] loopsSeen = {0};
    return proxy(
        Fmi.class,
        (method, args) ->
            switch (method.getName()) {
              case "world" -> world;
              case "epoch" -> 0;
              case "loop" -> {
                String name = rank + "/" + loopsSeen[0]++;
                loop(loops, name, (long) args[0], (LoopBody) args[1], (Object[]) args[2]);
                yield null;
              }
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  private void loop(Loops loops, String name, long iterations, LoopBody body, Object[] state)
      throws Exception {
    if (loops == Loops.ALREADY_DONE) {
      restore(requireNonNull(finalStates.get(name)), state);
      return;
    }
    List<Object> checkpoint = save(state);
    boolean rolledBack = false;
    for (long i = 0; i < iterations; i++) {
      if (i == iterations / 3) {
        checkpoint = save(state);
      }
      if (loops == Loops.ROLLED_BACK && i == 2 * iterations / 3 && !rolledBack) {
        rolledBack = true;
        restore(checkpoint, state);
        i = iterations / 3;
      }
      body.run(i);
    }
    finalStates.put(name, save(state));
  }

  private static List<Object> save(Object[] state) {
    List<Object> saved = new ArrayList<>();
    for (Object o : state) {
      Object array = o instanceof Holder<?> holder ? holder.get() : o;
      saved.add(copy(array, 0, Array.getLength(array)));
    }
    return saved;
  }

  private static void restore(List<Object> saved, Object[] state) {
    for (int s = 0; s < state.length; s++) {
      Object array = state[s] instanceof Holder<?> holder ? holder.get() : state[s];
      System.arraycopy(saved.get(s), 0, array, 0, Array.getLength(array));
    }
  }

  private List<Integer> allRanks() {
    List<Integer> ranks = new ArrayList<>();
    for (int r = 0; r < size; r++) {
      ranks.add(r);
    }
    return ranks;
  }

  private Comm comm(String context, List<Integer> members, int worldRank) {
    Endpoint me = new Endpoint(context, members, members.indexOf(worldRank));
    return proxy(Comm.class, me::call);
  }

  /** One rank in one communicator. */
  private final class Endpoint {
    private final String context;
    private final List<Integer> members;
    private final int rank;
    private int splits;

    Endpoint(String context, List<Integer> members, int rank) {
      this.context = context;
      this.members = members;
      this.rank = rank;
    }

    @Nullable Object call(Method method, Object[] args) throws InterruptedException {
      switch (method.getName()) {
        case "rank" -> {
          return rank;
        }
        case "size" -> {
          return members.size();
        }
        case "split" -> {
          return split((int) args[0], (int) args[1]);
        }
        case "send" -> put((int) args[3], (int) args[4], copy(args[0], args[1], args[2]));
        case "recv" -> take(args[0], args[1], args[2], (int) args[3], (int) args[4]);
        case "sendRecv" -> {
          put((int) args[3], (int) args[4], copy(args[0], args[1], args[2]));
          take(args[5], args[6], args[7], (int) args[8], (int) args[9]);
        }
        case "barrier" -> reduce(new int[1], Op.SUM);
        case "bcast" -> bcast(args[0], (int) args[1]);
        case "allReduce" -> reduce(args[0], (Op) args[1]);
        case "gatherv" -> gatherv(args);
        case "abort" -> throw new Aborted((int) args[0]);
        default -> throw new UnsupportedOperationException(method.toString());
      }
      return null;
    }

    private BlockingQueue<Object> mailbox(int from, int to, int tag) {
      String name = context + " " + members.get(from) + ">" + members.get(to) + " " + tag;
      return mailboxes.computeIfAbsent(name, n -> new LinkedBlockingQueue<>());
    }

    private void put(int to, int tag, Object message) {
      if (to != Comm.PROC_NULL) {
        mailbox(rank, to, tag).add(message);
      }
    }

    private void take(Object into, Object offset, Object count, int from, int tag)
        throws InterruptedException {
      if (from == Comm.PROC_NULL) {
        return;
      }
      Object message =
          requireNonNull(mailbox(from, rank, tag).poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
      if (Array.getLength(message) > ((Number) count).intValue()) {
        throw new IllegalStateException("truncated");
      }
      System.arraycopy(message, 0, into, ((Number) offset).intValue(), Array.getLength(message));
    }

    private void bcast(Object array, int root) throws InterruptedException {
      if (rank != root) {
        take(array, 0, Array.getLength(array), root, -1);
        return;
      }
      for (int r = 0; r < members.size(); r++) {
        if (r != root) {
          put(r, -1, copy(array, 0, Array.getLength(array)));
        }
      }
    }

    private void reduce(Object array, Op op) throws InterruptedException {
      int n = Array.getLength(array);
      if (rank == 0) {
        for (int r = 1; r < members.size(); r++) {
          Object other = copy(array, 0, n);
          take(other, 0, n, r, -2);
          for (int i = 0; i < n; i++) {
            Array.set(array, i, combine(op, Array.get(array, i), Array.get(other, i)));
          }
        }
      } else {
        put(0, -2, copy(array, 0, n));
      }
      bcast(array, 0);
    }

    private Object combine(Op op, Object a, Object b) {
      if (a instanceof Integer x) {
        return op.equals(Op.SUM) ? x + (int) b : Math.max(x, (int) b);
      }
      return op.equals(Op.SUM) ? (double) a + (double) b : Math.max((double) a, (double) b);
    }

    private Comm split(int color, int key) throws InterruptedException {
      int n = members.size();
      int[] colors = new int[n];
      int[] keys = new int[n];
      colors[rank] = color;
      keys[rank] = key;
      reduce(colors, Op.SUM);
      reduce(keys, Op.SUM);
      List<Integer> mine = new ArrayList<>();
      for (int r = 0; r < n; r++) {
        if (colors[r] == color) {
          mine.add(r);
        }
      }
      mine.sort((a, b) -> keys[a] != keys[b] ? keys[a] - keys[b] : a - b);
      return comm(
          context + "." + splits++ + ":" + color,
          mine.stream().map(members::get).toList(),
          members.get(rank));
    }

    private void gatherv(Object[] args) throws InterruptedException {
      int root = (int) args[7];
      put(root, -3, copy(args[0], args[1], args[2]));
      if (rank == root) {
        long[] counts = (long[]) requireNonNull(args[5]);
        long[] displacements = (long[]) requireNonNull(args[6]);
        for (int r = 0; r < members.size(); r++) {
          long offset = ((Number) args[4]).longValue() + displacements[r];
          take(requireNonNull(args[3]), offset, counts[r], r, -3);
        }
      }
    }
  }

  private static Object copy(Object array, Object offset, Object count) {
    int n = ((Number) count).intValue();
    Object copy = Array.newInstance(array.getClass().getComponentType(), n);
    System.arraycopy(array, ((Number) offset).intValue(), copy, 0, n);
    return copy;
  }

  @FunctionalInterface
  private interface Handler {
    @Nullable Object call(Method method, Object[] args) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> handler.call(method, args == null ? new Object[0] : args)));
  }
}
