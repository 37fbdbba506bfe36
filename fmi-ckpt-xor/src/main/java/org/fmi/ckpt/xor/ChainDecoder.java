package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import org.fmi.Request;

/**
 * Brings back the image and the parity of one lost member of a group.
 *
 * <p>All chunks that a parity covers, and that parity, add up to zero; so a lost one is the sum of
 * the others. The sums travel along a chain from the lost member's successor round the ring to the
 * lost member, which receives nothing else: s + s/(n-1) bytes, as much as each link of the chain
 * carries.
 *
 * <pre>
 *   l+1 --> l+2 --> ... --> l-1 --> l     for each holder p = l+1, l+2, ... l:
 *                                         the sum of the chunks covered by p, parity included
 * </pre>
 *
 * With p = l+1+k the lost member gets its chunk k; at last, with p = l, its parity.
 */
final class ChainDecoder {
  private final Lane[] lanes;
  private final int me;
  private final int lost;
  private final StoredCheckpoint checkpoint;
  private final PieceLayout layout;
  private final int members;
  private final int previous;
  private final int next;
  private final long blocks;
  private final long total;
  private boolean intact = true;

  /**
   * @param group world ranks
   * @param me index of this rank in it
   * @param lost index of the lost one
   */
  ChainDecoder(Lane[] lanes, int[] group, int me, int lost, StoredCheckpoint checkpoint) {
    this.lanes = lanes;
    this.me = me;
    this.lost = lost;
    this.checkpoint = checkpoint;
    this.layout = checkpoint.layout();
    this.members = group.length;
    this.previous = group[(me + members - 1) % members];
    this.next = group[(me + 1) % members];
    this.blocks = layout.blocks();
    this.total = blocks * members;
    for (Lane lane : lanes) {
      lane.reset();
    }
  }

  /**
   * Collective over the group. The lost member seals what it gets.
   *
   * @return false if a block of this rank was not what its checksum says
   */
  boolean decode() {
    if (me == lost) {
      restore();
    } else if (me == (lost + 1) % members) {
      begin();
    } else {
      passOn();
    }
    return intact;
  }

  private Lane lane(long message) {
    return lanes[(int) (message % lanes.length)];
  }

  /** Which of a lane's buffers a message uses: they take turns. */
  private long buffer(long message) {
    return message / lanes.length;
  }

  private long block(long message) {
    return message % blocks;
  }

  /** This rank's chunk that goes into a message. */
  private int chunk(long message) {
    int holder = lost + 1 + (int) (message / blocks);
    return (holder - me - 1 + members) % members;
  }

  private void check(int chunk, long block) {
    intact &= checkpoint.isIntact(chunk, block);
  }

  private void begin() {
    for (long m = 0; m < total; m++) {
      check(chunk(m), block(m));
      lane(m).finishSending();
      lane(m).send(checkpoint, chunk(m), block(m), next);
    }
    finishSending();
  }

  private void passOn() {
    long ahead = Math.min(lanes.length, total);
    for (long m = 0; m < ahead; m++) {
      lane(m).receive(buffer(m), layout.blockBytes(block(m)), previous);
    }
    for (long m = 0; m < total; m++) {
      Lane lane = lane(m);
      check(chunk(m), block(m));
      lane.finishSending();
      Request sum = lane.takeReceiving();
      long later = m + lanes.length;
      if (later < total) {
        lane.receive(buffer(later), layout.blockBytes(block(later)), previous);
      }
      if (sum != null) {
        sum.waitFor();
      }
      checkpoint.addTo(lane.memory(), lane.at(buffer(m)), chunk(m), block(m));
      lane.send(buffer(m), layout.blockBytes(block(m)), next);
    }
    finishSending();
  }

  private void finishSending() {
    for (Lane lane : lanes) {
      lane.finishSending();
    }
  }

  private void restore() {
    for (long m = 0; m < total + lanes.length; m++) {
      finishReceiving(m - lanes.length);
      if (m < total) {
        receive(m);
      }
    }
  }

  private void receive(long message) {
    int bytes = layout.blockBytes(block(message));
    if (checkpoint.isWhole(chunk(message), block(message))) {
      long at = layout.blockAt(chunk(message), block(message));
      lane(message).receive(checkpoint.piece(), at, bytes, previous);
    } else {
      lane(message).receive(0, bytes, previous);
    }
  }

  private void finishReceiving(long message) {
    Request receiving = message < 0 ? null : lane(message).takeReceiving();
    if (receiving == null) {
      return;
    }
    receiving.waitFor();
    int chunk = chunk(message);
    long block = block(message);
    int stored = layout.storedBytes(chunk, block);
    if (stored > 0 && !checkpoint.isWhole(chunk, block)) {
      Lane lane = lane(message);
      MemorySegment.copy(
          lane.memory(), lane.at(0), checkpoint.piece(), layout.blockAt(chunk, block), stored);
    }
    checkpoint.seal(chunk, block);
  }
}
