package org.fmi.run.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.fmi.control.RankReport.Untaken;
import org.fmi.control.RankReport.Waiting;
import org.fmi.job.Stall;
import org.fmi.run.Amounts;

/** Reports of a standstill, for a person. */
public final class StallText {
  /** With more rows than this, rows that differ only in the awaited rank are merged. */
  private static final int MANY_ROWS = 16;

  private static final int MOST_ROWS = 32;
  private static final int MOST_LINES = 8;

  /** Maximum number of listed ranges of ranks. */
  private static final int MOST_RANGES = 4;

  /** A longer circle is abbreviated. */
  private static final int LONG_CIRCLE = 6;

  private StallText() {}

  /** Returns the lines of a report. */
  public static List<String> lines(Stall stall) {
    return switch (stall) {
      case Stall.AllWait s -> table(s);
      case Stall.SomeAwaited s -> each(s.ranks(), StallText::awaited);
      case Stall.RecoveryWaits s -> each(s.ranks(), StallText::recovery);
    };
  }

  /** Returns the report in a few words. */
  public static String brief(Stall stall) {
    return switch (stall) {
      case Stall.AllWait s -> "all ranks have been waiting for " + duration(s.nanos());
      case Stall.SomeAwaited s -> briefly(s.ranks(), "");
      case Stall.RecoveryWaits s -> briefly(s.ranks(), "recovery waits: ");
    };
  }

  private static String briefly(List<Stall.Awaited> ranks, String begin) {
    int others = ranks.size() - 1;
    return begin + does(ranks.getFirst()) + (others == 0 ? "" : ", and " + others + " more");
  }

  private static List<String> each(
      List<Stall.Awaited> ranks, Function<Stall.Awaited, String> text) {
    List<String> lines = new ArrayList<>(ranks.stream().limit(MOST_LINES).map(text).toList());
    if (ranks.size() > MOST_LINES) {
      lines.add("likewise " + Amounts.count(ranks.size() - MOST_LINES, "more rank"));
    }
    return lines;
  }

  private static String does(Stall.Awaited rank) {
    return "rank "
        + rank.rank()
        + (rank.heard() ? " has been computing for " : " has been silent for ")
        + duration(rank.nanos());
  }

  private static String awaited(Stall.Awaited rank) {
    return does(rank)
        + (rank.iteration() < 0 ? "" : ", iteration " + rank.iteration())
        + "; "
        + (rank.waiters().size() == 1 ? "rank " : "ranks ")
        + ranges(rank.waiters())
        + (rank.waiters().size() == 1 ? " waits for it" : " wait for it");
  }

  private static String recovery(Stall.Awaited rank) {
    String begin = "recovery waits: " + does(rank);
    if (!rank.heard()) {
      return begin;
    }
    return begin
        + (rank.replays()
            ? " and repeats its code before the loop"
            : " and learns of the failure in its next call");
  }

  // ---- all wait

  private static List<String> table(Stall.AllWait stall) {
    List<String[]> rows = rows(stall.waiters(), true);
    if (rows.size() > MANY_ROWS) {
      rows = rows(stall.waiters(), false);
    }
    int more = rows.size() - MOST_ROWS;
    if (more > 0) {
      rows = rows.subList(0, MOST_ROWS);
    }
    rows.addFirst(
        new String[] {"rank", "in", "waits for", "tag", "communicator", "iteration", "since"});
    List<String> lines = new ArrayList<>();
    lines.add("all ranks have been waiting without progress for " + duration(stall.nanos()) + ":");
    StatusText.columns(rows, true, true, true, false, true, false, true)
        .lines()
        .map(line -> "  " + line)
        .forEach(lines::add);
    if (more > 0) {
      lines.add("  and " + Amounts.count(more, "row") + " more");
    }
    if (!stall.ended().isEmpty()) {
      lines.add(
          (stall.ended().size() == 1 ? "rank " : "ranks ")
              + ranges(stall.ended())
              + (stall.ended().size() == 1 ? " has ended" : " have ended"));
    }
    if (!stall.circle().isEmpty()) {
      lines.add("they wait in a circle: " + circle(stall.circle()));
    }
    lines.addAll(fullBuffers(stall.waiters()));
    return lines;
  }

