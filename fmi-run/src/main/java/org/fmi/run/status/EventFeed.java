package org.fmi.run.status;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The job's events as lines, for those who follow them from the beginning. Keeps the newest lines
 * only, up to a bound, and nothing for a follower but how far it has come: one that reads too
 * slowly is turned away. Used by one thread.
 */
public final class EventFeed {
  private static final class Follower {
    final Answer answer;

    /** The number of the next line that it gets. */
    long next;

    Follower(Answer answer) {
      this.answer = answer;
    }
  }

  private final long mostBytes;
  private final Deque<byte[]> kept = new ArrayDeque<>();
  private final List<Follower> followers = new ArrayList<>();
  private long bytes;

  /** The number of the first line that is kept. */
  private long first;

  /**
   * @param mostBytes of the lines kept
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

  /** Lets somebody follow, from the first line that is kept. */
  public void follow(Answer answer) {
    Follower follower = new Follower(answer);
    followers.add(follower);
    follower.next = first;
    pump();
  }

  /** Sends what those who follow have not got and can take now; called now and then. */
  public void pump() {
    followers.removeIf(follower -> !pump(follower));
  }

  /** There are no more events. */
  public void end() {
    pump();
    followers.forEach(
        follower -> {
          if (follower.next == first + kept.size()) {
            follower.answer.end();
          } else {
            follower.answer.refuse("the job has ended; its last events were not read in time");
          }
        });
    followers.clear();
  }

  /** Whether it still follows. */
  private boolean pump(Follower follower) {
    if (follower.next < first) {
      follower.answer.refuse(
          Amounts.count(first - follower.next, "event")
              + " could not be kept until read; fmirun --events writes all to a file");
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
