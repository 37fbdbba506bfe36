package org.fmi.job.daemon;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A daemon's permission to let its ranks run. It is requested every third of its term, and lasts
 * until one term after the <i>sending</i> of the newest request that fmirun has granted, by the
 * clock of the daemon. So fmirun knows, without a clock in common, when the ranks of a node that it
 * no longer hears have stopped: one term after its last grant. The daemon stops them then, and
 * keeps their memory; the next grant continues them. It gives up when it has had no grant for the
 * grace.
 *
 * <p>Time in which the daemon itself was stopped counts for the term, because fmirun cannot know
 * it, but not for the grace.
 */
final class Lease {
  private static final int REQUESTS_PER_TERM = 3;

  /** A request without an answer, and when it was sent. */
  private record Request(int number, long at) {}

  private final long term;
  private final long grace;
  private final Deque<Request> open = new ArrayDeque<>();
  private int requests;
  private long nextRequest;
  private long end;
  private boolean expired;

  /** The time at which the daemon gives up, once the lease has expired. */
  private long last;

  /**
   * @param term the duration of a lease, in nanoseconds
   * @param grace the time without a lease after which the daemon gives up
   */
  Lease(long term, long grace) {
    this.term = term;
    this.grace = grace;
  }

  /** Begins with a lease: fmirun has just proved itself. */
  void begin(long now) {
    nextRequest = now + term / REQUESTS_PER_TERM;
    end = now + term;
  }

  boolean isExpired() {
    return expired;
  }

  /** Returns when {@link #request}, {@link #expires} or {@link #isOver} changes. */
  long due() {
    long change = expired ? last : end;
    return nextRequest - change < 0 ? nextRequest : change;
  }

  /** Accounts for a look at this time, in which the daemon may have been late. */
  void look(long now) {
    long late = now - due();
    if (expired && late > term / 2) {
      last += late;
    }
  }

  /** Whether a request is due. */
  boolean isRequestDue(long now) {
    return now - nextRequest >= 0;
  }

  /** Returns the number of a request that is sent now. */
  int request(long now) {
    nextRequest = now + term / REQUESTS_PER_TERM;
    open.add(new Request(requests, now));
    return requests++;
  }

  /**
   * Notes that a request was granted.
   *
   * @return whether the lease was expired and no longer is
   */
  boolean granted(int number, long now) {
    Request request;
    while ((request = open.peek()) != null && request.number <= number) {
      open.remove();
      if (request.number == number && request.at + term - end > 0) {
        end = request.at + term;
      }
    }
    boolean renewed = expired && end - now > 0;
    expired &= !renewed;
    return renewed;
  }

  /** Whether it expires now. */
  boolean expires(long now) {
    if (expired || now - end < 0) {
      return false;
    }
    expired = true;
    last = now + grace;
    return true;
  }

  /** Whether the daemon gives up. */
  boolean isOver(long now) {
    return expired && now - last >= 0;
  }
}
