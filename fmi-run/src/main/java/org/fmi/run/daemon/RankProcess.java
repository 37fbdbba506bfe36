package org.fmi.run.daemon;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.fmi.control.JobMessage;
import org.fmi.job.control.RankCodec;
import org.fmi.job.control.ToRank;
import org.fmi.net.Connection;
import org.fmi.run.process.ProcessGroup;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * One process for a rank, from its start to its exit. Used on the daemon's loop, but for its pumps.
 *
 * <pre>
 *   started --connected--> STANDBY --assigned--> RANK --exit--> gone
 *      +-------assigned before it connects--------^
 * </pre>
 */
final class RankProcess {
  /**
   * How long its output is waited for after its end: what it has started may hold the pipes open.
   */
  private static final Duration DRAIN = Duration.ofSeconds(2);

  private final Process process;
  private final Duration drain;
  private final CompletableFuture<Integer> rank = new CompletableFuture<>();
  private final OutputPump outputPump;
  private final OutputPump errorPump;
  private final Thread outputThread;
  private final Thread errorThread;

  /** What is to be sent when it connects, in order. */
  private final List<ToRank> waiting = new ArrayList<>();

  private @Nullable Connection connection;
  private boolean connected;
  private boolean joined;
  private boolean released;
  private boolean overdue;
  private @Nullable RankConfig config;
  private @Nullable InputPump input;

  RankProcess(Process process, OutputCredit outputCredit, Uplink uplink) {
    this(process, outputCredit, uplink, DRAIN);
  }

  /** With another time to wait for its output. */
  RankProcess(Process process, OutputCredit outputCredit, Uplink uplink, Duration drain) {
    this.process = process;
    this.drain = drain;
    this.outputPump = new OutputPump(process.getInputStream(), false, rank, outputCredit, uplink);
    this.errorPump = new OutputPump(process.getErrorStream(), true, rank, outputCredit, uplink);
    this.outputThread = outputPump.start(process.pid());
    this.errorThread = errorPump.start(process.pid());
  }

  long pid() {
    return process.pid();
  }

  /** Who it is; null while it is a standby. */
  @Nullable RankConfig config() {
    return config;
  }

  /**
   * Makes it a rank.
   *
   * @param ownCore see {@link ToRank.Assign}
   */
  void assign(RankConfig assigned, int[] ownCore, Uplink uplink) {
    config = assigned;
    rank.complete(assigned.rank());
    InputPump pump = new InputPump(process.getOutputStream(), assigned.incarnation(), uplink);
    pump.start();
    if (assigned.rank() == 0) {
      input = pump;
    } else {
      pump.add(InputPump.END);
    }
    send(new ToRank.Assign(assigned, ownCore));
    Connection open = connection;
    if (open != null) {
      open.heartbeat(assigned.heartbeatTimeoutMillis());
    }
  }

  /**
   * It has connected and said who it is.
   *
   * @param warmUp where it gets ready if it is to stand by
   */
  void connected(Connection opened, Path warmUp) {
    connection = opened;
    connected = true;
    RankConfig assigned = config;
    if (assigned == null) {
      send(new ToRank.WarmUp(warmUp.toString()));
      holdLifeline();
    } else {
      opened.heartbeat(assigned.heartbeatTimeoutMillis());
    }
    for (ToRank message : waiting) {
      opened.send(RankCodec.encode(message));
    }
    waiting.clear();
  }

  /** Whether it ever has. */
  boolean hasConnected() {
    return connected;
  }

  /** Its connection is closed; it is on its way out. */
  void disconnected() {
    connection = null;
  }

  /** Its death is to be known at once. */
  void holdLifeline() {
    send(new ToRank.HoldLifeline());
  }

  /** It takes part in the job's communication: others may wait for it. */
  void joined() {
    joined = true;
  }

  /** Whether others may wait for what it does, or for its end. */
  boolean isAwaited() {
    return joined && !released;
  }

  void tell(JobMessage message) {
    released |= message instanceof JobMessage.Release;
    send(new ToRank.Tell(message));
  }

  private void send(ToRank message) {
    Connection open = connection;
    if (open == null) {
      waiting.add(message);
    } else {
      open.send(RankCodec.encode(message));
    }
  }

  /** Standard input, if it is a process of rank 0. */
  void input(byte[] bytes) {
    InputPump pump = input;
    if (pump != null) {
      pump.add(bytes);
    }
  }

  /** Kills one that was ending by itself, and did not come to its end. */
  void killOverdue() {
    overdue = true;
    kill();
  }

  boolean wasOverdue() {
    return overdue;
  }

  /** Kills it and what it has started. */
  void kill() {
    process.destroyForcibly();
    ProcessGroup.kill(process.pid());
  }

  /**
   * Waits until it has ended and all its output has been sent; kills what it has left behind.
   *
   * @return its exit status, or 128 + signal
   */
  int await() throws InterruptedException {
    int status = process.waitFor();
    ProcessGroup.kill(process.pid());
    // A standby never gets a number now; its output is dropped.
    if (rank.isDone()) {
      outputPump.end();
      errorPump.end();
      outputThread.join(drain);
      errorThread.join(drain);
    }
    return status;
  }
}
