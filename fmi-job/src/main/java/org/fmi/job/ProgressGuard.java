package org.fmi.job;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Counts failures in a row between which the job made no progress: no checkpoint was committed, and
 * no rank stopped beyond the furthest iteration reached before. A program that dies at the same
 * place each time, on any rank, is not worth another recovery.
 *
 * <p>Only failures while all ranks ran count. Losses before that are counted by rank, and ranks
 * that move on purpose have not failed.
 */
final class ProgressGuard {
  /** A failure: a rank, the node it was on, and what it died of. */
  private record Failure(int rank, String node, String how) {}

  /** Failures that are remembered if any number is allowed. */
  private static final int REMEMBERED = 8;

  private final int most;

  /** Failures since the last progress, the oldest first. */
  private final Deque<Failure> failures = new ArrayDeque<>();

  private @Nullable Place furthest;

  /**
   * @param most the number of recoveries in a row without progress after which the job ends; 0 for
   *     any number
   */
  ProgressGuard(int most) {
    this.most = most;
  }

  /**
   * Notes a failure while all ranks ran.
   *
   * @param how what the rank died of, as a clause that follows it, as far as it is known
   * @return the end of the job; null if another recovery is worthwhile
   */
  JobCommand.@Nullable End failed(int rank, String node, String how) {
    failures.add(new Failure(rank, node, how));
    if (most == 0) {
      while (failures.size() > REMEMBERED) {
        failures.removeFirst();
      }
      return null;
    }
    return failures.size() <= most ? null : JobCommand.End.failed(EndCause.NO_PROGRESS, text());
  }

  /** Returns how often a rank has failed on a node since the last progress. */
  int failures(int rank, String node) {
    return (int)
        failures.stream().filter(each -> each.rank == rank && each.node.equals(node)).count();
  }

  /** Notes what the rank that failed last has died of, once that is known. */
  void diedOf(int rank, String how) {
    Failure last = failures.peekLast();
    if (last != null && last.rank == rank) {
      failures.removeLast();
      failures.add(new Failure(rank, last.node, how));
    }
  }

  /**
   * Notes where a rank had stopped when the newest failure was noticed. If that is further than
   * ever, the recoveries before it were of use.
   */
  void stopped(Place place) {
    if (reached(place)) {
      while (failures.size() > 1) {
        failures.removeFirst();
      }
    }
  }

  /** Notes a committed checkpoint. */
  void committed(Place place) {
    failures.clear();
    boolean _ = reached(place);
  }

  private boolean reached(Place place) {
    Place before = furthest;
    boolean further = before == null || place.isBeyond(before);
    furthest = further ? place : before;
    return further;
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    text.append(failures.size()).append(" failures in a row without progress between them:");
    for (Failure each : failures) {
      text.append("\n  rank ").append(each.rank).append(" on ").append(each.node);
      text.append(": ").append(each.how);
    }
    return text.toString();
  }
}
