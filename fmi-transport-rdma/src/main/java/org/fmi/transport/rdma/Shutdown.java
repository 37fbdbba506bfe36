package org.fmi.transport.rdma;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Ends a transport's work in the right order: memory is freed only after the device has released
 * it. First the program's memory, on request; then everything.
 */
final class Shutdown {
  /** The time limit, at close, for sends to reach the peers' devices. */
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The time limit, at close, for outstanding work to fail. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Links links;
  private final Completions completions;
  private final RegistrationCache cache;
  private boolean stopped;

  Shutdown(Links links, Completions completions, RegistrationCache cache) {
    this.links = links;
    this.completions = completions;
    this.cache = cache;
  }

  /** See {@link org.fmi.spi.RemoteMemory#stop}. */
  void stop() throws IOException {
    if (stopped) {
      return;
    }
    stopped = true;
    links.halt();
    try {
      drain();
    } finally {
      for (Link link : links.all()) {
        if (link.busy()) {
          // The peer will notice; but the device must release the program's memory.
          link.connection.close();
        }
      }
      cache.close();
    }
  }

  /** Ends all connections, after a short time for accepted frames to leave. */
  void close() throws IOException {
    if (!stopped) {
      flush();
    }
    links.disconnect();
    drain();
    links.close();
    cache.close();
  }

  /** Gives accepted frames a short time to reach the peers' devices. */
  private void flush() throws IOException {
    long begin = System.nanoTime();
    boolean more = true;
    while (more && System.nanoTime() - begin < FLUSH_NANOS) {
      more = false;
      for (Link link : links.all()) {
        if (link.state == Link.State.OPEN) {
          more |= awaitsCompletion(link);
        }
      }
      completions.takeRest();
    }
  }

  /**
   * Waits until no work is outstanding, so that the device has released its buffers. For
   * unsignalled work, the failure of a marker shows this.
   */
  private void drain() throws IOException {
    long begin = System.nanoTime();
    boolean more = true;
    while (more && System.nanoTime() - begin < DRAIN_NANOS) {
      more = false;
      for (Link link : links.all()) {
        more |= awaitsCompletion(link);
      }
      completions.takeRest();
    }
  }

  private static boolean awaitsCompletion(Link link) {
    try {
      return link.flush();
    } catch (IOException e) {
      // The device takes no more work for it: outstanding work ends with the queue pair.
      return false;
    }
  }
}
