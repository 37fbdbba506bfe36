package org.fmi.core.epoch;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.fmi.FaultEvent;
import org.fmi.FaultEvent.Failed;
import org.fmi.Fmi;
import org.fmi.ProcessState;
import org.fmi.spi.Diagnostics;
import org.jspecify.annotations.Nullable;

/**
 * The states of other ranks' processes, as known to a rank, and the program's listeners. Any
 * thread.
 *
 * <pre>
 *   ALIVE --suspected--> SUSPECTED --dead--> DEAD
 *     ^ |                    |               ^ |
 *     | +--------------------|-----dead------+ |
 *     +-------- alive -------+                 |
 *     +--- all run again (not where a job shrinks)
 * </pre>
 *
 * <p>Listeners run on a daemon thread, made for the first one. It works through a queue of events,
 * each with the listeners that were registered when it came.
 */
public final class FaultEvents {
  /** An event, and the listeners that see it. */
  private record Entry(FaultEvent event, List<Listener> listeners) {}

  private final class Listener implements Fmi.Listening {
    final Consumer<? super FaultEvent> consumer;

    /** Used by the listeners' thread only. */
    private boolean hasThrown;

    Listener(Consumer<? super FaultEvent> consumer) {
      this.consumer = consumer;
    }

    @Override
    public void close() {
      listeners.remove(this);
    }

    @SuppressWarnings("CatchingUnchecked") // whatever the program throws concerns it alone
    void see(FaultEvent event) {
      try {
        consumer.accept(event);
      } catch (Exception | Error e) {
        if (!hasThrown) {
          hasThrown = true;
          diagnostics.report(
              "a listener of rank %d has thrown %s at %s; it is called again, and not reported again"
                  .formatted(rank, e, event));
        }
      }
    }
  }

  private final int rank;
  private final Diagnostics diagnostics;
  private final ProcessState[] states;

  /** The epoch in which each rank was last suspected or declared dead. */
  private final int[] markedIn;

  /** The hops of the notice about each rank. */
  private final int[] hops;

  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Deque<Entry> queue = new ArrayDeque<>();
  private @Nullable Thread thread;
  private boolean closed;

  /** All ranks are alive, and there are no listeners. */
  FaultEvents(int rank, int size, Diagnostics diagnostics) {
    this.rank = rank;
    this.diagnostics = diagnostics;
    states = new ProcessState[size];
    Arrays.fill(states, ProcessState.ALIVE);
    markedIn = new int[size];
    hops = new int[size];
    Arrays.fill(hops, Failed.TOLD);
  }

  /** The state of a rank, which exists. */
  public synchronized ProcessState state(int of) {
    return states[of];
  }

  // ---- what happens

  /**
   * A rank is suspected.
   *
   * @param publish whether programs see it as a failure
   */
  synchronized void suspected(int epoch, int failed, int passed, boolean publish) {
    if (states[failed] == ProcessState.ALIVE) {
      states[failed] = ProcessState.SUSPECTED;
      markedIn[failed] = epoch;
      hops[failed] = passed;
      if (publish) {
        publish(new Failed(failed, "detector", passed));
      }
    }
  }

  /** The job has declared a rank dead that programs may have seen as failed before. */
  synchronized void dead(int epoch, int failed) {
    boolean known = states[failed] != ProcessState.ALIVE;
    states[failed] = ProcessState.DEAD;
    markedIn[failed] = epoch;
    if (!known) {
      publish(new Failed(failed, "fmirun", Failed.TOLD));
    }
  }

  /** A rank has died for good, in a job that continues without it. */
  synchronized void lost(int failed, String by) {
    if (states[failed] != ProcessState.DEAD) {
      states[failed] = ProcessState.DEAD;
      markedIn[failed] = Integer.MAX_VALUE;
      publish(new Failed(failed, by, hops[failed]));
    }
  }

  /** A rank was accused, and lives. */
  synchronized void alive(int accused) {
    if (states[accused] == ProcessState.DEAD) {
      return; // it has died since
    }
    states[accused] = ProcessState.ALIVE;
    hops[accused] = Failed.TOLD;
    publish(new FaultEvent.FalsePositive(accused));
  }

  /** The rank runs in an epoch, in which all are alive that were not suspected in it. */
  synchronized void running(int epoch, long iteration) {
    for (int r = 0; r < states.length; r++) {
      if (markedIn[r] < epoch) {
        states[r] = ProcessState.ALIVE;
        hops[r] = Failed.TOLD;
      }
    }
    if (epoch > 0) {
      publish(new FaultEvent.Recovered(epoch, iteration));
    }
  }

  /** A checkpoint is due before this iteration. */
  public void checkpointDue(long iteration) {
    publish(new FaultEvent.CheckpointDue(iteration));
  }

  /** A checkpoint is committed. */
  public void checkpointDone(long version) {
    publish(new FaultEvent.CheckpointDone(version));
  }

  // ---- listeners

  /**
   * Registers a listener.
   *
   * @param first takes the thread of all listeners before it starts, once
   */
  public synchronized Fmi.Listening listen(
      Consumer<? super FaultEvent> consumer, Consumer<Thread> first) {
    Listener listener = new Listener(consumer);
    if (thread == null) {
      Thread made = Thread.ofPlatform().daemon().name("fmi-listeners").unstarted(this::run);
      thread = made;
      first.accept(made);
      made.start();
    }
    listeners.add(listener);
    return listener;
  }

  private synchronized void publish(FaultEvent event) {
    if (!listeners.isEmpty() && !closed) {
      queue.add(new Entry(event, List.copyOf(listeners)));
      notifyAll();
    }
  }

  /** No event follows: the thread ends once the listeners have seen all. */
  public synchronized void close() {
    closed = true;
    notifyAll();
  }

  private void run() {
    for (Entry next = take(); next != null; next = take()) {
      for (Listener each : next.listeners) {
        each.see(next.event);
      }
    }
  }

  /** The next event; null after the last one. */
  private synchronized @Nullable Entry take() {
    while (queue.isEmpty() && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        // Only a listener can interrupt its own thread: that ends nothing.
      }
    }
    return queue.poll();
  }
}
