package org.fmi.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.fmi.job.control.ToDaemon;
import org.fmi.rules.Holdings;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.EarlierMemory;
import org.fmi.spi.LeftCheckpoints.Part;
import org.fmi.spi.UnrecoverableException;

/** The checkpoints that the ranks of a job have left in the memory of its nodes. */
public final class LeftMemory {
  private LeftMemory() {}

  /**
   * The checkpoints on a node.
   *
   * @param at the address at which its daemon serves them
   */
  public record OnNode(ToDaemon.Peer at, List<Part> parts) {
    public OnNode {
      parts = List.copyOf(parts);
    }
  }

  /**
   * Returns what a job with fewer ranks begins from: the newest checkpoint that each group has or
   * can rebuild.
   *
   * @param size the number of ranks that have left it
   * @return {@link EarlierMemory#NONE} if there was no checkpoint yet, or only the first, which
   *     holds the program's start
   * @throws UnrecoverableException if there are checkpoints, but none that can be brought back
   */
  public static EarlierMemory of(int size, List<OnNode> nodes) throws UnrecoverableException {
    Map<Integer, Part> anyOfGroup = new TreeMap<>();
    int losses = 0;
    for (OnNode node : nodes) {
      for (Part part : node.parts) {
        anyOfGroup.putIfAbsent(part.group()[0], part);
        losses = Math.max(losses, part.losses());
      }
    }
    if (anyOfGroup.isEmpty()) {
      return EarlierMemory.NONE;
    }
    List<int[]> groups = new ArrayList<>();
    Set<Integer> unknown = new TreeSet<>(IntStream.range(0, size).boxed().toList());
    Holdings held = null;
    for (Part any : anyOfGroup.values()) {
      int[] group = any.group();
      groups.add(group);
      IntStream.of(group).forEach(unknown::remove);
      Holdings ofGroup = Holdings.of(group, any.losses(), held(group, nodes));
      held = held == null ? ofGroup : held.with(ofGroup);
    }
    if (held == null) {
      throw new IllegalStateException("parts without a group");
    }
    if (!unknown.isEmpty()) {
      // Whole groups are lost, and with them who belonged to which.
      int[] ranks = unknown.stream().mapToInt(Integer::intValue).toArray();
      held =
          held.with(
              Holdings.of(ranks, 0, unknown.stream().map(_ -> List.<CheckpointId>of()).toList()));
    }
    RecoveryLine line = RecoveryLine.choose(held, true);
    return line.checkpoint() == null
        ? EarlierMemory.NONE
        : new EarlierMemory(size, line.needed(), losses, groups, holders(nodes, line));
  }

  /** Per member, its checkpoints; of two attempts to take one, those of the lower member count. */
  private static List<List<CheckpointId>> held(int[] group, List<OnNode> nodes) {
    Map<CheckpointId, Integer> digests = new HashMap<>();
    List<List<CheckpointId>> held = new ArrayList<>();
    for (int member : group) {
      Set<CheckpointId> ids = new HashSet<>();
      for (OnNode node : nodes) {
        for (Part part : node.parts) {
          if (part.rank() == member
              && digests.computeIfAbsent(part.id(), _ -> part.digest()) == part.digest()) {
            ids.add(part.id());
          }
        }
      }
      held.add(List.copyOf(ids));
    }
    return held;
  }

  private static List<EarlierMemory.Holder> holders(List<OnNode> nodes, RecoveryLine line) {
    List<EarlierMemory.Holder> holders = new ArrayList<>();
    for (OnNode node : nodes) {
      int[] ranks =
          node.parts.stream()
              .filter(part -> line.needed().contains(part.id()))
              .mapToInt(Part::rank)
              .distinct()
              .sorted()
              .toArray();
      if (ranks.length > 0) {
        holders.add(new EarlierMemory.Holder(node.at.host(), node.at.port(), ranks));
      }
    }
    return holders;
  }
}
