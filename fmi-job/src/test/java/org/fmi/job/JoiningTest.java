package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Ranks join one by one, and what each of them says is kept until all have. Meanwhile some are lost
 * and join again: all are told of the newest addresses, and of nothing older.
 */
final class JoiningTest {
  private static final int RANKS = 6;
  private static final int NODES = 3;
  private static final int SPARES = 4;
  private static final List<String> NAMES = List.of("detector", "rdma", "shm", "tcp");

  private final int[] nodeOf = new int[RANKS];
  private final int[] incarnationOf = new int[RANKS];
  private final List<Map<String, byte[]>> newest = new ArrayList<>();
  private final boolean[] hasJoined = new boolean[RANKS];
  private final JobController job;
  private int epoch;
  private int starts;
  private @Nullable AddressTable told;
  private JobCommand.@Nullable End end;

  JoiningTest() {
    List<JobSpec.Node> nodes =
        IntStream.range(0, NODES + SPARES)
            .mapToObj(n -> new JobSpec.Node("node" + n, 2, n >= NODES))
            .toList();
    job =
        new JobController(
            new JobSpec(
                RANKS,
                new JobSpec.Room(nodes, 2, OnNoSpare.SHARE),
                new JobSpec.Grouping(16, 1),
                JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
                List.of()));
    for (int r = 0; r < RANKS; r++) {
      newest.add(Map.of());
    }
    carryOut(job.begin());
    for (int n = NODES + SPARES - 1; n >= 0; n--) {
      on(new JobEvent.NodeUp(n, 1L << 30));
    }
  }

  private void on(JobEvent event) {
    told = null;
    carryOut(job.on(event));
  }

  private void carryOut(List<JobCommand> commands) {
    for (JobCommand command : commands) {
      switch (command) {
        case JobCommand.Spawn c -> {
          nodeOf[c.rank()] = c.node();
          incarnationOf[c.rank()] = c.incarnation();
          hasJoined[c.rank()] = false;
        }
        case JobCommand.ToAllNodes(ToDaemon.ForwardAll(JobMessage.Revoke m)) -> {
          epoch = m.epoch();
          Arrays.fill(hasJoined, false);
        }
        case JobCommand.ToAllNodes(ToDaemon.ForwardAll(JobMessage.Start m)) -> {
          assertThat(m.epoch()).isEqualTo(epoch);
          starts++;
          told = m.endpoints();
        }
        case JobCommand.End c -> end = c;
        default -> {}
      }
    }
  }

  private void say(int rank, RankMessage message) {
    on(new JobEvent.FromNode(0, new FromDaemon.Relayed(rank, incarnationOf[rank], message)));
  }

  private void join(int rank, Map<String, byte[]> addresses) {
    newest.set(rank, addresses);
    hasJoined[rank] = true;
    Position position = epoch == 0 ? Position.FRESH : Position.REPLAYING;
    say(rank, new RankMessage.Joined(epoch, position, addresses));
  }

  private void exits(int rank) {
    hasJoined[rank] = false;
    on(
        new JobEvent.FromNode(
            nodeOf[rank], new FromDaemon.RankExited(rank, incarnationOf[rank], 137, true)));
  }

  private void loses(int node) {
    on(new JobEvent.NodeLost(node, "its connection ended"));
  }

  private static Map<String, byte[]> tcp(int port) {
    return Map.of("tcp", new byte[] {(byte) port});
  }

  private void assertToldTheNewest() {
    AddressTable table = Objects.requireNonNull(told);
    for (String name : NAMES) {
      for (int r = 0; r < RANKS; r++) {
        assertThat(table.named(name).get(r))
            .as("%s of rank %d", name, r)
            .isEqualTo(newest.get(r).getOrDefault(name, new byte[0]));
      }
    }
  }

  @Test
  void ofANodeThatIsLostMeanwhileTheNewProcessesCount() {
    for (int r = 1; r < RANKS; r++) {
      join(r, Map.of("tcp", new byte[] {1, 2, (byte) r}, "shm", new byte[] {3}));
    }
    loses(2);
    join(0, tcp(10));
    assertThat(told).isNull();
    join(4, Map.of("tcp", new byte[] {7, 7, 7, 7}));
    loses(nodeOf[4]);
    join(5, tcp(15));
    assertThat(told).isNull();
    join(4, tcp(14));
    assertThat(epoch).isZero();
    assertToldTheNewest();
  }

  /** Somebody has left it. What was said in it counts no more, not even the names. */
  @Test
  void ofAnEpochThatNeverBeginsNothingIsTold() {
    for (int r = 1; r < RANKS; r++) {
      join(r, Map.of("rdma", new byte[] {1, 2}));
    }
    say(1, new RankMessage.Suspect(0, 0, 1, 0, "tcp", "its connection ended"));
    assertThat(epoch).isEqualTo(1);
    exits(0);
    for (int r = 0; r < RANKS; r++) {
      join(r, tcp(r));
    }
    assertToldTheNewest();
    assertThat(String.valueOf(told)).isEqualTo("addresses of 6 ranks for [tcp]");
  }

  @Test
  void nothingIsToldAfterTheEnd() {
    for (int r = 1; r < RANKS; r++) {
      join(r, tcp(r));
    }
    on(new JobEvent.Interrupted(15));
    assertThat(end).isNotNull();
    join(0, tcp(0));
    assertThat(told).isNull();
  }

  /** Processes and nodes are lost at any time, and ranks join in any order, over several epochs. */
  @Test
  void whateverIsLostMeanwhile() {
    int begun = 0;
    for (long seed = 0; seed < 300; seed++) {
      JoiningTest run = new JoiningTest();
      run.byChance(new SplittableRandom(seed));
      begun += run.starts;
    }
    assertThat(begun).isGreaterThan(300);
  }

  private void byChance(SplittableRandom random) {
    int nodesLost = 0;
    for (int step = 0; step < 60 && end == null; step++) {
      int rank = random.nextInt(RANKS);
      switch (random.nextInt(12)) {
        case 0 -> exits(rank);
        case 1 -> {
          if (nodesLost++ < 2) {
            loses(nodeOf[rank]);
          }
        }
        default -> {
          if (!hasJoined[rank]) {
            join(rank, addresses(random));
          }
        }
      }
      if (told != null) {
        assertToldTheNewest();
      }
    }
  }

  private static Map<String, byte[]> addresses(SplittableRandom random) {
    Map<String, byte[]> some = new HashMap<>();
    for (String name : NAMES) {
      if (random.nextInt(3) > 0) {
        byte[] address = new byte[random.nextInt(6)];
        random.nextBytes(address);
        some.put(name, address);
      }
    }
    return some;
  }
}
