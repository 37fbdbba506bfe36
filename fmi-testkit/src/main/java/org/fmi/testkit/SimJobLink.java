package org.fmi.testkit;

import java.util.ArrayDeque;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/** A process' link to the job, through its node's daemon: in order, with delays. */
final class SimJobLink implements JobLink {
  private final SimProcess process;
  private final Lane toDaemon;
  private final Lane fromDaemon;
  private final ArrayDeque<JobMessage> early = new ArrayDeque<>();
  private JobLink.@Nullable Listener listener;
  private boolean closed;
  private boolean waits;

  SimJobLink(SimProcess process) {
    this.process = process;
    this.toDaemon = new Lane(process.simulation());
    this.fromDaemon = new Lane(process.simulation());
  }

  @Override
  public void send(RankMessage message) {
    process.primitive();
    if (process.gone()) {
      return;
    }
    process.cluster().observer().onSent(process, message);
    // Messages sent before a death still arrive, perhaps after the report of the exit.
    SimCluster cluster = process.cluster();
    process
        .simulation()
        .after(
            toDaemon.delay(cluster.controlDelay()),
            "to daemon",
            process.rank(),
            () ->
                cluster.atDaemon(
                    process.boot(), () -> process.boot().daemon.onMessage(process, message)));
  }

  @Override
  public void offer(Pinned pinned) {
    process.primitive();
    if (!process.gone()) {
      process.cluster().observer().onOffered(process, pinned);
    }
  }

  @Override
  public void idle(boolean now) {
    waits = now;
  }

  @Override
  public void report(String line) {} // of thousands of jobs

  boolean waits() {
    return waits;
  }

  /** The process announces its exit. */
  void exiting() {
    toDaemon("exiting", () -> process.boot().daemon.onExiting(process));
  }

  /** The process is dead: its end of the link is closed. */
  void close() {
    if (!closed) {
      closed = true;
      toDaemon("line closed", () -> process.boot().daemon.onDisconnected(process));
    }
  }

  private void toDaemon(String what, Runnable action) {
    SimCluster cluster = process.cluster();
    process
        .simulation()
        .after(
            toDaemon.delay(cluster.controlDelay()),
            what,
            process.rank(),
            () -> cluster.atDaemon(process.boot(), action));
  }

  @Override
  public void flush() {} // messages are already in flight

  @Override
  public void listen(JobLink.Listener to) {
    process.primitive();
    if (listener != null) {
      throw new IllegalStateException("listen is called once");
    }
    listener = to;
    // On the link's thread, in order with the messages in flight.
    for (JobMessage message : early) {
      deliver(message);
    }
    early.clear();
  }

  /** The daemon sends a message to this process. */
  void deliver(JobMessage message) {
    process.post(
        fromDaemon.delay(process.cluster().controlDelay()),
        "job message",
        () -> {
          process.cluster().observer().onReceived(process, message);
          JobLink.Listener to = listener;
          if (to == null) {
            early.add(message);
          } else {
            to.onMessage(message);
          }
        });
  }
}
