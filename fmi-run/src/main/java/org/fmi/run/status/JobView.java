package org.fmi.run.status;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Counter;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * The state of the job as known to fmirun, for requests. Used by one thread. Times are of one
 * monotonic clock, in nanoseconds.
 */
public final class JobView {
  private static final JsonFactory JSON = new JsonFactory();

  /** The state of a node. */
  static final class Node {
    final String name;

    /** Whether it is a spare while it has no ranks. */
    final boolean spare;

    boolean up;

    /** Whether its daemon is not heard, and may return. */
    boolean silent;

    long pid;

    /** Time of the last message from its daemon. */
    long heardNanos;

    Node(String name, boolean spare) {
      this.name = name;
      this.spare = spare;
    }
  }

  /** The state of a rank. */
  static final class Rank {
    int node = -1;
    int incarnation = -1;
    long pid;

    /** Null until its process has sent a report. */
    @Nullable RankReport report;

    long reportedNanos;
    final Rate rate = new Rate();
  }

  final JobSpec spec;
  final String jobId;
  final String command;
  final long begunNanos;
  final List<Node> nodes = new ArrayList<>();
  final List<Rank> ranks = new ArrayList<>();
  Totals totals = new Totals();
  private final MemoryForecast forecast;

  /** Messages sent by previous processes. */
  long sentEarlier;

  /** Bytes of these messages. */
  long bytesEarlier;

  /** The maximum memory of a process, according to its reports. */
  long peakMemory;

  int peakRank;

  /** The rate of the rank that is last. */
  private final Rate rate = new Rate();

  private long rateOfLoop = -1;

  /**
   * @param command the program and its arguments, for a person
   * @param oneMachine whether all nodes are on one machine
   * @param toFiles whether checkpoints are written to files
   * @param nanos the time
   */
  public JobView(
      JobSpec spec, String jobId, String command, boolean oneMachine, boolean toFiles, long nanos) {
    this.spec = spec;
    this.jobId = jobId;
    this.command = command;
    this.begunNanos = nanos;
    this.forecast = new MemoryForecast(oneMachine, toFiles);
    spec.nodes().forEach(node -> nodes.add(new Node(node.name(), node.spare())));
    for (int r = 0; r < spec.size(); r++) {
      ranks.add(new Rank());
    }
  }

  /** Continues the totals of a job that this one follows. */
  public void follow(JobView last) {
    totals = last.totals;
    sentEarlier = last.sentEarlier;
    bytesEarlier = last.bytesEarlier;
    last.ranks.forEach(this::addSent);
  }

  /** Notes that the daemon of a node is up. */
  public void nodeUp(int node, long pid) {
    nodes.get(node).up = true;
    nodes.get(node).silent = false;
    nodes.get(node).pid = pid;
  }

  /** Notes a message of a node's daemon. */
  public void noteMessage(int node, long nanos) {
    nodes.get(node).heardNanos = nanos;
  }

  /** Notes a new process of a rank. */
  public void spawned(int rank, int node, int incarnation) {
    Rank r = ranks.get(rank);
    addSent(r);
    r.node = node;
    r.incarnation = incarnation;
    r.pid = 0;
    r.report = null;
    r.rate.reset();
  }

  private void addSent(Rank r) {
    if (r.report != null) {
      sentEarlier += r.report.counter(Counter.MESSAGES_SENT);
      bytesEarlier += r.report.counter(Counter.BYTES_SENT);
    }
  }

  /** Whether this process serves a rank now. */
  public boolean isCurrent(int rank, int incarnation) {
    return rank >= 0 && rank < ranks.size() && ranks.get(rank).incarnation == incarnation;
  }

  /** Returns the incarnation of the process that serves a rank now; -1 if it has none yet. */
  public int incarnation(int rank) {
    return ranks.get(rank).incarnation;
  }

  /** Returns the number of ranks. */
  public int size() {
    return ranks.size();
  }

