package org.fmi.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs events and threads in virtual time, one at a time, in an order drawn from a seed: the same
 * seed gives the same run.
 *
 * <p>A thread runs until it blocks in a simulated primitive; then it executes events in the order
 * of virtual time, until one of them resumes a thread: itself, or another one, which gets the
 * baton. So at most one switch of threads, which takes longer than most events, is needed. Virtual
 * time stands still while code runs. All code that touches a simulation holds the baton (as an
 * event or as the running thread), so no locks are needed; the hand-over of the volatile baton
 * orders memory. A lock held by a blocked thread does not exclude the events that this thread
 * executes: the simulation does not notice that they would have to wait.
 */
public final class Simulation {
  private static final int KEPT_TRACE = 64;
  private static final int MOST_CANCELLED = 64;

  /** After this much real time without an event the running code is taken to be blocked. */
  private static final long STUCK_NANOS = Duration.ofSeconds(60).toNanos();

  private final long seed;
  private final long maxNanos;
  private final long maxEvents;
  private final SplittableRandom random;
  private final PriorityQueue<Event> queue = new PriorityQueue<>();

  /** The number of cancelled events in the queue, most of which are timeouts. */
  private int cancelled;

  private final List<SimThread> threads = new ArrayList<>();
  private final List<Supplier<String>> reporters = new ArrayList<>();
  private final @Nullable Event[] kept = new Event[KEPT_TRACE];

  private long now;
  private long sequence;
  private long executed;
  private long traced;
  private long hash = 0xcbf29ce484222325L;
  private boolean over;
  private @Nullable Consumer<String> tracer;
  private @Nullable SimulationFailure failure;

  /** The progress as seen by the watchdog. */
  private volatile long beat;

  private volatile @Nullable Thread driver;
  private BooleanSupplier finished = () -> false;

  /** The thread that may run its own code or events; null for the driver. */
  private volatile @Nullable SimThread baton;

  /** The thread whose code runs; null for an event's. */
  private volatile @Nullable SimThread running;

  /** The thread that runs when the event is over. */
  private @Nullable SimThread resumed;

  /**
   * Creates a simulation with limits that suit a job of seconds: ten minutes of virtual time, five
   * million events.
   */
  public Simulation(long seed) {
    this(seed, Duration.ofMinutes(10).toNanos(), 5_000_000);
  }

  /**
   * Creates a simulation.
   *
   * @param maxNanos virtual time after which it counts as hanging
   * @param maxEvents number of events after which it counts as hanging
   */
  public Simulation(long seed, long maxNanos, long maxEvents) {
    this.seed = seed;
    this.maxNanos = maxNanos;
    this.maxEvents = maxEvents;
    this.random = new SplittableRandom(seed);
  }

  public long seed() {
    return seed;
  }

  /** Virtual nanoseconds since the start. */
  public long nanoTime() {
    return now;
  }

  /** The source of all randomness in this simulation. */
  public SplittableRandom random() {
    return random;
  }

  /** The number of events executed so far. */
  public long events() {
    return executed;
  }

  /** Digest of all events so far, their order and their times. */
  public long traceHash() {
    return hash;
  }

  /** Sets the listener that gets each event as text. */
  public void traceTo(Consumer<String> listener) {
    tracer = listener;
  }

  /** Adds a report to the text of a failure. */
  public void onFailure(Supplier<String> report) {
    reporters.add(report);
  }

  /**
   * Schedules an event; events at the same moment run in an order drawn from the seed.
   *
   * @param what a constant that names the event in the trace
   * @param subject the rank or node concerned, in the trace
   */
  public Event after(long nanos, String what, long subject, Runnable action) {
    if (nanos < 0) {
      throw new IllegalArgumentException("an event in the past: " + what);
    }
    Event event = new Event(now + nanos, random.nextInt(), sequence++, what, subject, action);
    if (cancelled > MOST_CANCELLED && 2 * cancelled > queue.size()) {
      queue.removeIf(e -> e.cancelled);
      cancelled = 0;
    }
    queue.add(event);
    return event;
  }

  /** Adds an action of the running code to the trace. */
  public void note(String what, long subject) {
    trace(new Event(now, 0, sequence++, what, subject, () -> {}));
  }

  /** Creates a thread; it runs when an event resumes it. */
  SimThread thread(String name, Runnable body) {
    SimThread thread = new SimThread(this, name, body);
    threads.add(thread);
    return thread;
  }

  /** Whether the simulation has ended: threads are only unwound, without effect. */
  boolean over() {
    return over;
  }

  /**
   * Runs until {@code finished}. Called once.
   *
   * @throws SimulationFailure if no event is left before that, a limit is reached, code in an event
   *     or thread failed, or the running code blocks outside of simulated primitives
   */
  public void run(BooleanSupplier finished) {
    if (driver != null) {
      throw new IllegalStateException("a simulation runs once");
    }
    this.finished = finished;
    Thread loop = Thread.ofVirtual().name("simulation-" + seed).unstarted(this::drive);
    driver = loop;
    loop.start();
    watch(loop);
    if (failure != null) {
      throw failure;
    }
  }

  private void drive() {
    while (!over) {
      takeEvents(null);
    }
    for (SimThread thread : threads) {
      thread.unwind();
    }
  }

