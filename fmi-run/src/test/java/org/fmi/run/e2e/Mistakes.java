package org.fmi.run.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Message;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.StateRef;

/** Makes the mistake that its first argument names: see {@code docs/mistakes.md}. */
public final class Mistakes {
  private static final int ITERATIONS = 12;
  private static final int AT = 5;
  private static final int OVER_2_GIB = (1 << 28) + 1;

  private Mistakes() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "before-init" -> throw new IOException("no input");
      case "without-try" -> Fmi.init(args).loop(0, n -> {}, new int[1]);
      case "finally" -> inFinally(args);
      default -> {
        try (Fmi fmi = Fmi.init(args)) {
          make(args[0], fmi);
        }
        after(args[0]);
      }
    }
  }

  private static void inFinally(String[] args) {
    Fmi fmi = Fmi.init(args);
    try {
      fail(fmi, 1);
      waitForAny(fmi);
    } finally {
      fmi.close();
    }
  }

  private static void after(String name) {
    switch (name) {
      case "after-close" -> throw new IllegalStateException("a mistake after close");
      case "thread" ->
          Thread.ofPlatform().name("forgotten").start(() -> new CompletableFuture<Void>().join());
      default -> {}
    }
  }

  private static void make(String name, Fmi fmi) throws Exception {
    Comm world = fmi.world();
    int rank = world.rank();
    long[] state = new long[4];
    StateRef<Request[]> begun = StateRef.of(new Request[1]);
    switch (name) {
      // ---- exceptions
      case "before-loop" -> {
        fail(fmi, 1);
        waitForAny(fmi);
      }
      case "in-collective" -> {
        fail(fmi, 1);
        world.barrier();
      }
      case "after-loop" -> {
        fmi.loop(ITERATIONS, n -> state[0]++, state);
        fail(fmi, 1);
        waitForAny(fmi);
      }
      case "body" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT) {
                  fail(fmi, 1);
                  waitForAny(fmi);
                }
                world.barrier();
              },
              state);
      case "body-all" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT) {
                  fail(fmi, rank);
                }
              },
              state);
      case "body-checked" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT) {
                  throw new IOException("disk full");
                }
              },
              state);
      case "paper" -> {
        long n;
        while ((n = fmi.nextIteration(state)) < ITERATIONS) {
          try {
            if (n == AT) {
              fail(fmi, 1);
              waitForAny(fmi);
            }
            world.barrier();
          } catch (Rollback e) {
            // The next call goes back.
          }
        }
      }
      case "other-thread" -> {
        if (rank == 1) {
          Thread thread = new Thread(() -> fail(fmi, 1), "helper");
          thread.start();
          thread.join();
        }
      }
      // ---- arguments
      case "arguments" -> arguments(world);
      case "skipped" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n != 5 || rank != 1) {
                  world.bcast(state, 0);
                }
              },
              state);
      case "unreceived" -> {
        if (rank == 0) {
          world.send(state, 1, 3);
        }
      }
      case "unfit" -> {
        if (rank == 0) {
          world.send(new int[4], 1, 2);
          world.send(new int[8], 1, 3);
        } else {
          shown(() -> world.recv(new double[2], 0, 2));
          world.recv(new int[4], 0, 3);
        }
      }
      case "objects" -> {
        if (rank == 0) {
          shown(() -> world.sendObject(new Thread(), 1, 3));
          world.sendObject("text", 1, 3);
          world.sendObject(Duration.ZERO, 1, 4);
        } else {
          shown(() -> world.recvObject(Integer.class, 0, 3));
          world.recvObject(Integer.class, 0, 4);
        }
      }
      case "other-loops" -> {
        if (rank == 0) {
          fmi.loop(ITERATIONS, n -> state[0]++, state);
        }
      }
      case "iterations" -> fmi.loop(rank == 0 ? ITERATIONS : 3, n -> world.barrier(), state);
      case "flow", "flow-later" ->
          fmi.flowLoop(
              ITERATIONS,
              Flow.of(new int[world.size()][0]),
              inFlow(name, world),
              () -> new long[1],
              s -> new Object[] {s});
      case "unregistered" -> {
        long[] forgotten = new long[1];
        fmi.loop(ITERATIONS, n -> state[0] += ++forgotten[0], state);
      }
      case "accumulator" -> {
        long[] total = new long[1];
        fmi.loop(ITERATIONS, n -> total[0] += n, state);
        state[0] += total[0];
      }
      case "random" ->
          fmi.loop(ITERATIONS, n -> state[0] = ThreadLocalRandom.current().nextLong(), state);
      case "seeded" -> {
        Random generator = new Random(42);
        fmi.loop(ITERATIONS, n -> state[0] = generator.nextLong(), state);
      }
      case "replaced" -> {
        long[][] current = {state};
        fmi.loop(
            ITERATIONS,
            n -> {
              long next = current[0][0] + 1;
              current[0] = new long[] {next};
              world.send(current[0], 0, 3);
              world.recv(new long[1], 0, 3);
            },
            state);
      }
      case "short-read" -> {
        ShortRead pair = new ShortRead();
        fmi.loop(ITERATIONS, n -> pair.first += pair.second++, pair);
      }
      // ---- collectives
      case "mismatched" -> mismatched(world);
      case "mismatched-later" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                world.barrier();
                world.allReduce(new int[n == AT ? 4 + rank : 4], Op.SUM);
              },
              state);
      // ---- messages
      case "no-send" -> {
        if (rank == 0) {
          world.recv(state, 1, 3);
        }
      }
      case "no-sends" -> world.recv(state, 1 - rank, 3);
      case "ring" -> {
        byte[] large = new byte[8 << 20];
        world.send(large, (rank + 1) % world.size(), 3);
        world.recv(large, (rank + world.size() - 1) % world.size(), 3);
      }
      case "early" -> early(world);
      case "endless" -> {
        if (rank == 1) {
          new CompletableFuture<Void>().join();
        }
        world.barrier();
      }
      case "two-threads" -> {
        Thread other = new Thread(() -> world.recv(new long[1], 0, 3), "helper");
        other.start();
        Thread.sleep(1_000); // one waits by then: two that begin at a time may spoil anything
        world.recv(state, 0, 4);
      }
      case "exception-retry" -> retry(fmi, state, Exception.class);
      case "throwable-retry" -> retry(fmi, state, Throwable.class);
      // ---- loops
      case "nested" -> fmi.loop(ITERATIONS, n -> fmi.loop(1, m -> state[0]++, state), state);
      case "request-not-kept", "request-elsewhere" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                Request next = world.irecv(new long[1], rank, 3);
                if (name.equals("request-elsewhere")) {
                  begun.get()[0] = next;
                }
              },
              begun,
              state);
      case "message-not-received" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                world.send(new long[1], rank, 3);
                Message _ = world.mprobe(rank, 3);
              },
              state);
      case "close-inside" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT) {
                  fmi.close();
                }
              },
              state);
      // ---- ends
      case "exit" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT && rank == 1) {
                  System.exit(3);
                }
                world.barrier();
              },
              state);
      case "memory" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT && rank == 1) {
                  state[1] = new long[1 << 28].length;
                }
                world.barrier();
              },
              state);
      case "recursion" ->
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == AT && rank == 1) {
                  state[1] = endless(n);
                }
                world.barrier();
              },
              state);
      // ---- what is not the program's fault
      case "output" -> {
        byte[] line = ("x".repeat(79) + "\n").getBytes(StandardCharsets.US_ASCII);
        byte[] lines = new byte[1 << 14];
        int length = 0;
        for (int i = 0; i < 1_000_000; i++) {
          if (length + line.length > lines.length) {
            System.out.write(lines, 0, length);
            length = 0;
          }
          System.arraycopy(line, 0, lines, length, line.length);
          length += line.length;
        }
        System.out.write(lines, 0, length);
        System.out.flush();
      }
      case "long-state" -> {
        long[] longs = new long[OVER_2_GIB];
        fmi.loop(4, n -> longs[OVER_2_GIB - 1] += n, longs);
        System.out.println("last element " + longs[OVER_2_GIB - 1]);
      }
      case "long-message" -> {
        long[] longs = new long[OVER_2_GIB];
        if (rank == 0) {
          longs[OVER_2_GIB - 1] = 6;
          world.send(longs, 1, 0);
        } else {
          world.recv(longs, 0, 0);
          System.out.println("last element " + longs[OVER_2_GIB - 1]);
        }
      }
      case "wait" -> {
        if (rank == 0) {
          System.out.println("ready");
        }
        waitForAny(fmi);
      }
      case "large" -> fmi.loop(ITERATIONS, n -> world.barrier(), new long[1 << 22]);
      case "after-close", "thread" -> {
        // below
      }
      case "ok" -> fmi.loop(ITERATIONS, n -> world.barrier(), state);
      default -> throw new IllegalArgumentException(name);
    }
  }

  /** Reads less than it writes. */
  private static final class ShortRead implements BytesMarshallable {
    private long first = 1;
    private long second = 2;

    @Override
    public void writeMarshallable(BytesOut<?> out) {
      out.writeLong(first).writeLong(second);
    }

    @Override
    public void readMarshallable(BytesIn<?> in) {
      first = in.readLong();
    }
  }

  /** What the exchange does wrong is caught. */
  private static FlowBody<long[]> inFlow(String name, Comm world) {
    return new FlowBody<>() {
      private boolean isTime(long n, String mistake) {
        return n == AT && world.rank() == 0 && name.equals(mistake);
      }

      @Override
      public void exchange(long n, long[] now) {
        if (isTime(n, "flow-later")) {
          world.send(now, 1, 3);
        } else if (isTime(n, "flow")) {
          try {
            world.recv(now, 1, 3);
          } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
          }
        }
      }

      @Override
      public void step(long n, long[] now, long[] next) {
        if (isTime(n, "flow")) {
          world.recv(next, 1, 3);
        }
      }
    };
  }

  /** What is received first is sent last. */
  private static void early(Comm world) {
    int messages = 3000;
    byte[] message = new byte[1000];
    if (world.rank() == 0) {
      for (int i = 0; i < messages; i++) {
        message[0] = (byte) i;
        world.send(message, 1, 7);
      }
      world.send(message, 1, 8);
      return;
    }
    world.recv(message, 0, 8);
    for (int i = 0; i < messages; i++) {
      world.recv(message, 0, 7);
      if (message[0] != (byte) i) {
        throw new IllegalStateException("message " + i + " has " + message[0]);
      }
    }
    System.out.println("received " + messages + " in order");
  }

  /** All but the last are caught, so that one job shows them. */
  private static void arguments(Comm world) {
    int[] four = new int[4];
    List<Runnable> calls =
        List.of(
            () -> world.send(four, 2, 0),
            () -> world.recv(four, 7, 0),
            () -> world.send(four, 1, -5),
            () -> world.bcast(four, 2),
            () -> world.send("text", 1, 0),
            () -> world.send(Slice.of(four, 3, 2), 1, 0),
            () -> world.send(Slice.of(four, 0, -1), 1, 0));
    calls.forEach(Mistakes::shown);
    calls.getFirst().run();
  }

  /** Makes a call that is refused, and shows how. */
  private static void shown(Runnable call) {
    try {
      call.run();
    } catch (FmiException e) {
      System.out.println(e.getMessage());
    }
  }

  /** All but the last are caught, and each spoils a communicator of its own. */
  private static void mismatched(Comm world) {
    int rank = world.rank();
    List<Consumer<Comm>> calls =
        List.of(
            c -> {
              if (rank == 0) {
                c.bcast(new int[4], 0);
              } else {
                c.allReduce(new int[4], Op.SUM);
              }
            },
            c -> {
              c.bcast(new int[4], rank);
              c.barrier();
            },
            c -> c.bcast(new int[4 + rank], 0),
            c -> c.bcast(rank == 0 ? new int[4] : new float[4], 0),
            c ->
                c.gatherv(
                    Slice.of(new int[3], 0, 1 + rank), new int[2], ones(), new long[] {0, 1}, 0));
    for (Consumer<Comm> call : calls) {
      Comm own = world.dup();
      try {
        call.accept(own);
      } catch (FmiException e) {
        System.out.println(e.getMessage());
      }
    }
    world.allReduce(new int[4], rank == 0 ? Op.SUM : Op.MAX);
  }

  private static long[] ones() {
    return new long[] {1, 1};
  }

  private static void retry(Fmi fmi, long[] state, Class<? extends Throwable> caught) {
    Comm world = fmi.world();
    fmi.loop(
        ITERATIONS,
        n -> {
          boolean done = false;
          while (!done) {
            try {
              world.barrier();
              done = true;
            } catch (Throwable e) {
              if (!caught.isInstance(e)) {
                throw e;
              }
            }
          }
          state[0] += n;
        },
        state);
    if (world.rank() == 0) {
      System.out.println("sum " + state[0]);
    }
  }

  private static long endless(long depth) {
    return depth < 0 ? 0 : 1 + endless(depth + 1);
  }

  private static void fail(Fmi fmi, int rank) {
    if (fmi.world().rank() == rank) {
      throw new ArithmeticException("a mistake of rank " + rank);
    }
  }

  private static void waitForAny(Fmi fmi) {
    fmi.world().recv(new int[1], Comm.ANY_SOURCE, 0);
  }
}
