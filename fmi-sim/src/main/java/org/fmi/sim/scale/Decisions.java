package org.fmi.sim.scale;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.fmi.job.AccessCounter;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobController;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/** Counts what the decision maker does on each kind of event, and measures how long it takes. */
public final class Decisions {
  /** The phases of a job. */
  public enum Step {
    START,
    RECOVERY
  }

  /** Statistics of one kind of event. */
  public static final class Kind {
    private long events;
    private long commands;
    private long mostCommands;
    private long looks;
    private long mostLooks;
    private long nanos;
    private long longestNanos;

    private void add(Kind other) {
      events += other.events;
      commands += other.commands;
      mostCommands = Math.max(mostCommands, other.mostCommands);
      looks += other.looks;
      mostLooks = Math.max(mostLooks, other.mostLooks);
      nanos += other.nanos;
      longestNanos = Math.max(longestNanos, other.longestNanos);
    }

    public long events() {
      return events;
    }

    public long commands() {
      return commands;
    }

    /** Returns the most commands that followed from one event. */
    public long mostCommands() {
      return mostCommands;
    }

    /** Returns how many times it has looked at a node or a rank. */
    public long looks() {
      return looks;
    }

    /** Returns the most looks for one event. */
    public long mostLooks() {
      return mostLooks;
    }

    /** Returns the time on this machine. */
    public long nanos() {
      return nanos;
    }

    /** Returns the longest time of one event. */
    public long longestNanos() {
      return longestNanos;
    }
  }

  private final Meter meter;
  private final AccessCounter looks = new AccessCounter();
  private final Map<Step, Map<String, Kind>> kinds = new EnumMap<>(Step.class);
  private @Nullable Job job;
  private Step step = Step.START;
  private long heapBytes;

  Decisions(JobSpec spec, Meter meter) {
    this.meter = meter;
    for (Step each : Step.values()) {
      kinds.put(each, new TreeMap<>());
    }
    job = new JobController(spec, looks);
    looks.take();
  }

  List<JobCommand> begin() {
    return count("begin", job()::begin);
  }

  List<JobCommand> on(JobEvent event) {
    Object what =
        event instanceof JobEvent.FromNode(int _, FromDaemon.Relayed said) ? said.message() : event;
    return count(what.getClass().getSimpleName(), () -> job().on(event));
  }

  /** Begins the phase of recovery. */
  void recover() {
    step = Step.RECOVERY;
  }

  /** Releases the decision maker, and measures its heap by that. */
  void end() {
    long before = meter.heapBytes();
    job = null;
    heapBytes = before - meter.heapBytes();
  }

  private Job job() {
    if (job == null) {
      throw new IllegalStateException("has ended");
    }
    return job;
  }

  private List<JobCommand> count(String name, Supplier<List<JobCommand>> decision) {
    long before = meter.nanos();
    List<JobCommand> commands = decision.get();
    long took = meter.nanos() - before;
    long looked = looks.take();
    Kind kind = kinds(step).computeIfAbsent(name, _ -> new Kind());
    kind.events++;
    kind.commands += commands.size();
    kind.mostCommands = Math.max(kind.mostCommands, commands.size());
    kind.looks += looked;
    kind.mostLooks = Math.max(kind.mostLooks, looked);
    kind.nanos += took;
    kind.longestNanos = Math.max(kind.longestNanos, took);
    meter.decided();
    return commands;
  }

  /** Returns the sum of all kinds in a phase. */
  public Kind all(Step of) {
    Kind all = new Kind();
    kinds(of).values().forEach(all::add);
    return all;
  }

  /** Returns the statistics by the name of the event, or of the rank's message. */
  public Map<String, Kind> kinds(Step of) {
    return kinds.getOrDefault(of, Map.of());
  }

  /** The decision maker's heap when all ran again. */
  public long heapBytes() {
    return heapBytes;
  }
}
