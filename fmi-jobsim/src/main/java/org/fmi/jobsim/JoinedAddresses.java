package org.fmi.jobsim;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.job.JobCommand;

/**
 * Holds where {@link JobMessage.Start} says that ranks can be reached against what their newest
 * processes have said when they joined that epoch.
 */
final class JoinedAddresses {
  private record Joining(int rank, int incarnation, int epoch) {}

  private final int[] newest;
  private final Map<Joining, Map<String, byte[]>> said = new HashMap<>();
  private final Set<String> names = new TreeSet<>();

  JoinedAddresses(int ranks) {
    this.newest = new int[ranks];
  }

  /** A rank gets a new process. */
  void onSpawn(JobCommand.Spawn spawn) {
    newest[spawn.rank()] = spawn.incarnation();
  }

  /** A process has said something. */
  void onSent(int rank, int incarnation, RankMessage message) {
    if (message instanceof RankMessage.Joined m) {
      said.put(new Joining(rank, incarnation, m.epoch()), m.addresses());
      names.addAll(m.addresses().keySet());
    }
  }

  /** Checks a message to all ranks. */
  void onReceived(JobMessage message) {
    if (message instanceof JobMessage.Start start) {
      for (int rank = 0; rank < newest.length; rank++) {
        check(start, rank);
      }
    }
  }

  private void check(JobMessage.Start start, int rank) {
    Map<String, byte[]> own = said.get(new Joining(rank, newest[rank], start.epoch()));
    if (own == null) {
      throw new AssertionError(
          "rank " + rank + " has not joined epoch " + start.epoch() + ", which begins");
    }
    for (String name : names) {
      byte[] sent = start.endpoints().named(name).get(rank);
      if (!Arrays.equals(sent, own.getOrDefault(name, new byte[0]))) {
        throw new AssertionError(
            "rank "
                + rank
                + " is reported at another address in epoch "
                + start.epoch()
                + ": "
                + name);
      }
    }
  }
}
