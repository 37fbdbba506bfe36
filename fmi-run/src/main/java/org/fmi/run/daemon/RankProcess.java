package org.fmi.run.daemon;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.job.control.ToRankCodec;
import org.fmi.net.Connection;
import org.fmi.run.process.ProcessGroup;
import org.fmi.run.process.ProcessStat;
import org.fmi.run.process.Starvation;
import org.jspecify.annotations.Nullable;

/**
 * The system's side of one process for a rank: its streams, its connection, its end. Used on the
 * daemon's loop, except for its pumps and {@link #await}.
 */
final class RankProcess {
  /** Time to wait for its output after its end: its descendants may hold the pipes open. */
  private static final Duration DRAIN = Duration.ofSeconds(2);

  private final int number;
  private final Process process;
  private final Duration drain;
  private final ThreadFactory inputThreads;
  private final CompletableFuture<Integer> rank = new CompletableFuture<>();
  private final OutputPump outputPump;
  private final OutputPump errorPump;
  private final Thread outputThread;
  private final Thread errorThread;
  private @Nullable Connection connection;
  private boolean everConnected;
  private boolean killed;
  private boolean ended;
  private boolean stopped;
  private @Nullable InputPump input;

  /**
   * @param number its number in the daemon's decisions
   */
  RankProcess(int number, Process process, OutputCredit outputCredit, Uplink uplink) {
    this(
        number,
        process,
        outputCredit,
        uplink,
        DRAIN,
        Thread.ofPlatform().daemon().name("fmi-in").factory());
  }

  /**
   * @param drain the time to wait for its output
   * @param inputThreads makes the thread of its standard input
   */
  RankProcess(
      int number,
      Process process,
      OutputCredit outputCredit,
      Uplink uplink,
      Duration drain,
      ThreadFactory inputThreads) {
    this.number = number;
    this.process = process;
    this.drain = drain;
    this.inputThreads = inputThreads;
    this.outputPump = new OutputPump(process.getInputStream(), false, rank, outputCredit, uplink);
    this.errorPump = new OutputPump(process.getErrorStream(), true, rank, outputCredit, uplink);
    this.outputThread = outputPump.start(process.pid());
    this.errorThread = errorPump.start(process.pid());
  }

  int number() {
    return number;
  }

  long pid() {
    return process.pid();
  }

  /** Makes its streams those of a rank; kills it if the system refuses it a thread for them. */
  void attach(int toRank, int incarnation, Uplink uplink) {
    boolean first = rank.complete(toRank);
    assert first : "process " + pid() + " is a rank already";
    if (toRank != 0) {
      endInput();
      return;
    }
    InputPump pump = new InputPump(process.getOutputStream(), incarnation, uplink);
    try {
      pump.start(inputThreads);
      input = pump;
    } catch (OutOfMemoryError e) {
      uplink.send(
          new FromDaemon.Warning(
              "rank 0 was killed, as there is no thread for its standard input: "
                  + e.getMessage()));
      kill();
    }
  }

  private void endInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The process has ended or closed its input.
    }
  }

  void connected(Connection opened) {
    assert !everConnected : "process " + pid() + " connects twice";
    everConnected = true;
    connection = opened;
  }

  void disconnected() {
    connection = null;
  }

  void ended() {
    assert !ended : "process " + pid() + " ends twice";
    ended = true;
  }

  /** Whether no more events of it can arrive. */
  boolean isGone() {
    return ended && connection == null;
  }

  /** Whether it ever was connected. */
  boolean hasConnected() {
    return everConnected;
  }

  /** Sends a message, if it is connected. */
  void send(ToRank message) {
    Connection open = connection;
    if (open != null) {
      open.send(ToRankCodec.encode(message));
    }
  }

  /** Watches its heartbeat, if it is connected. */
  void watch(int timeoutMillis) {
    Connection open = connection;
    if (open != null) {
      open.heartbeat(timeoutMillis, new Starvation(pid()));
      open.expectSilence(stopped);
    }
  }

  /** Stops it and its descendants, if it has not ended. */
  void stop() {
    if (process.isAlive()) {
      stopped = true;
      expectSilence();
      ProcessGroup.stop(process.pid());
    }
  }

  /** Continues it after {@link #stop}. */
  void resume() {
    if (stopped && process.isAlive()) {
      ProcessGroup.resume(process.pid());
    }
    stopped = false;
    expectSilence();
  }

  private void expectSilence() {
    Connection open = connection;
    if (open != null) {
      open.expectSilence(stopped);
    }
  }

  /** Closes its connection, if it has one. */
  void disconnect() {
    Connection open = connection;
    if (open != null) {
      open.close();
    }
  }

  /** Adds standard input, if it is a process of rank 0. */
  void input(byte[] bytes) {
    InputPump pump = input;
    if (pump != null) {
      pump.add(bytes);
    }
  }

  /** Asks it to end. */
  void terminate() {
    // Process.destroy would close the pipes as well, and lose the output of shutdown hooks.
    process.toHandle().destroy();
  }

  /** Returns the memory that it has to release when it dies; 0 if that is unknown. */
  long residentBytes() {
    return process.isAlive() ? ProcessStat.residentBytes(process.pid()) : 0;
  }

  /**
   * Kills it and its descendants. Does nothing once it has ended, because another process may have
   * its number.
   *
   * @return whether it had begun to die before, for another reason
   */
  boolean kill() {
    if (!process.isAlive()) {
      return !killed;
    }
    boolean dying = !killed && ProcessStat.isDying(process.pid());
    killed = true;
    // The group first: while its leader exists, its number is not reused.
    ProcessGroup.kill(process.pid());
    process.destroyForcibly();
    return dying;
  }

  /**
   * Waits until it has ended and all its output has been sent; kills its remaining descendants.
   *
   * @return its exit status, or 128 + signal
   */
  int await() throws InterruptedException {
    int status = process.waitFor();
    ProcessGroup.killOrphans(process.pid());
    // A standby never gets a rank now; its output is dropped.
    if (rank.isDone()) {
      outputPump.end();
      errorPump.end();
      outputThread.join(drain);
      errorThread.join(drain);
    }
    return status;
  }
}