  /** Describes sends that wait because earlier messages fill the sender's buffer. */
  private static List<String> fullBuffers(List<Stall.Waiter> waiters) {
    List<String> lines = new ArrayList<>();
    for (Stall.Waiter w : waiters) {
      Untaken untaken = w.waiting().untaken();
      if (untaken != null) {
        lines.add(
            "the send buffer of rank "
                + w.rank()
                + " is full (--send-buffer): rank "
                + untaken.peer()
                + " has not received "
                + Amounts.count(untaken.messages(), "message")
                + (untaken.tag() == Untaken.NO_TAG
                    ? " of collective calls, "
                    : " with tag " + untaken.tag() + ", ")
                + Amounts.bytes(untaken.bytes()));
      }
    }
    int more = lines.size() - MOST_LINES;
    if (more > 0) {
      lines = new ArrayList<>(lines.subList(0, MOST_LINES));
      lines.add("likewise " + Amounts.count(more, "more rank"));
    }
    return lines;
  }

  private record Row(String call, String peer, int tag, String communicator, long iteration) {}

  /** Groups ranks in the same state into rows. */
  private static List<String[]> rows(List<Stall.Waiter> waiters, boolean byPeer) {
    Map<Row, List<Stall.Waiter>> same = new LinkedHashMap<>();
    for (Stall.Waiter w : waiters) {
      Waiting waiting = w.waiting();
      Row row =
          new Row(
              waiting.operation(),
              byPeer ? peer(waiting) : "",
              waiting.tag(),
              waiting.communicator(),
              w.iteration());
      same.computeIfAbsent(row, _ -> new ArrayList<>()).add(w);
    }
    List<String[]> rows = new ArrayList<>();
    same.forEach(
        (row, those) ->
            rows.add(
                new String[] {
                  ranges(those.stream().map(Stall.Waiter::rank).toList()),
                  row.call,
                  byPeer ? row.peer : peers(those),
                  row.tag < 0 ? "-" : Integer.toString(row.tag),
                  row.communicator.isEmpty() ? "-" : row.communicator,
                  row.iteration < 0 ? "-" : Long.toString(row.iteration),
                  duration(those.stream().mapToLong(Stall.Waiter::nanos).max().orElse(0))
                }));
    return rows;
  }

  private static String peer(Waiting waiting) {
    return waiting.peer() == Waiting.ANY ? "any" : "rank " + waiting.peer();
  }

  private static String peers(List<Stall.Waiter> waiters) {
    TreeSet<Integer> peers = new TreeSet<>();
    waiters.forEach(w -> peers.add(w.waiting().peer()));
    if (peers.size() == 1) {
      return peer(waiters.getFirst().waiting());
    }
    boolean any = peers.remove(Waiting.ANY);
    return (peers.size() == 1 ? "rank " : "ranks ")
        + ranges(List.copyOf(peers))
        + (any ? ", or any" : "");
  }

  private static String circle(List<Integer> circle) {
    int size = circle.size();
    boolean whole = size <= LONG_CIRCLE;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < (whole ? size : LONG_CIRCLE / 2); i++) {
      text.append(i == 0 ? "" : ", ")
          .append(circle.get(i))
          .append(i == 0 ? " waits for " : " for ");
      text.append(circle.get((i + 1) % size));
    }
    if (!whole) {
      text.append(", ..., ").append(circle.getLast()).append(" for ").append(circle.getFirst());
      text.append(": ").append(size).append(" ranks");
    }
    return text.toString();
  }

  /** Such as "0, 2-5, 9". */
  static String ranges(List<Integer> sorted) {
    StringBuilder text = new StringBuilder();
    int shown = 0;
    int ranges = 0;
    for (int i = 0; i < sorted.size() && ranges < MOST_RANGES; ranges++) {
      int end = i;
      while (end + 1 < sorted.size() && sorted.get(end + 1) == sorted.get(end) + 1) {
        end++;
      }
      text.append(text.isEmpty() ? "" : ", ").append(sorted.get(i));
      if (end > i) {
        text.append(end == i + 1 ? ", " : "-").append(sorted.get(end));
      }
      i = end + 1;
      shown = i;
    }
    int more = sorted.size() - shown;
    return text.append(more > 0 ? " and " + more + " more" : "").toString();
  }

  private static String duration(long nanos) {
    // Ranks send a report each second: tenths would be meaningless.
    long seconds = TimeUnit.NANOSECONDS.toSeconds(Math.max(0, nanos));
    return seconds < 10 ? seconds + " s" : Amounts.duration((double) seconds);
  }
}
