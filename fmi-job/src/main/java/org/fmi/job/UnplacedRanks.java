package org.fmi.job;

import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ranks that need a process but have no node. Finds a node for each, within the limits that the
 * user has set.
 *
 * <p>Where nodes can be requested, ranks without a free slot wait until as many nodes as they need
 * are granted or refused. After a refusal, no node is requested until the next loss of a node with
 * ranks; the same holds after a granted node could not be started, because the next one may be no
 * better.
 */
final class UnplacedRanks {
  private final boolean mayRequest;
  private final Placement placement;
  private final Outbox out;
  private final IntConsumer spawn;
  private final TreeSet<Integer> ranks = new TreeSet<>();

  /** Whether a notice has said that ranks wait for a node. */
  private boolean waiting;

  /** Nodes that were requested and not yet granted or refused. */
  private int requested;

  private boolean refused;

  /** Nodes that were granted and are not up yet. */
  private final BitSet granted = new BitSet();

  /**
   * @param spawn starts the process of a rank that has got a node
   */
  UnplacedRanks(JobSpec spec, Placement placement, Outbox out, IntConsumer spawn) {
    this.mayRequest = spec.room().requestsNodes();
    this.placement = placement;
    this.out = out;
    this.spawn = spawn;
  }

  /** Adds a rank that has lost its node. */
  void add(int rank) {
    ranks.add(rank);
    refused = false;
  }

  /** Notes that a node was granted. */
  void granted(JobSpec.Node node) {
    requested = Math.max(0, requested - 1);
    int number = Arrivals.take(node, placement, out);
    placement.lent(number);
    granted.set(number);
  }

  /** Notes that a node was refused. */
  void refused(String reason) {
    requested = Math.max(0, requested - 1);
    refused = true;
    out.reportRefused(reason);
  }

  /** Notes that a node is up. */
  void up(int node) {
    granted.clear(node);
  }

  /** Notes that a node is lost. */
  void lost(int node) {
    refused |= granted.get(node);
    granted.clear(node);
  }

  /**
   * Finds a node for each rank without one.
   *
   * @param fewer provides the command that continues the program with fewer ranks
   * @param useless the end of a job in which a rank waits for a node although its checkpoints are
   *     lost; null if they are not, as far as known
   * @return the last command of the job if some rank has no node and will get none
   */
  @Nullable JobCommand place(
      Supplier<JobCommand> fewer, IntFunction<@Nullable JobCommand> useless) {
    int before;
    JobCommand verdict;
    do { // a rank that is back with its checkpoints allows others of its group to go anywhere
      before = ranks.size();
      verdict = placeEach(fewer, useless);
    } while (verdict == null && !ranks.isEmpty() && ranks.size() < before);
    return verdict;
  }

  private @Nullable JobCommand placeEach(
      Supplier<JobCommand> fewer, IntFunction<@Nullable JobCommand> useless) {
    boolean waits = false;
    int without = 0;
    for (int r : List.copyOf(ranks)) {
      switch (placement.choose(r, mayRequest && (requested > 0 || !refused))) {
        case Placement.Choice.At at -> {
          ranks.remove(r);
          placement.put(r, at.node(), at.beyondSlots());
          if (at.beyondSlots()) {
            out.reportShared(r);
          }
          out.reportPartner(r);
          spawn.accept(r);
        }
        case Placement.Choice.Later _ -> {
          // a node that is still starting, silent or returning may take it
        }
        case Placement.Choice.WhenOneIsGranted _ -> without++;
        case Placement.Choice.WhenOneReturns _ -> {
          JobCommand end = useless.apply(r);
          if (end != null) {
            return end;
          }
          if (!waiting) {
            waiting = true;
            out.reportWaiting();
          }
          placement.awaitLost().forEach(node -> out.add(new JobCommand.Launch(node)));
          waits = true;
        }
        case Placement.Choice.Fewer _ -> {
          return fewer.get();
        }
        case Placement.Choice.Nowhere no -> {
          return JobCommand.End.failed(no.cause(), no.message());
        }
      }
    }
    waiting = waits;
    request(without);
    return null;
  }

  /** Requests the nodes that these ranks need, unless they have been requested. */
  private void request(int without) {
    if (ranks.isEmpty() && requested > 0) {
      requested = 0;
      out.add(new JobCommand.WithdrawRequests());
    }
    int slots = placement.mostSlots();
    int more = Math.ceilDiv(without, slots) - requested;
    if (more > 0 && !refused) {
      out.reportRequested(more);
      for (; more > 0; more--) {
        requested++;
        out.add(new JobCommand.RequestNode(slots));
      }
    }
  }
}
