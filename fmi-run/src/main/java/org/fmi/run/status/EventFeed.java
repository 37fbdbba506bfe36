package org.fmi.run.status;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.fmi.run.Amounts;

/**
 * The job's events as lines, for clients that follow them from the beginning. Keeps only the newest
 * lines, up to a bound, and per client only its position: a client that reads too slowly is
 * refused. Used by one thread.
 */
public final class EventFeed {
  private static final class Follower {
    final Answer answer;

    /** The number of its next line. */
    long next;

    Follower(Answer answer) {
      this.answer = answer;
    }
  }

  private final long mostBytes;
  private final Deque<byte[]> kept = new ArrayDeque<>();
  private final List<Follower> followers = new ArrayList<>();
  private long bytes;

  /** The number of the first kept line. */
  private long first;

  /**
   * @param mostBytes maximum bytes of the kept lines
   */
  public EventFeed(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Adds a line, which ends with a line feed. */
  public void add(byte[] line) {
    kept.add(line);
    bytes += line.length;
    while (bytes > mostBytes && kept.size() > 1) {
      bytes -= kept.remove().length;
      first++;
    }
    pump();
  }

  /** Adds a client, which follows from the first kept line. */
  public void follow(Answer answer) {
    Follower follower = new Follower(answer);
    followers.add(follower);
    follower.next = first;
    pump();
  }

  /** Sends lines that clients lack and can take now; called periodically. */
  public void pump() {
    followers.removeIf(follower -> !pump(follower));
  }

  /** Notes the end of the events. */
  public void end() {
    pump();
    followers.forEach(
        follower -> {
          if (follower.next == first + kept.size()) {
            follower.answer.end();
          } else {
            follower.answer.refuse("the job ended before its last events were read");
          }
        });
    followers.clear();
  }

  /** Sends lines to a client; returns whether it still follows. */
  private boolean pump(Follower follower) {
    if (follower.next < first) {
      follower.answer.refuse(
          Amounts.count(first - follower.next, "event")
              + " were dropped before they were read; fmirun --events writes all events to a file");
      return false;
    }
    Iterator<byte[]> lines = kept.iterator();
    for (long line = first; line < follower.next; line++) {
      lines.next();
    }
    while (lines.hasNext() && follower.answer.isReady()) {
      if (!follower.answer.part(lines.next())) {
        return false;
      }
      follower.next++;
    }
    return true;
  }
}
