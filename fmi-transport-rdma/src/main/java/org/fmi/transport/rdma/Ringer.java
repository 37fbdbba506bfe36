package org.fmi.transport.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.node.BellRope;
import org.fmi.verbs.Sleeper;

/**
 * Rings another transport's bell, in which the rank sleeps, when the device has an event. The
 * device can only make descriptors readable, so a thread waits for them, only while the rank
 * sleeps.
 */
final class Ringer implements AutoCloseable {
  private static final int DISARMED = 0;
  private static final int CLOSED = -1;
  private static final int NOTHING = -1;

  /** The bell to ring; {@link #DISARMED}, {@link #CLOSED}. */
  private final AtomicInteger bell = new AtomicInteger(DISARMED);

  private final int[] descriptors;
  private final int[] nothing;
  private final Sleeper sleeper;
  private final BellRope rope = new BellRope();
  private final Thread thread;

  Ringer(String name, int... descriptors) throws IOException {
    this.descriptors = descriptors.clone();
    this.nothing = new int[descriptors.length];
    Arrays.fill(nothing, NOTHING);
    sleeper = new Sleeper(nothing);
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether it is armed with that bell. */
  boolean armed(int port) {
    return bell.get() == port;
  }

  /** Arms it: it rings that bell once at the next event, or at once if there is one already. */
  void arm(int port) {
    bell.set(port);
    sleeper.wakeup();
  }

  private void run() {
    try {
      for (int port; (port = bell.get()) != CLOSED; ) {
        sleeper.watch(port == DISARMED ? nothing : descriptors);
        if (sleeper.sleep(Long.MAX_VALUE) && bell.compareAndSet(port, DISARMED)) {
          rope.ring(port);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot wake the rank", e);
    }
  }

  @Override
  public void close() throws IOException {
    bell.set(CLOSED);
    sleeper.wakeup();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    sleeper.close();
    rope.close();
  }
}
