package org.fmi.transport.rdma;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Ends a transport's work in the right order: memory is freed only when the device has let go of
 * it. First the program's, when the program wants that; then all.
 */
final class Shutdown {
  /** At close, for what was sent to reach the peers' devices. */
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** At close, for outstanding work to fail. */
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
          // Heard by the peer; but the device must let go of the program's memory.
          link.connection.close();
        }
      }
      cache.close();
    }
  }

  /** Ends all connections. What was accepted has a short time to go out first. */
  void close() throws IOException {
    if (!stopped) {
      flush();
    }
    links.disconnect();
    drain();
    links.close();
    cache.close();
  }

  /** Gives what was accepted a short time to reach the peers' devices. */
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
   * Waits until no work is outstanding: the device has let go of its buffers. A marker tells that
   * for what was not signalled, by failing.
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
      // The device takes no more work for it: what is outstanding ends with the queue pair.
      return false;
    }
  }
}
