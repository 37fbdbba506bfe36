package org.fmi.core.checkpoint;

import java.util.Arrays;
import java.util.function.Function;
import org.fmi.Comm;
import org.fmi.Rollback;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.Messenger;
import org.fmi.spi.RankConfig;

/** Ends the job when its ranks act differently where they must act alike. */
public final class Divergence {
  private final RankConfig config;
  private final Comm system;
  private final JobLink link;
  private final Messenger messenger;

  Divergence(RankConfig config, Comm system, JobLink link, Messenger messenger) {
    this.config = config;
    this.system = system;
    this.link = link;
    this.messenger = messenger;
  }

  /** Ends the job as ranks meet at different places of the program. */
  IllegalStateException differ(SyncPoint at, int epoch) {
    return differ(
        "meet at different places of the program",
        new long[] {at.packedLoop(), at.iteration()},
        place -> SyncPoint.unpack(place[0], place[1]).toString(),
        epoch);
  }

  /**
   * Ends the job as ranks act differently where they must act alike: the program's fault, which a
   * restart would repeat. The lowest rank that differs from rank 0 reports it. Never returns.
   *
   * @param mine two numbers that identify this rank's action
   * @param text describes the action for the user
   * @throws Rollback if the epoch is over
   */
  IllegalStateException differ(String how, long[] mine, Function<long[], String> text, int epoch) {
    long[] all = new long[2 * config.size()];
    system.allGather(mine, all);
    int other = 1;
    while (all[2 * other] == all[0] && all[2 * other + 1] == all[1]) {
      other++;
    }
    if (config.rank() == other) {
      throw programFault(
          "ranks 0 and "
              + other
              + " "
              + how
              + ": rank 0 "
              + text.apply(Arrays.copyOf(all, 2))
              + ", rank "
              + other
              + " "
              + text.apply(Arrays.copyOfRange(all, 2 * other, 2 * other + 2))
              + ": all ranks must run the same loops, with the same number of iterations",
          epoch);
    }
    while (true) {
      messenger.park();
    }
  }

  /**
   * Describes how a replayed message differs from the one received before; a part of a sentence.
   */
  public static String messages(int dest, int context, long tag, long lengthBefore, long length) {
    return "its message to rank "
        + dest
        + " "
        + CollectiveCall.belonging(context, tag)
        + (length == lengthBefore
            ? " has different data, " + length + " bytes as before"
            : " has " + length + " bytes instead of " + lengthBefore);
  }

  /** Describes that one of a block of replayed messages differs, of which the last is known. */
  public static String among(int messages, int dest, int context, long tag) {
    return "one of its last "
        + messages
        + " messages to rank "
        + dest
        + ", up to one "
        + CollectiveCall.belonging(context, tag)
        + ", has different data or a different length";
  }

  /**
   * Reports to the job that the program is at fault, which ends the job. Never returns.
   *
   * @throws Rollback if the epoch is over
   */
  IllegalStateException programFault(String reason, int epoch) {
    link.send(new RankMessage.ProgramFault(epoch, reason));
    while (true) {
      messenger.park();
    }
  }
}
