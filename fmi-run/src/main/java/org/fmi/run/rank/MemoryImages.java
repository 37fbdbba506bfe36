package org.fmi.run.rank;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.ckpt.xor.GroupImages;
import org.fmi.ckpt.xor.XorStoreProvider;
import org.fmi.job.control.PieceQuestion;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.EarlierMemory;
import org.fmi.spi.OtherImages;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints in the memory of an earlier job, read from the daemons that hold them. Parts that
 * were lost with their nodes are computed from their groups' codes.
 */
final class MemoryImages implements OtherImages {
  private static final int CHUNK = 1 << 20;

  private final EarlierMemory memory;
  private final HolderLink link;

  /** The opened images, by checkpoint and index of the group. */
  private final Map<CheckpointId, Map<Integer, GroupImages>> open = new HashMap<>();

  MemoryImages(RankConfig config) {
    this.memory = config.earlier();
    this.link = new HolderLink(config.secret(), config.job().heartbeatMillis());
  }

  @Override
  public String name() {
    return "the memory of the job's " + memory.size() + " ranks";
  }

  @Override
  public boolean inFiles() {
    return false;
  }

  @Override
  public int size() {
    return memory.size();
  }

  @Override
  public List<CheckpointId> needed() {
    return memory.needed();
  }

  @Override
  public void verify(int rank, CheckpointId id) throws IOException {
    GroupImages images = images(rank, id);
    long bytes = images.bytes(rank);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(CHUNK);
      for (long at = 0; at < bytes; at += CHUNK) {
        images.read(rank, at, chunk.asSlice(0, Math.min(CHUNK, bytes - at)));
      }
    }
  }

  @Override
  public void read(int rank, CheckpointId id, long at, MemorySegment into) throws IOException {
    images(rank, id).read(rank, at, into);
  }

  private GroupImages images(int rank, CheckpointId id) throws IOException {
    int number = groupOf(rank);
    Map<Integer, GroupImages> groups = open.computeIfAbsent(id, _ -> new HashMap<>());
    GroupImages known = groups.get(number);
    if (known == null) {
      known = open(memory.groups().get(number), id);
      groups.put(number, known);
    }
    return known;
  }

  private int groupOf(int rank) throws IOException {
    for (int i = 0; i < memory.groups().size(); i++) {
      if (Arrays.binarySearch(memory.groups().get(i), rank) >= 0) {
        return i;
      }
    }
    throw new IOException("rank " + rank + " had no checkpoint group");
  }

  /** Opens the images of a group: any member's header describes all of them. */
  private GroupImages open(int[] group, CheckpointId id) throws IOException {
    for (int member : group) {
      byte[] header = ask(member, new PieceQuestion.Header(member, id));
      if (header != null) {
        return new GroupImages(
            header,
            group,
            Math.min(memory.losses(), group.length - 1),
            XorStoreProvider.BLOCK_BYTES,
            (rank, chunk, row) -> ask(rank, new PieceQuestion.Block(rank, id, chunk, row)));
      }
    }
    throw new IOException(
        "the checkpoint of iteration "
            + id.iteration()
            + " is lost for good: no node holds it any more for ranks "
            + Arrays.toString(group));
  }

  /** Asks the nodes that hold checkpoints of a rank; returns null if none has the answer. */
  private byte @Nullable [] ask(int rank, PieceQuestion question) throws IOException {
    for (EarlierMemory.Holder holder : memory.holders()) {
      if (Arrays.stream(holder.ranks()).anyMatch(each -> each == rank)) {
        byte[] answer = link.ask(holder, question);
        if (answer != null) {
          return answer;
        }
      }
    }
    return null;
  }

  @Override
  public void close() {
    open.clear();
    link.close();
  }
}
