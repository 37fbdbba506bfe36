package org.fmi.testkit;

import java.util.function.Consumer;
import org.fmi.control.RankMessage;

/** Forwards all reports unchanged to the {@link Supervisor}; for tests of the simulator itself. */
final class PlainDaemon implements SimDaemon {
  private final SimCluster cluster;
  private final SimHost host;

  PlainDaemon(SimCluster cluster, SimHost host) {
    this.cluster = cluster;
    this.host = host;
  }

  private void report(String what, long subject, Consumer<Supervisor> to) {
    host.report(
        what,
        subject,
        () -> {
          Supervisor by = cluster.supervisor();
          if (by != null) {
            to.accept(by);
          }
        });
  }

  @Override
  public void onConnected() {
    report("node up", host.node(), s -> s.onNodeUp(host.node()));
  }

  @Override
  public void onFmirunGone() {
    host.end();
  }

  @Override
  public void onMessage(SimProcess process, RankMessage message) {
    report(
        "rank message",
        process.rank(),
        s -> s.onRankMessage(process.rank(), process.incarnation(), message));
  }

  @Override
  public void onExiting(SimProcess process) {}

  @Override
  public void onDisconnected(SimProcess process) {}

  @Override
  public void onSilent(SimProcess process) {
    report(
        "rank silent", process.rank(), s -> s.onRankSilent(process.rank(), process.incarnation()));
  }

  @Override
  public void onDying(SimProcess process) {
    report(
        "death report", process.rank(), s -> s.onRankDying(process.rank(), process.incarnation()));
  }

  @Override
  public void onExited(SimProcess process, int status, boolean signaled) {
    report(
        "exit report",
        process.rank(),
        s ->
            s.onRankExited(
                process.node(), process.rank(), process.incarnation(), status, signaled));
  }
}
