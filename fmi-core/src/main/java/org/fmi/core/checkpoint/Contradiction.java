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

/** Ends the job where its ranks do different things and must do the same. */
public final class Contradiction {
  private final RankConfig config;
  private final Comm system;
  private final JobLink link;
  private final Messenger messenger;

  Contradiction(RankConfig config, Comm system, JobLink link, Messenger messenger) {
    this.config = config;
    this.system = system;
    this.link = link;
    this.messenger = messenger;
  }

  /** Ranks are at different places of the program, each at its own meeting. */
  IllegalStateException differ(Meeting at, int epoch) {
    return differ(
        "meet at different places of the program",
        new long[] {at.packedLoop(), at.iteration()},
        place -> Meeting.unpack(place[0], place[1]).toString(),
        epoch);
  }

  /**
   * Ranks do different things where they must do the same: the program's fault, and repeated if it
   * were started again. The lowest rank that differs from rank 0 tells the job, which ends. Never
   * returns.
   *
   * @param mine two numbers that say what this rank does
   * @param text the same as a person reads it
   * @throws Rollback if the epoch is over
   */
  IllegalStateException differ(String how, long[] mine, Function<long[], String> text, int epoch) {
    long[] all = new long[2 * config.size()];
    system.allGather(mine, 0, 2, all, 0);
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
   * How a message that is made again differs from the one that has come, as a part of a sentence.
   */
  public static String messages(int dest, int context, long tag, long lengthBefore, long length) {
    return "its message to rank "
        + dest
        + " "
        + CollectiveCall.belonging(context, tag)
        + (length == lengthBefore
            ? " has other data, " + length + " bytes as before"
            : " has " + length + " bytes, and had " + lengthBefore);
  }

  /** The same of one of up to so many messages, of which the last is known. */
  public static String among(int messages, int dest, int context, long tag) {
    return "one of the last "
        + messages
        + " messages to rank "
        + dest
        + " that it has made again, up to one "
        + CollectiveCall.belonging(context, tag)
        + ", has other data or another length";
  }

  /**
   * Tells the job that the program is wrong, which ends it. Never returns.
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
