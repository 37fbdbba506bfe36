package org.fmi.run.status;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Counter;
import org.fmi.control.RankReport;
import org.fmi.job.JobSpec;
import org.fmi.job.Notice;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * What fmirun knows of the job at this moment, for those who look at it. Used by one thread. Times
 * are of one monotonic clock, in nanoseconds.
 */
public final class JobView {
  private static final JsonFactory JSON = new JsonFactory();

  /** What the job as a whole does. */
  private enum State {
    STARTING,
    RUNNING,
    RECOVERING
  }

  private static final class Node {
    boolean up;
    long pid;
  }

  private static final class Rank {
    int node = -1;
    int incarnation = -1;
    long pid;
    @Nullable RankReport report;
    long reportedNanos;
  }

  private final JobSpec spec;
  private final String jobId;
  private final String command;
  private final long begunNanos;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Rank> ranks = new ArrayList<>();
  private State state = State.STARTING;
  private int epoch;
  private int recoveries;
  private Notice.@Nullable CheckpointCommitted checkpoint;
  private long checkpointNanos;

  /**
   * @param command the program and its arguments, for a person
   * @param nanos now
   */
  public JobView(JobSpec spec, String jobId, String command, long nanos) {
    this.spec = spec;
    this.jobId = jobId;
    this.command = command;
    this.begunNanos = nanos;
    for (int n = 0; n < spec.nodes().size(); n++) {
      nodes.add(new Node());
    }
    for (int r = 0; r < spec.size(); r++) {
      ranks.add(new Rank());
    }
  }

  /** The daemon of a node is up. */
  public void nodeUp(int node, long pid) {
    nodes.get(node).up = true;
    nodes.get(node).pid = pid;
  }

  /** A process is being started for a rank. */
  public void spawned(int rank, int node, int incarnation) {
    Rank r = ranks.get(rank);
    r.node = node;
    r.incarnation = incarnation;
    r.pid = 0;
    r.report = null;
  }

  /** What ranks of a node show. */
  public void reported(FromDaemon.Reports message, long nanos) {
    for (FromDaemon.Report shown : message.reports()) {
      if (shown.rank() < 0 || shown.rank() >= ranks.size()) {
        continue;
      }
      Rank r = ranks.get(shown.rank());
      if (r.incarnation == shown.incarnation()) {
        r.pid = shown.pid();
        r.report = shown.report();
        r.reportedNanos = nanos;
      }
    }
  }

  /** Something happened. */
  public void on(Notice notice, long nanos) {
    switch (notice) {
      case Notice.NodeFailed n -> nodes.get(n.node()).up = false;
      case Notice.RecoveryBegun n -> {
        state = State.RECOVERING;
        epoch = n.epoch();
        recoveries++;
      }
      case Notice.AllRunning n -> {
        state = State.RUNNING;
        epoch = n.epoch();
      }
      case Notice.CheckpointCommitted n -> {
        checkpoint = n;
        checkpointNanos = nanos;
      }
      default -> {}
    }
  }

  /** As JSON. */
  public byte[] json(long nanos) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      out.useDefaultPrettyPrinter();
      out.writeStartObject();
      out.writeStringField("job", jobId);
      out.writeStringField("command", command);
      out.writeStringField("state", lower(state));
      out.writeNumberField("seconds", seconds(nanos - begunNanos));
      out.writeNumberField("epoch", epoch);
      out.writeNumberField("recoveries", recoveries);
      writeCheckpoint(out, nanos);
      out.writeArrayFieldStart("nodes");
      for (int n = 0; n < nodes.size(); n++) {
        write(out, n, nodes.get(n));
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

  private void writeCheckpoint(JsonGenerator out, long nanos) throws IOException {
    Notice.CheckpointCommitted last = checkpoint;
    if (last != null) {
      out.writeObjectFieldStart("checkpoint");
      out.writeNumberField("version", last.version());
      out.writeNumberField("loop", last.loop());
      out.writeNumberField("iteration", last.iteration());
      out.writeNumberField("bytes", last.bytes());
      out.writeNumberField("ageSeconds", seconds(nanos - checkpointNanos));
      out.writeEndObject();
    }
  }

  private void write(JsonGenerator out, int number, Node node) throws IOException {
    out.writeStartObject();
    out.writeNumberField("node", number);
    out.writeStringField("name", spec.nodes().get(number).name());
    out.writeBooleanField("up", node.up);
    out.writeBooleanField("spare", spec.nodes().get(number).spare());
    out.writeNumberField("pid", node.pid);
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

  private static double seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) / 1000.0;
  }
}