  /** Takes reports of ranks of a node. */
  public void reported(FromDaemon.Reports message, long nanos) {
    for (FromDaemon.Report shown : message.reports()) {
      if (isCurrent(shown.rank(), shown.incarnation())) {
        Rank r = ranks.get(shown.rank());
        RankReport before = r.report;
        if (before == null || before.loop() != shown.report().loop()) {
          r.rate.reset();
        }
        r.pid = shown.pid();
        r.report = shown.report();
        r.reportedNanos = nanos;
        long peak = shown.report().counter(Counter.PEAK_MEMORY_BYTES);
        if (peak > peakMemory) {
          peakMemory = peak;
          peakRank = shown.rank();
        }
        if (shown.report().loop() >= 0) {
          r.rate.at(shown.report().iteration(), nanos);
        }
      }
    }
    RankReport last = last();
    if (last != null && last.loop() >= 0) {
      if (last.loop() != rateOfLoop) {
        rateOfLoop = last.loop();
        rate.reset();
      }
      rate.at(last.iteration(), nanos);
    }
  }

  /** Returns the number of the node of this name; negative if there is none. */
  public int node(String name) {
    return nodeNames().indexOf(name);
  }

  /** Whether a node is up. */
  public boolean isUp(int node) {
    return nodes.get(node).up;
  }

  /** Whether a node that is up is silent, and may return. */
  public boolean isSilent(int node) {
    return nodes.get(node).silent;
  }

  /** Whether a node has ranks. */
  public boolean hasRanks(int node) {
    return ranks.stream().anyMatch(rank -> rank.node == node);
  }

  /** Returns the names of the job's nodes. */
  public List<String> nodeNames() {
    return nodes.stream().map(node -> node.name).toList();
  }

  /**
   * Returns notices about the memory for checkpoints, after reports of ranks of a node; usually
   * none.
   *
   * @param all whether to report sufficient memory as well
   */
  public List<String> memory(int node, boolean all) {
    return forecast.look(ranks, node, nodes.get(node).name, all);
  }

  /** Returns the report of the rank that is last; null if one has not sent any yet. */
  private @Nullable RankReport last() {
    RankReport last = null;
    for (Rank rank : ranks) {
      RankReport report = rank.report;
      if (report == null) {
        return null;
      }
      if (last == null
          || report.loop() < last.loop()
          || (report.loop() == last.loop() && report.iteration() < last.iteration())) {
        last = report;
      }
    }
    return last;
  }

  /** Takes an event. */
  public void on(Notice notice, long nanos) {
    if (notice instanceof Notice.NodeFailed n) {
      nodes.get(n.node()).up = false;
    } else if (notice instanceof Notice.NodeSilent n) {
      nodes.get(n.node()).silent = true;
    } else if (notice instanceof Notice.NodeHeard n) {
      nodes.get(n.node()).silent = false;
    } else if (notice instanceof Notice.NodeAdded n) {
      nodes.add(new Node(n.name(), true));
    }
    totals.on(notice, nanos);
  }

  /** Returns the progress of the job. */
  public Progress progress(long nanos) {
    RankReport last = last();
    if (last != null && last.loop() < 0) {
      last = null;
    }
    return new Progress(
        lower(totals.state),
        last == null ? -1 : last.loop(),
        last == null ? -1 : last.iteration(),
        last == null ? -1 : last.iterations(),
        last == null ? -1 : rate.perSecond(nanos),
        totals.checkpointShare(nanos),
        (int) nodes.stream().filter(node -> node.up).count(),
        totals.epoch,
        totals.recoveries);
  }

  /**
   * Returns notices about the job at its end, if any. A short job without recoveries is not worth
   * any.
   *
   * @param all whether to report everything
   */
  public List<String> summary(long nanos, boolean all) {
    return Summary.of(this, nanos, all);
  }

  /** Whether all ranks have run at the same time. */
  public boolean ran() {
    return totals.ran;
  }

