package org.fmi.examples.amr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.examples.Checksum;

/**
 * A plate of {@code side} times {@code side} blocks, numbered row by row, each at one of the ranks.
 * Every rank knows the level and the owner of all of them, and so decides as all others do.
 */
final class Mesh {
  private final Comm comm;
  private final int side;

  /** Level of each block. */
  final int[] levels;

  final int[] owners;

  final Blocks blocks = new Blocks();

  /** Number of blocks that have moved to another rank so far. */
  final long[] moves = new long[1];

  /** A cold plate, each block at the coarsest level. */
  Mesh(Comm comm, int side) {
    this.comm = comm;
    this.side = side;
    levels = new int[side * side];
    owners = balanced();
    for (int number = 0; number < owners.length; number++) {
      if (owners[number] == comm.rank()) {
        blocks.byNumber.put(number, new Block(0));
      }
    }
  }

  /** Computes one iteration. */
  void step(long iteration) {
    exchangeEdges();
    Spot spot = Spot.at(iteration);
    blocks.byNumber.forEach(
        (number, block) -> block.step(spot, number / side, number % side, side));
  }

  private void exchangeEdges() {
    List<Request> sends = new ArrayList<>();
    blocks.byNumber.forEach(
        (number, block) -> {
          for (Side to : Side.values()) {
            int neighbour = neighbour(number, to);
            if (neighbour >= 0 && owners[neighbour] != comm.rank()) {
              sends.add(comm.isend(block.edge(to), owners[neighbour], tag(number, to)));
            }
          }
        });
    blocks.byNumber.forEach(
        (number, block) -> {
          for (Side from : Side.values()) {
            int neighbour = neighbour(number, from);
            if (neighbour >= 0) {
              block.setLayer(from, edge(neighbour, from.opposite()));
            }
          }
        });
    Request.waitAll(sends);
  }

  /** A block's edge, received if the block is another rank's. */
  private double[] edge(int number, Side of) {
    Block mine = blocks.byNumber.get(number);
    if (mine != null) {
      return mine.edge(of);
    }
    double[] edge = new double[Block.cells(levels[number])];
    comm.recv(edge, owners[number], tag(number, of));
    return edge;
  }

  private static int tag(int number, Side side) {
    return number * Side.COUNT + side.number;
  }

  /** The block beyond a side; -1 beyond the plate. */
  private int neighbour(int number, Side to) {
    int row = number / side + to.rows;
    int col = number % side + to.cols;
    return 0 <= row && row < side && 0 <= col && col < side ? row * side + col : -1;
  }

  /** Gives each block the level that it wants, and each rank an equal share of all cells. */
  void adapt() {
    int[] wanted = new int[levels.length];
    blocks.byNumber.forEach((number, block) -> wanted[number] = block.wantedLevel());
    comm.allReduce(wanted, Op.SUM); // each block has one owner; all other ranks add 0
    blocks.byNumber.replaceAll(
        (number, block) -> block.level == wanted[number] ? block : block.at(wanted[number]));
    System.arraycopy(wanted, 0, levels, 0, levels.length);
    move(balanced());
  }

  /** Owners of consecutive blocks with about equally many cells in all. */
  private int[] balanced() {
    long all = cells();
    long before = 0;
    int[] balanced = new int[levels.length];
    for (int number = 0; number < levels.length; number++) {
      long cells = cells(levels[number]);
      balanced[number] = (int) ((2 * before + cells) * comm.size() / (2 * all));
      before += cells;
    }
    return balanced;
  }

  private static long cells(int level) {
    return (long) Block.cells(level) * Block.cells(level);
  }

  private void move(int[] newOwners) {
    List<Request> requests = new ArrayList<>();
    for (int number = 0; number < owners.length; number++) {
      int from = owners[number];
      int to = newOwners[number];
      if (from == to) {
        continue;
      }
      moves[0]++;
      if (from == comm.rank()) {
        Block block = Objects.requireNonNull(blocks.byNumber.remove(number));
        requests.add(comm.isend(block.u, to, number));
      } else if (to == comm.rank()) {
        Block block = new Block(levels[number]);
        requests.add(comm.irecv(block.u, from, number));
        blocks.byNumber.put(number, block);
      }
    }
    Request.waitAll(requests);
    System.arraycopy(newOwners, 0, owners, 0, owners.length);
  }

  /** Returns the number of cells of all blocks. */
  long cells() {
    return Arrays.stream(levels).mapToLong(Mesh::cells).sum();
  }

  /** Returns a checksum of all temperatures, independent of their owners; collective. */
  long checksum() {
    double[] checksums = new double[levels.length];
    blocks.byNumber.forEach((number, block) -> checksums[number] = Checksum.of(block.inside()));
    comm.allReduce(checksums, Op.SUM);
    return Checksum.of(checksums);
  }
}
