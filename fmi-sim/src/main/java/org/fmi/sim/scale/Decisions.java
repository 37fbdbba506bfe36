package org.fmi.sim.scale;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.fmi.control.RankMessage;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;

/** Counts what the decision maker does on each kind of event, and measures how long it takes. */
public final class Decisions {
  /** On one kind of event. */
  public static final class Kind {
    private long events;
    private long commands;
    private long mostCommands;
    private long nanos;
    private long longestNanos;

    private void add(Kind other) {
      events += other.events;
      commands += other.commands;
      mostCommands = Math.max(mostCommands, other.mostCommands);
      nanos += other.nanos;
      longestNanos = Math.max(longestNanos, other.longestNanos);
    }

    public long events() {
      return events;
    }

    public long commands() {
      return commands;
    }

    /** The most that followed from one event. */
    public long mostCommands() {
      return mostCommands;
    }

    /** Of this machine's time. */
    public long nanos() {
      return nanos;
    }

    /** What one event took at most. */
    public long longestNanos() {
      return longestNanos;
    }
  }

  private final Job job;
  private final LongSupplier clock;
  private final Map<String, Kind> kinds = new TreeMap<>();

  Decisions(Job job, LongSupplier clock) {
    this.job = job;
    this.clock = clock;
  }

  List<JobCommand> begin() {
    return count("begin", job::begin);
  }

  List<JobCommand> on(JobEvent event) {
    RankMessage said = event instanceof JobEvent.FromRank e ? e.message() : null;
    String name = (said == null ? event : said).getClass().getSimpleName();
    return count(name, () -> job.on(event));
  }

  private List<JobCommand> count(String name, Supplier<List<JobCommand>> decision) {
    long before = clock.getAsLong();
    List<JobCommand> commands = decision.get();
    long took = clock.getAsLong() - before;
    Kind kind = kinds.computeIfAbsent(name, _ -> new Kind());
    kind.events++;
    kind.commands += commands.size();
    kind.mostCommands = Math.max(kind.mostCommands, commands.size());
    kind.nanos += took;
    kind.longestNanos = Math.max(kind.longestNanos, took);
    return commands;
  }

  /** On all of them. */
  public Kind all() {
    Kind all = new Kind();
    kinds.values().forEach(all::add);
    return all;
  }

  /** By the name of the event, or of what a rank has said. */
  public Map<String, Kind> kinds() {
    return kinds;
  }
}
