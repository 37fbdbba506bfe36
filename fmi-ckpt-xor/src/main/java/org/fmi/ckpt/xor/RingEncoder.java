package org.fmi.ckpt.xor;

import org.fmi.Request;

/**
 * Computes the parity of all members of a group at once, and the checksums of what they hold
 * (Figure 9 of the FMI paper).
 *
 * <p>The parity of member p begins as a chunk of member p+1, goes round the ring p+1, p+2, ... p-1,
 * each of which adds the chunk that p covers, and ends at p. All members' parities travel at the
 * same time, one chunk apart, so that every rank sends and receives s bytes in n-1 steps of
 * s/(n-1):
 *
 * <pre>
 *   step t on member i:   receive p = i-t-1's sum from i-1      (t = n-1: this is the own parity)
 *                         add chunk n-1-t to p = i-t's sum, received in step t-1, send it to i+1
 * </pre>
 *
 * This is done for as many blocks at a time as there are lanes, so that sums stay in the cache, the
 * image is read once, and nothing but parity and checksums is written.
 */
final class RingEncoder {
  private final StoredCheckpoint checkpoint;
  private final PieceLayout layout;
  private final int members;
  private final int previous;
  private final int next;
  private final Lane[] lanes;
  private final long[] parityBlock;

  /**
   * @param group world ranks
   * @param me index of this rank in it
   */
  RingEncoder(Lane[] lanes, int[] group, int me, StoredCheckpoint checkpoint) {
    this.checkpoint = checkpoint;
    this.layout = checkpoint.layout();
    this.members = group.length;
    this.previous = group[(me + members - 1) % members];
    this.next = group[(me + 1) % members];
    this.lanes = lanes;
    this.parityBlock = new long[lanes.length];
  }

  /** Collective over the group. */
  void encode() {
    long blocks = layout.blocks();
    if (members == 1) {
      for (long block = 0; block < blocks; block++) {
        checkpoint.seal(0, block);
      }
      return;
    }
    for (Lane lane : lanes) {
      lane.reset();
    }
    for (long first = 0; first < blocks; first += lanes.length) {
      int width = (int) Math.min(lanes.length, blocks - first);
      for (int step = 1; step < members; step++) {
        for (int lane = 0; lane < width; lane++) {
          step(step, lane, first + lane);
        }
      }
    }
    for (int lane = 0; lane < lanes.length; lane++) {
      finishParity(lane);
      lanes[lane].finishSending();
    }
  }

  private void step(int step, int laneIndex, long block) {
    Lane lane = lanes[laneIndex];
    int chunk = members - 1 - step;
    int bytes = layout.blockBytes(block);
    checkpoint.seal(chunk, block);
    lane.finishSending();
    if (step == 1) {
      finishParity(laneIndex);
    }
    Request sum = lane.takeReceiving();
    if (step == members - 1) {
      lane.receive(checkpoint.piece(), layout.blockAt(members - 1, block), bytes, previous);
      parityBlock[laneIndex] = block;
    } else {
      lane.receive(step, bytes, previous);
    }
    if (sum != null) {
      sum.waitFor();
      checkpoint.addTo(lane.memory(), lane.at(step - 1), chunk, block);
      lane.send(step - 1, bytes, next);
    } else {
      lane.send(checkpoint, chunk, block, next);
    }
  }

  private void finishParity(int laneIndex) {
    Request parity = lanes[laneIndex].takeReceiving();
    if (parity != null) {
      parity.waitFor();
      checkpoint.seal(members - 1, parityBlock[laneIndex]);
    }
  }
}