  /** Returns the state on one line. */
  public byte[] line(long nanos) {
    return (StatusText.line(this, nanos) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the state as a table for a person. */
  public byte[] text(long nanos) {
    return StatusText.table(this, nanos).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the state as JSON. */
  public byte[] json(long nanos) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      out.useDefaultPrettyPrinter();
      out.writeStartObject();
      Progress progress = progress(nanos);
      out.writeStringField("job", jobId);
      out.writeStringField("command", command);
      out.writeStringField("state", progress.state());
      out.writeNumberField("seconds", seconds(nanos - begunNanos));
      out.writeNumberField("epoch", progress.epoch());
      out.writeNumberField("recoveries", progress.recoveries());
      out.writeNumberField("recoverySeconds", seconds(totals.recoveryNanos));
      out.writeNumberField("loop", progress.loop());
      out.writeNumberField("iteration", progress.iteration());
      out.writeNumberField("iterations", progress.iterations());
      writeIfKnown(out, "iterationsPerSecond", progress.perSecond());
      writeIfKnown(out, "secondsLeft", progress.secondsLeft());
      writeIfKnown(out, "checkpointShare", progress.checkpointShare());
      writeCheckpoint(out, nanos);
      out.writeArrayFieldStart("nodes");
      for (int n = 0; n < nodes.size(); n++) {
        write(out, n, nodes.get(n), nanos);
      }
      out.writeEndArray();
      out.writeArrayFieldStart("ranks");
      for (int r = 0; r < ranks.size(); r++) {
        write(out, r, ranks.get(r), nanos);
      }
      out.writeEndArray();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    bytes.write('\n');
    return bytes.toByteArray();
  }

  private static void writeIfKnown(JsonGenerator out, String field, double value)
      throws IOException {
    if (value >= 0) {
      out.writeNumberField(field, Math.round(value * 1e4) / 1e4);
    }
  }

  private void writeCheckpoint(JsonGenerator out, long nanos) throws IOException {
    Notice.CheckpointCommitted last = totals.last;
    if (last != null) {
      out.writeObjectFieldStart("checkpoint");
      out.writeNumberField("version", last.version());
      out.writeNumberField("loop", last.loop());
      out.writeNumberField("iteration", last.iteration());
      out.writeNumberField("bytes", last.bytes());
      out.writeNumberField("ageSeconds", seconds(nanos - totals.lastNanos));
      out.writeEndObject();
    }
  }

  private void write(JsonGenerator out, int number, Node node, long nanos) throws IOException {
    out.writeStartObject();
    out.writeNumberField("node", number);
    out.writeStringField("name", node.name);
    out.writeBooleanField("up", node.up);
    out.writeBooleanField("spare", node.spare);
    out.writeNumberField("pid", node.pid);
    if (node.up && hasRanks(number)) {
      out.writeNumberField("ageSeconds", seconds(nanos - node.heardNanos));
    }
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, int number, Rank rank, long nanos)
      throws IOException {
    out.writeStartObject();
    out.writeNumberField("rank", number);
    out.writeNumberField("node", rank.node);
    out.writeNumberField("pid", rank.pid);
    out.writeNumberField("incarnation", rank.incarnation);
    RankReport report = rank.report;
    if (report != null) {
      out.writeStringField("place", report.place());
      out.writeNumberField("epoch", report.epoch());
      out.writeNumberField("loop", report.loop());
      out.writeNumberField("iteration", report.iteration());
      out.writeNumberField("iterations", report.iterations());
      writeIfKnown(out, "iterationsPerSecond", rank.rate.perSecond(nanos));
      out.writeNumberField("ageSeconds", seconds(nanos - rank.reportedNanos));
      RankReport.Waiting waiting = report.waiting();
      if (waiting != null) {
        out.writeObjectFieldStart("waiting");
        out.writeStringField("operation", waiting.operation());
        out.writeNumberField("peer", waiting.peer());
        out.writeNumberField("tag", waiting.tag());
        out.writeStringField("communicator", waiting.communicator());
        out.writeNumberField("seconds", seconds(waiting.nanos()));
        out.writeEndObject();
      }
      out.writeObjectFieldStart("counters");
      for (Counter counter : Counter.values()) {
        out.writeNumberField(lower(counter), report.counter(counter));
      }
      out.writeEndObject();
    }
    out.writeEndObject();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  static double seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) / 1000.0;
  }
}
