package org.fmi.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Creates the rings that this rank writes to, of the planned size while there is room, else of the
 * smallest size; if there is no room for these either, the error says what would help.
 */
final class RingMaker {
  private static final int KIB_SHIFT = 10;
  private static final int MIB_SHIFT = 20;

  private final RankConfig config;
  private final int epoch;
  private final NodeFiles files;
  private final String name;
  private final Diagnostics diagnostics;
  private final int maxPayload;

  private int ranks = 1;
  private RingLayout layout = RingLayout.of(ranks);

  /** Whether all ranks of this node have left earlier epochs. */
  private boolean earlierGone;

  /** Whether the user knows that there is no room for rings of this layout. */
  private boolean scarce;

  /**
   * @param name the name of this rank's inbox
   * @param diagnostics receives messages for the user
   */
  RingMaker(RankConfig config, int epoch, NodeFiles files, String name, Diagnostics diagnostics) {
    this.config = config;
    this.epoch = epoch;
    this.files = files;
    this.name = name;
    this.diagnostics = diagnostics;
    this.maxPayload =
        config.ranksOnMachine() > config.cores()
            ? Math.min(
                ShmTransport.MAX_PAYLOAD_IN_TURNS,
                RingLayout.of(config.ranksOnNode()).mostPayload())
            : ShmTransport.MAX_PAYLOAD;
  }

  /**
   * Checks that there is room for all rings of the node.
   *
   * @throws IOException if there is no room
   */
  void check() throws IOException {
    int planned = config.ranksOnNode();
    // Memory of an earlier epoch will be freed: the current amount is not meaningful.
    if (!files.earlier(epoch) && RingLayout.nodeBytes(planned) > files.freeBytes()) {
      throw new IOException(noRoom(planned));
    }
  }

  private String noRoom(int count) throws IOException {
    return "shm: the rings of %d ranks need up to %d MiB in %s, but %d MiB are free; use fewer ranks per node (--ppn), --transport tcp, or a larger /dev/shm"
        .formatted(
            count,
            Math.ceilDiv(RingLayout.nodeBytes(count), 1L << MIB_SHIFT),
            config.nodeDirectory(),
            files.freeBytes() >> MIB_SHIFT);
  }

  /**
   * Plans rings for this many ranks on this node. Done in each epoch, as a node may have taken in
   * ranks of a lost node.
   */
  void plan(int ranksHere) {
    ranks = ranksHere;
    RingLayout smallest = RingLayout.smallest(maxPayload);
    layout = RingLayout.of(ranksHere);
    if (layout.dataBytes() < smallest.dataBytes()) {
      layout = smallest;
    }
  }

  /** The longest payload of a frame, which fits into each ring. */
  int maxPayload() {
    return maxPayload;
  }

  /**
   * Creates the ring to a rank, and notifies that rank.
   *
   * @return null if there is no room now, but possibly later
   */
  @Nullable OutRing make(int peer, Inbox theirs) {
    try {
      return make(peer, layout, theirs);
    } catch (IOException e) {
      if (earlierGone) {
        return makeSmallest(peer, theirs, e);
      }
      // A neighbour in an earlier epoch may still hold the room: try again later.
      earlierGone = !anyEarlier();
      return null;
    }
  }

  private OutRing make(int peer, RingLayout size, Inbox theirs) throws IOException {
    String file = NodeFiles.ringName(name, peer);
    OutRing ring = new OutRing(files.create(file, size.fileBytes()), size, theirs);
    theirs.publish(config.rank(), Inbox.RING);
    return ring;
  }

  /**
   * Creates the smallest ring: there was room for all rings at the start, and something else has
   * taken it since.
   */
  private OutRing makeSmallest(int peer, Inbox theirs, IOException why) {
    RingLayout smallest = RingLayout.smallest(maxPayload);
    try {
      OutRing ring = make(peer, smallest, theirs);
      if (!scarce && !layout.equals(smallest)) {
        scarce = true;
        diagnostics.report(
            "rank %d sends through rings of %d KiB instead of %d KiB: %s"
                .formatted(
                    config.rank(),
                    smallest.fileBytes() >> KIB_SHIFT,
                    layout.fileBytes() >> KIB_SHIFT,
                    why.getMessage()));
      }
      return ring;
    } catch (IOException e) {
      throw notMade(e);
    }
  }

  private boolean anyEarlier() {
    try {
      return files.earlier(epoch);
    } catch (IOException e) {
      throw NodeFiles.failed(e);
    }
  }

  /** The error, with advice if the reason is lack of room. */
  private UncheckedIOException notMade(IOException e) {
    try {
      if (files.freeBytes() < RingLayout.smallest(maxPayload).fileBytes()) {
        return NodeFiles.failed(new IOException(e.getMessage() + "; " + noRoom(ranks), e));
      }
    } catch (IOException unknown) {
      e.addSuppressed(unknown);
    }
    return NodeFiles.failed(e);
  }
}
