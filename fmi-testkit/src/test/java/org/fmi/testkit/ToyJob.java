package org.fmi.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;

/** A minimal job for {@link ToyRank}: every failure begins a new epoch with replacements. */
final class ToyJob implements Supervisor {
  private final SimCluster cluster;
  private final int nodes;
  private final int[] node;
  private final int[] incarnation;
  private final boolean[] running;
  private final Set<Integer> up = new TreeSet<>();
  private final Map<Integer, Map<String, byte[]>> joined = new HashMap<>();
  private final Set<Integer> finished = new HashSet<>();
  private final long[] results;
  private int epoch;
  private boolean started;
  private boolean released;

  ToyJob(SimCluster cluster, int ranks, int nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.node = new int[ranks];
    this.incarnation = new int[ranks];
    this.running = new boolean[ranks];
    this.results = new long[ranks];
    cluster.supervise(this);
    for (int n = 0; n < nodes; n++) {
      cluster.launch(n);
    }
  }

  boolean done() {
    if (!released) {
      return false;
    }
    for (boolean r : running) {
      if (r) {
        return false;
      }
    }
    return true;
  }

  long[] results() {
    return results;
  }

  int epoch() {
    return epoch;
  }

  @Override
  public void onNodeUp(int number) {
    up.add(number);
    if (!started && up.size() == nodes) {
      started = true;
      for (int r = 0; r < node.length; r++) {
        // The last node is a spare.
        node[r] = r % Math.max(1, nodes - 1);
        spawn(r);
      }
    } else if (started && !released) {
      respawn();
    }
  }

  private void spawn(int rank) {
    running[rank] = true;
    cluster.spawn(
        cluster.config(node[rank], rank, node.length, incarnation[rank]), new ToyRank(results));
  }

  /** Starts all missing processes on the available nodes. */
  private void respawn() {
    for (int r = 0; r < node.length; r++) {
      if (!running[r] && !up.isEmpty()) {
        if (!up.contains(node[r])) {
          node[r] = new ArrayList<>(up).get(r % up.size());
        }
        incarnation[r]++;
        spawn(r);
      }
    }
  }

  private void recover() {
    if (released) {
      return;
    }
    epoch++;
    joined.clear();
    finished.clear();
    respawn();
    cluster.sendAll(new JobMessage.Revoke(epoch, JobMessage.Revoke.NONE, List.of()));
  }

  @Override
  public void onNodeLost(int number, String reason) {
    up.remove(number);
    cluster.launch(number);
    boolean any = false;
    for (int r = 0; r < node.length; r++) {
      if (running[r] && node[r] == number) {
        running[r] = false;
        any = true;
      }
    }
    if (any) {
      recover();
    }
  }

  @Override
  public void onRankExited(int on, int rank, int of, int status, boolean signaled) {
    assertThat(signaled || status == 0).as("rank %s exits with status %s", rank, status).isTrue();
    if (running[rank] && incarnation[rank] == of) {
      running[rank] = false;
      recover();
    }
  }

  @Override
  public void onRankDying(int rank, int of) {}

  @Override
  public void onRankSilent(int rank, int of) {
    cluster.kill(rank, of);
  }

  @Override
  public void onRankMessage(int rank, int of, RankMessage message) {
    if (incarnation[rank] != of || !running[rank]) {
      return;
    }
    switch (message) {
      case RankMessage.Joined m -> {
        if (m.epoch() != epoch) {
          cluster.send(rank, of, new JobMessage.Revoke(epoch, JobMessage.Revoke.NONE, List.of()));
          return;
        }
        joined.put(rank, m.addresses());
        if (joined.size() == node.length) {
          List<Map<String, byte[]>> all = new ArrayList<>();
          for (int r = 0; r < node.length; r++) {
            all.add(joined.getOrDefault(r, Map.of()));
          }
          cluster.sendAll(new JobMessage.Start(epoch, false, AddressTable.of(all)));
        }
      }
      case RankMessage.Suspect m -> {
        if (m.epoch() == epoch && running[m.rank()] && !released) {
          cluster.kill(m.rank(), incarnation[m.rank()]);
        }
      }
      case RankMessage.Finished m -> {
        if (m.epoch() == epoch && finished.add(rank) && finished.size() == node.length) {
          released = true;
          cluster.sendAll(new JobMessage.Release());
        }
      }
      default -> throw new AssertionError(message);
    }
  }
}