  /**
   * Executes events until {@code me} is resumed. Called by the holder of the baton; null for the
   * driver.
   */
  void takeEvents(@Nullable SimThread me) {
    running = null;
    SimThread next = nextThread();
    if (next != me) {
      give(next);
      awaitBaton(me);
    }
    running = me;
  }

  /** The thread that is resumed next; null if the simulation is over. */
  private @Nullable SimThread nextThread() {
    while (true) {
      try {
        over = failure != null || finished.getAsBoolean();
        if (over) {
          return null;
        }
        Event event = queue.poll();
        if (event == null) {
          fail("deadlock: nothing is left to happen", null);
        } else if (event.cancelled) {
          cancelled--;
        } else {
          execute(event);
        }
      } catch (Throwable t) {
        fail("an event failed", t);
      }
      SimThread next = resumed;
      if (next != null) {
        resumed = null;
        return next;
      }
    }
  }

  private void execute(Event event) {
    if (event.time > maxNanos) {
      fail("not finished after " + maxNanos / 1_000_000 + " ms of virtual time", null);
    } else if (executed == maxEvents) {
      fail("not finished after " + maxEvents + " events", null);
    } else {
      now = event.time;
      beat = ++executed;
      trace(event);
      event.action.run();
    }
  }

  /** Detects that the running code blocks outside of the simulation. */
  private void watch(Thread loop) {
    long seen = -1;
    long since = System.nanoTime();
    boolean interrupted = false;
    while (true) {
      try {
        if (loop.join(Duration.ofMillis(200))) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
        break;
      }
      long beatNow = beat;
      if (beatNow != seen) {
        seen = beatNow;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > STUCK_NANOS) {
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (loop.isAlive()) {
      SimThread code = running;
      SimThread holder = baton;
      StringBuilder text = new StringBuilder();
      text.append(interrupted ? "interrupted" : "blocked outside of the simulation");
      text.append(", seed ").append(seed).append(": ");
      text.append(code == null ? "an event" : code.name());
      append(text, holder == null ? loop.getStackTrace() : holder.stack());
      throw new SimulationFailure(text.toString(), null);
    }
  }

  /** Ends the simulation as failed; the first failure counts. Called by the holder of the baton. */
  void fail(String reason, @Nullable Throwable cause) {
    if (failure != null) {
      return;
    }
    StringBuilder text = new StringBuilder(reason);
    if (cause != null) {
      text.append(": ").append(cause);
    }
    text.append("\n  seed ").append(seed).append(", virtual time ").append(now);
    text.append(" ns, event ").append(executed).append("\n  the last events:");
    for (long i = Math.max(0, traced - KEPT_TRACE); i < traced; i++) {
      text.append("\n    ").append(kept[(int) (i % KEPT_TRACE)]);
    }
    for (Supplier<String> reporter : reporters) {
      text.append("\n  ").append(reporter.get());
    }
    for (SimThread thread : threads) {
      if (!thread.ended()) {
        text.append("\n  ").append(thread.name());
        append(text, thread.stack());
      }
    }
    failure = new SimulationFailure(text.toString(), cause);
  }

  private static void append(StringBuilder text, StackTraceElement[] stack) {
    for (StackTraceElement element : stack) {
      text.append("\n      at ").append(element);
    }
  }

  private void trace(Event event) {
    kept[(int) (traced++ % KEPT_TRACE)] = event;
    Consumer<String> to = tracer;
    if (to != null) {
      to.accept(event.toString());
    }
    hash = (hash ^ event.time) * 0x100000001b3L;
    hash = (hash ^ event.what.hashCode()) * 0x100000001b3L;
    hash = (hash ^ event.subject) * 0x100000001b3L;
    hash ^= hash >>> 29;
  }

  /** Whether {@code thread} runs its own code. */
  boolean isRunning(SimThread thread) {
    return running == thread;
  }

  /** Lets a thread run when the current event is over. */
  void resume(SimThread thread) {
    assert resumed == null : "an event resumes two threads";
    resumed = thread;
  }

  /** Gives the baton to a thread, or to the driver if null. */
  void give(@Nullable SimThread next) {
    running = next;
    baton = next;
    if (next == null) {
      LockSupport.unpark(driver);
    } else {
      next.wake();
    }
  }

  /** Blocks until {@code me} holds the baton; null stands for the driver. */
  void awaitBaton(@Nullable SimThread me) {
    while (baton != me) {
      LockSupport.park(this);
    }
  }

  /** An event at a moment of virtual time. */
  public final class Event implements Comparable<Event> {
    private final long time;
    private final int tie;
    private final long sequence;
    private final String what;
    private final long subject;
    private final Runnable action;
    private boolean cancelled;

    private Event(long time, int tie, long sequence, String what, long subject, Runnable action) {
      this.time = time;
      this.tie = tie;
      this.sequence = sequence;
      this.what = what;
      this.subject = subject;
      this.action = action;
    }

    /** Cancels the event. */
    public void cancel() {
      if (!cancelled) {
        cancelled = true;
        Simulation.this.cancelled++;
      }
    }

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(time, other.time);
      if (byTime != 0) {
        return byTime;
      }
      int byTie = Integer.compare(tie, other.tie);
      return byTie != 0 ? byTie : Long.compare(sequence, other.sequence);
    }

    @Override
    public String toString() {
      return time + " " + what + " " + subject;
    }
  }
}
