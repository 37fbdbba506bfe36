package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.fmi.core.coll.Vectors.assertSame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.coll.Vectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every collective as a program calls it, against a serial model: types, offsets, in place, and
 * lengths on both sides of each threshold.
 */
class CollectivesTest {
  private static final long SEED = 20260101;

  /** Elements before and after the data, which must not change. */
  private static final int PAD = 3;

  /**
   * The contents that ranks of this test have requested: all of them compare with most of these.
   */
  private final Map<Content, Object> contents = new ConcurrentHashMap<>();

  private record Content(Datatype type, int n, long seed, int rank) {}

  private Object data(Datatype type, int n, long seed, int rank) {
    Object content =
        contents.computeIfAbsent(
            new Content(type, n, seed, rank), c -> Vectors.random(type, n, SEED + seed, rank));
    return part(type, content, 0, n);
  }

  /** Creates an array with {@code content} between pads. */
  private Object padded(Datatype type, Object content, int n) {
    Object a = Vectors.array(type, n + 2 * PAD);
    System.arraycopy(data(type, PAD, 77, 7), 0, a, 0, PAD);
    System.arraycopy(content, 0, a, PAD, n);
    System.arraycopy(data(type, PAD, 77, 8), 0, a, PAD + n, PAD);
    return a;
  }

  private static Object concat(Datatype type, Object... parts) {
    int n = 0;
    for (Object p : parts) {
      n += Array.getLength(p);
    }
    Object all = Vectors.array(type, n);
    n = 0;
    for (Object p : parts) {
      int length = Array.getLength(p);
      System.arraycopy(p, 0, all, n, length);
      n += length;
    }
    return all;
  }

  private static Object part(Datatype type, Object array, int from, int n) {
    Object p = Vectors.array(type, n);
    System.arraycopy(array, from, p, 0, n);
    return p;
  }

  /** Small blocks for any number of ranks, large ones for few: limits time and memory. */
  private static int[] lengths(int ranks, Datatype type, long... thresholdsInBytes) {
    List<Integer> lengths = new ArrayList<>(List.of(0, 1, 5, 64));
    for (long bytes : thresholdsInBytes) {
      if (bytes * ranks <= 9 << 20) {
        int n = (int) (bytes / type.bytes());
        Collections.addAll(lengths, n - 1, n, n + 1);
      }
    }
    return lengths.stream().mapToInt(i -> i).distinct().toArray();
  }

  private static int[] roots(int ranks) {
    return IntStream.of(0, ranks / 2, ranks - 1).distinct().toArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void bcast(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          for (Datatype type : Datatype.Predefined.values()) {
            long large = type == Datatype.DOUBLE || type == Datatype.BOOLEAN ? 512 << 10 : 1 << 10;
            for (int n : lengths(ranks, type, large)) {
              for (int root : n > 1000 ? new int[] {ranks / 2} : roots(ranks)) {
                Object content = data(type, n, 1, root);
                Object buffer =
                    padded(type, world.rank() == root ? content : Vectors.array(type, n), n);
                world.bcast(Slice.of(buffer, PAD, n), root);
                assertSame(buffer, padded(type, content, n), type + " " + n + " from " + root);
              }
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void theRootMaySendAReadOnlyBuffer(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int rank = world.rank();
          for (int n : new int[] {1, 1 << 10, 600_000}) {
            for (int root : roots(ranks)) {
              byte[] content = (byte[]) data(Datatype.BYTE, n * ranks, 1, root);
              MemorySegment fixed = MemorySegment.ofArray(content.clone()).asReadOnly();
              byte[] got = new byte[n];
              byte[] first = Arrays.copyOf(content, n);
              byte[] mine = Arrays.copyOfRange(content, rank * n, (rank + 1) * n);
              if (rank == root) {
                world.bcast(Slice.of(fixed, 0, n), root);
                world.scatter(fixed, Comm.IN_PLACE, root);
                world.scatter(fixed, got, root);
              } else {
                world.bcast(got, root);
                assertSame(got, first, "bcast " + n + " from " + root);
                world.scatter(null, got, root);
                assertSame(got, mine, "scatter " + n + " from in place " + root);
                Arrays.fill(got, (byte) 0);
                world.scatter(null, got, root);
              }
              assertSame(got, mine, "scatter " + n + " from " + root);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void gatherAndScatter(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int rank = world.rank();
          for (Datatype type : List.of(Datatype.BYTE, Datatype.BOOLEAN, Datatype.DOUBLE)) {
            for (int n : lengths(ranks, type, 16 << 10)) {
              Object[] blocks = new Object[ranks];
              for (int r = 0; r < ranks; r++) {
                blocks[r] = data(type, n, 2, r);
              }
              Object all = padded(type, concat(type, blocks), n * ranks);
              for (int root : roots(ranks)) {
                String what = type + " " + n + " root " + root;
                Object mine = padded(type, blocks[rank], n);
                boolean isRoot = rank == root;
                Object nothing = padded(type, Vectors.array(type, n * ranks), n * ranks);
                Object result = isRoot ? nothing : null;
                world.gather(
                    Slice.of(mine, PAD, n),
                    result == null ? null : Slice.of(result, PAD, (long) n * ranks),
                    root);
                if (isRoot) {
                  assertSame(nothing, all, "gather " + what);
                  Object inPlace = padded(type, Vectors.array(type, n * ranks), n * ranks);
                  System.arraycopy(blocks[rank], 0, inPlace, PAD + rank * n, n);
                  world.gather(Comm.IN_PLACE, Slice.of(inPlace, PAD, (long) n * ranks), root);
                  assertSame(inPlace, all, "gather in place " + what);
                } else {
                  world.gather(Slice.of(mine, PAD, n), null, root);
                }

                Object got = padded(type, Vectors.array(type, n), n);
                world.scatter(
                    isRoot ? Slice.of(all, PAD, (long) n * ranks) : null,
                    Slice.of(got, PAD, n),
                    root);
                assertSame(got, mine, "scatter " + what);
                if (isRoot) {
                  world.scatter(Slice.of(all, PAD, (long) n * ranks), Comm.IN_PLACE, root);
                  assertSame(
                      all,
                      padded(type, concat(type, blocks), n * ranks),
                      "scatter in place " + what);
                } else {
                  got = padded(type, Vectors.array(type, n), n);
                  world.scatter(null, Slice.of(got, PAD, n), root);
                  assertSame(got, mine, "scatter from in place " + what);
                }
              }
            }
          }
        });
  }

  /** The layout of a v form: uneven blocks, some empty, in shuffled order with gaps. */
  private record Layout(long[] counts, long[] displs, int total) {
    static Layout of(int ranks, int scale, long seed) {
      Random random = new Random(SEED * 7919 + seed);
      long[] counts = new long[ranks];
      long[] displs = new long[ranks];
      List<Integer> order = new ArrayList<>();
      for (int r = 0; r < ranks; r++) {
        counts[r] = random.nextInt(4) == 0 ? 0 : random.nextInt(scale + 1);
        order.add(r);
      }
      Collections.shuffle(order, random);
      int at = 0;
      for (int r : order) {
        at += random.nextInt(3);
        displs[r] = at;
        at += (int) counts[r];
      }
      return new Layout(counts, displs, at);
    }

    void put(Object block, int rank, Object all, int at) {
      System.arraycopy(block, 0, all, at + (int) displs[rank], (int) counts[rank]);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void gathervScattervAllGatherv(int ranks) {
    Datatype type = Datatype.INT;
    Worlds.run(
        ranks,
        world -> {
          int rank = world.rank();
          for (int scale : new int[] {0, 3, 50, 9000}) {
            for (int root : roots(ranks)) {
              Layout layout = Layout.of(ranks, scale, 31L * scale + root);
              Object empty = padded(type, Vectors.array(type, layout.total), layout.total);
              Object expected = padded(type, Vectors.array(type, layout.total), layout.total);
              Object ownOnly = padded(type, Vectors.array(type, layout.total), layout.total);
              for (int r = 0; r < ranks; r++) {
                layout.put(data(type, (int) layout.counts[r], 3, r), r, expected, PAD);
              }
              int n = (int) layout.counts[rank];
              Object mine = data(type, n, 3, rank);
              layout.put(mine, rank, ownOnly, PAD);
              String what = "scale " + scale + " root " + root;

              Object result = part(type, empty, 0, layout.total + 2 * PAD);
              if (rank == root) {
                world.gatherv(
                    mine, Slice.of(result, PAD, layout.total), layout.counts, layout.displs, root);
                assertSame(result, expected, "gatherv " + what);
                Object inPlace = part(type, ownOnly, 0, layout.total + 2 * PAD);
                world.gatherv(
                    Comm.IN_PLACE,
                    Slice.of(inPlace, PAD, layout.total),
                    layout.counts,
                    layout.displs,
                    root);
                assertSame(inPlace, expected, "gatherv in place " + what);
              } else {
                world.gatherv(mine, null, (long[]) null, null, root);
                world.gatherv(mine, null, (long[]) null, null, root);
              }

              Object got = Vectors.array(type, n);
              if (rank == root) {
                world.scatterv(
                    Slice.of(expected, PAD, layout.total), layout.counts, layout.displs, got, root);
                world.scatterv(
                    Slice.of(expected, PAD, layout.total),
                    layout.counts,
                    layout.displs,
                    Comm.IN_PLACE,
                    root);
              } else {
                world.scatterv(null, (long[]) null, null, got, root);
                assertSame(got, mine, "scatterv " + what);
                got = Vectors.array(type, n);
                world.scatterv(null, (long[]) null, null, got, root);
              }
              assertSame(got, mine, "scatterv " + what);

              Object everywhere = part(type, empty, 0, layout.total + 2 * PAD);
              world.allGatherv(
                  mine, Slice.of(everywhere, PAD, layout.total), layout.counts, layout.displs);
              assertSame(everywhere, expected, "allGatherv " + what);
              world.allGatherv(
                  Comm.IN_PLACE,
                  Slice.of(ownOnly, PAD, layout.total),
                  layout.counts,
                  layout.displs);
              assertSame(ownOnly, expected, "allGatherv in place " + what);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void allGatherAndAllToAll(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int rank = world.rank();
          for (Datatype type : List.of(Datatype.CHAR, Datatype.BOOLEAN, Datatype.LONG)) {
            for (int n : lengths(ranks, type, 256, (80 << 10) / ranks)) {
              String what = type + " " + n;
              int total = n * ranks;
              Object[] blocks = new Object[ranks];
              Object[] out = new Object[ranks];
              Object[] in = new Object[ranks];
              for (int r = 0; r < ranks; r++) {
                blocks[r] = data(type, n, 4, r);
                out[r] = data(type, n, 100 + rank, r);
                in[r] = data(type, n, 100 + r, rank);
              }
              Object gathered = padded(type, concat(type, blocks), total);
              Object result = padded(type, Vectors.array(type, total), total);
              world.allGather(
                  Slice.of(padded(type, blocks[rank], n), PAD, n),
                  Slice.of(result, PAD, (long) n * ranks));
              assertSame(result, gathered, "allGather " + what);
              Object inPlace = padded(type, Vectors.array(type, total), total);
              System.arraycopy(blocks[rank], 0, inPlace, PAD + rank * n, n);
              world.allGather(Comm.IN_PLACE, Slice.of(inPlace, PAD, (long) n * ranks));
              assertSame(inPlace, gathered, "allGather in place " + what);

              Object sent = padded(type, concat(type, out), total);
              Object received = padded(type, Vectors.array(type, total), total);
              world.allToAll(
                  Slice.of(sent, PAD, (long) n * ranks), Slice.of(received, PAD, (long) n * ranks));
              assertSame(received, padded(type, concat(type, in), total), "allToAll " + what);
              assertSame(sent, padded(type, concat(type, out), total), "input of " + what);
              world.allToAll(Comm.IN_PLACE, Slice.of(sent, PAD, (long) n * ranks));
              assertSame(sent, received, "allToAll in place " + what);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void allToAllv(int ranks) {
    Datatype type = Datatype.SHORT;
    Worlds.run(
        ranks,
        world -> {
          int rank = world.rank();
          for (int scale : new int[] {0, 3, 200}) {
            // A pair's counts are from the lower rank's table, so that in place fits too.
            Layout[] tables = new Layout[ranks];
            for (int r = 0; r < ranks; r++) {
              tables[r] = Layout.of(ranks, scale, 1000L * scale + r);
            }
            long[] counts = new long[ranks];
            long[] displs = new long[ranks];
            int total = 1;
            for (int r = 0; r < ranks; r++) {
              counts[r] = tables[Math.min(r, rank)].counts[Math.max(r, rank)];
              displs[r] = total;
              total += (int) counts[r] + r % 2;
            }
            Layout layout = new Layout(counts, displs, total);
            Object out = Vectors.array(type, total);
            Object expected = Vectors.array(type, total);
            for (int r = 0; r < ranks; r++) {
              layout.put(data(type, (int) counts[r], 200 + rank, r), r, out, 0);
              layout.put(data(type, (int) counts[r], 200 + r, rank), r, expected, 0);
            }
            Object in = Vectors.array(type, total);
            world.allToAllv(out, counts, displs, in, counts, displs);
            assertSame(in, expected, "allToAllv " + scale);
            world.allToAllv(Comm.IN_PLACE, counts, displs, out, counts, displs);
            assertSame(out, expected, "allToAllv in place " + scale);
          }
        });
  }

  // ---- reductions

  private static Object operand(Datatype type, int n, int rank, Op op) {
    return Vectors.small(type, n, SEED, rank, op);
  }

  private static Object reduced(Op.Predefined op, Datatype type, int n, int from, int to) {
    Object acc = operand(type, n, from, op);
    for (int r = from + 1; r < to; r++) {
      Vectors.model(op, acc, operand(type, n, r, op));
    }
    return acc;
  }

  private void checkReductions(Comm world, Op.Predefined op, Datatype type, int n) {
    int ranks = world.size();
    int rank = world.rank();
    String what = op + " " + type + " " + n;
    Object model = operand(type, n, 0, op);
    Object before = padded(type, Vectors.array(type, n), n);
    Object upTo = padded(type, model, n);
    for (int r = 1; r < ranks; r++) {
      if (r == rank) {
        before = padded(type, model, n);
      }
      Vectors.model(op, model, operand(type, n, r, op));
      if (r == rank) {
        upTo = padded(type, model, n);
      }
    }
    Object expected = padded(type, model, n);
    Object mine = padded(type, operand(type, n, rank, op), n);

    Object result = padded(type, Vectors.array(type, n), n);
    world.allReduce(Slice.of(mine, PAD, n), Slice.of(result, PAD, n), op);
    assertSame(result, expected, "allReduce " + what);
    Object inPlace = padded(type, operand(type, n, rank, op), n);
    world.allReduce(Slice.of(inPlace, PAD, n), op);
    assertSame(inPlace, expected, "allReduce in place " + what);

    for (int root : roots(ranks)) {
      if (rank == root) {
        result = padded(type, Vectors.array(type, n), n);
        world.reduce(Slice.of(mine, PAD, n), Slice.of(result, PAD, n), op, root);
        assertSame(result, expected, "reduce to " + root + " " + what);
        inPlace = padded(type, operand(type, n, rank, op), n);
        world.reduce(Comm.IN_PLACE, Slice.of(inPlace, PAD, n), op, root);
        assertSame(inPlace, expected, "reduce in place " + what);
      } else {
        world.reduce(Slice.of(mine, PAD, n), null, op, root);
        world.reduce(Slice.of(mine, PAD, n), null, op, root);
      }
    }

    result = padded(type, Vectors.array(type, n), n);
    world.scan(Slice.of(mine, PAD, n), Slice.of(result, PAD, n), op);
    assertSame(result, upTo, "scan " + what);
    inPlace = padded(type, operand(type, n, rank, op), n);
    world.scan(Comm.IN_PLACE, Slice.of(inPlace, PAD, n), op);
    assertSame(inPlace, upTo, "scan in place " + what);

    result = padded(type, Vectors.array(type, n), n);
    world.exScan(Slice.of(mine, PAD, n), Slice.of(result, PAD, n), op);
    assertSame(result, before, "exScan " + what);
    inPlace = padded(type, operand(type, n, rank, op), n);
    world.exScan(Comm.IN_PLACE, Slice.of(inPlace, PAD, n), op);
    assertSame(
        inPlace, rank == 0 ? padded(type, operand(type, n, 0, op), n) : before, "in place " + what);

    long[] counts = new long[ranks]; // of whole pairs, uneven
    int at = 0;
    int pairs = n / 2;
    for (int r = 0; r < ranks; r++) {
      int take = r == ranks - 1 ? pairs : Math.min(pairs, pairs / 2 + r % 2);
      counts[r] = 2L * take;
      pairs -= take;
      at += r < rank ? 2 * take : 0;
    }
    int own = (int) counts[rank];
    int total = n / 2 * 2;
    Object block = part(type, expected, PAD + at, own);
    result = padded(type, Vectors.array(type, own), own);
    world.reduceScatter(Slice.of(mine, PAD, n), Slice.of(result, PAD, own), counts, op);
    assertSame(result, padded(type, block, own), "reduceScatter " + what);
    inPlace = padded(type, operand(type, n, rank, op), n);
    world.reduceScatter(Comm.IN_PLACE, Slice.of(inPlace, PAD, n), counts, op);
    assertSame(part(type, inPlace, PAD, own), block, "reduceScatter in place " + what);
    assertSame(
        part(type, inPlace, PAD + total, n - total + PAD),
        part(type, mine, PAD + total, n - total + PAD),
        "after reduceScatter in place " + what);
    assertSame(mine, padded(type, operand(type, n, rank, op), n), "input of " + what);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void reductionsOfEveryLength(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          Datatype type = Datatype.DOUBLE;
          boolean ring = ranks == 3 || ranks == 6 || ranks == 12;
          long[] thresholds =
              ring ? new long[] {16 << 10, (16L << 10) * ranks} : new long[] {16 << 10};
          for (int n : lengths(ranks, type, thresholds)) {
            checkReductions(world, Op.Predefined.SUM, type, n);
          }
          if (ranks == 3 || ranks == 4) {
            for (int n : lengths(ranks, type, 512 << 10)) {
              checkReductions(world, Op.Predefined.SUM, type, n);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7, 8})
  void reductionsOfEveryTypeAndOperation(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          for (Op.Predefined op : Op.Predefined.values()) {
            for (Datatype type : Datatype.Predefined.values()) {
              boolean defined =
                  switch (op) {
                    case LAND, LOR, LXOR -> type != Datatype.FLOAT && type != Datatype.DOUBLE;
                    case BAND, BOR, BXOR ->
                        type != Datatype.FLOAT
                            && type != Datatype.DOUBLE
                            && type != Datatype.BOOLEAN;
                    case MAX, MIN, SUM, PROD, MAXLOC, MINLOC -> type != Datatype.BOOLEAN;
                  };
              if (defined) {
                checkReductions(world, op, type, 10);
                if (ranks > 2 && (op == Op.Predefined.SUM || op == Op.Predefined.MAXLOC)) {
                  checkReductions(world, op, type, 20_000 / type.bytes() * 2);
                }
              }
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void reductionsOfBuffersAndSegments(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          Datatype type = Datatype.DOUBLE;
          for (int n : new int[] {1, 6, 5000}) {
            int bytes = 8 * n;
            Object mine = operand(type, n, world.rank(), Op.SUM);
            Object expected = reduced(Op.Predefined.SUM, type, n, 0, ranks);
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment in = arena.allocate(bytes + 16L, 8);
              MemorySegment.copy(Vectors.bytes(mine), 0, in, 16, bytes);
              // Offset 2 counts elements of the type: bytes 16 and up.
              Object result = Vectors.array(type, n);
              world.allReduce(Slice.of(in, type, 2, n), result, Op.SUM);
              assertSame(result, expected, "segment to array");
              world.allReduce(Slice.of(in, type, 2, n), Op.SUM);
              assertSame(doubles(in.asSlice(16, bytes)), expected, "segment in place");

              // Each rank uses another kind of buffers.
              Object out =
                  switch (world.rank() % 3) {
                    case 0 -> ByteBuffer.allocate(bytes + 5).slice(5, bytes);
                    case 1 -> ByteBuffer.allocateDirect(bytes);
                    default -> new double[n];
                  };
              if (out instanceof ByteBuffer b) {
                b.order(ByteOrder.nativeOrder());
              }
              world.reduce(
                  mine, out instanceof ByteBuffer b ? Slice.of(b, type) : out, Op.SUM, ranks - 1);
              if (world.rank() == ranks - 1) {
                MemorySegment got =
                    out instanceof ByteBuffer b ? MemorySegment.ofBuffer(b) : Vectors.bytes(out);
                assertSame(doubles(got), expected, "reduce to a buffer");
              }
              MemorySegment scanned = arena.allocate(bytes, 8);
              world.scan(mine, Slice.of(scanned, type), Op.SUM);
              assertSame(
                  doubles(scanned),
                  reduced(Op.Predefined.SUM, type, n, 0, world.rank() + 1),
                  "scan to a segment");
              MemorySegment untouched = arena.allocate(bytes, 8).fill((byte) 9);
              world.exScan(mine, Slice.of(untouched, type), Op.SUM);
              assertSame(
                  doubles(untouched),
                  world.rank() == 0
                      ? doubles(MemorySegment.ofArray(new byte[bytes]).fill((byte) 9))
                      : reduced(Op.Predefined.SUM, type, n, 0, world.rank()),
                  "exScan to a segment");
              long[] counts = new long[ranks];
              counts[ranks - 1] = n;
              MemorySegment whole = arena.allocate(bytes, 8);
              MemorySegment.copy(Vectors.bytes(mine), 0, whole, 0, bytes);
              world.reduceScatter(Comm.IN_PLACE, Slice.of(whole, type), counts, Op.SUM);
              if (world.rank() == ranks - 1) {
                assertSame(doubles(whole), expected, "reduceScatter of a segment");
              }
            }
          }
        });
  }

  private static double[] doubles(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED);
  }

  @Test
  void reductionsInPiecesOfLongSegments() {
    int n = (1 << 24) + 6;
    Worlds.run(
        3,
        world -> {
          byte[] mine = new byte[n];
          byte[] sums = new byte[n];
          for (int i = 0; i < n; i++) {
            mine[i] = (byte) (i + world.rank());
            sums[i] = (byte) (3 * i + 3);
          }
          MemorySegment expected = MemorySegment.ofArray(sums);
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(n).copyFrom(MemorySegment.ofArray(mine));
            long[] counts = {3, n - 7, 4};
            world.reduceScatter(Comm.IN_PLACE, Slice.of(data, Datatype.BYTE), counts, Op.SUM);
            int first = new int[] {0, 3, n - 4}[world.rank()];
            long own = counts[world.rank()];
            assertThat(data.asSlice(0, own).mismatch(expected.asSlice(first, own))).isEqualTo(-1);
            data.copyFrom(MemorySegment.ofArray(mine));
            world.allReduce(Slice.of(data, Datatype.BYTE), Op.SUM);
            assertThat(data.mismatch(expected)).isEqualTo(-1);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 9})
  void movesDataBetweenBuffersOfDifferentKinds(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int rank = world.rank();
          for (int n : new int[] {3, 4000}) {
            Object content = data(Datatype.DOUBLE, n, 5, 0);
            try (Arena arena = Arena.ofShared()) {
              Object buffer =
                  switch (rank % 5) {
                    case 0 -> new double[n];
                    case 1 -> arena.allocate(8L * n);
                    case 2 -> ByteBuffer.allocate(8 * n + 24).position(24).slice();
                    case 3 -> ByteBuffer.allocateDirect(8 * n);
                    default -> MemorySegment.ofArray(new long[n]);
                  };
              MemorySegment view =
                  switch (buffer) {
                    case ByteBuffer b -> MemorySegment.ofBuffer(b);
                    case MemorySegment s -> s;
                    default -> Vectors.bytes(buffer);
                  };
              if (rank == 0) {
                view.copyFrom(Vectors.bytes(content));
              }
              world.bcast(buffer, 0);
              assertSame(doubles(view), content, "bcast");

              // A gather of doubles from all kinds into bytes.
              byte[] all = new byte[8 * n * ranks];
              world.gather(buffer, all, ranks - 1);
              if (rank == ranks - 1) {
                for (int r = 0; r < ranks; r++) {
                  assertSame(
                      doubles(MemorySegment.ofArray(all).asSlice(8L * n * r, 8L * n)),
                      content,
                      "gather");
                }
              }
            }
          }
        });
  }

  // ---- the program's own operations

  /** Composition of maps x -> a x + b, packed into one long each; not commutative. */
  private static final Op AFFINE =
      Op.of(
          (in, inOut, count, type) -> {
            long[] f = (long[]) in;
            long[] g = (long[]) inOut;
            for (int i = 0; i < count; i++) {
              g[i] = compose(f[i], g[i]);
            }
          },
          false);

  private static final Op TYPED_AFFINE = Op.ofLong(CollectivesTest::compose, false);

  private static long compose(long f, long g) {
    int a = (int) (f >> 32);
    int b = (int) f;
    int slope = a * (int) (g >> 32); // wraps around, as intended
    int constant = a * (int) g + b;
    return ((long) slope << 32) | Integer.toUnsignedLong(constant);
  }

  /** Product of 2x2 matrices, four elements each; not commutative. */
  private static final Op MATRIX =
      Op.of(
          (in, inOut, count, type) -> {
            int[] a = (int[]) in;
            int[] b = (int[]) inOut;
            if (count % 4 != 0) {
              throw new AssertionError("a matrix was cut: " + count);
            }
            for (int i = 0; i < count; i += 4) {
              int b0 = b[i];
              int b1 = b[i + 1];
              b[i] = a[i] * b0 + a[i + 1] * b[i + 2];
              b[i + 1] = a[i] * b1 + a[i + 1] * b[i + 3];
              int b2 = b[i + 2];
              int b3 = b[i + 3];
              b[i + 2] = a[i + 2] * b0 + a[i + 3] * b2;
              b[i + 3] = a[i + 2] * b1 + a[i + 3] * b3;
            }
          },
          false);

  private Object userReduced(Op op, Datatype type, int n, int from, int to) {
    Object acc = data(type, n, 6, to - 1);
    for (int r = to - 2; r >= from; r--) {
      apply(op, data(type, n, 6, r), acc, n, type);
    }
    return acc;
  }

  private static void apply(Op op, Object in, Object inOut, int n, Datatype type) {
    switch (op) {
      case Op.UserDefined u -> u.function().apply(in, inOut, n, type);
      case Op.OfDouble d ->
          Arrays.setAll(
              (double[]) inOut,
              i -> d.operator().applyAsDouble(((double[]) in)[i], ((double[]) inOut)[i]));
      case Op.OfLong l ->
          Arrays.setAll(
              (long[]) inOut, i -> l.operator().applyAsLong(((long[]) in)[i], ((long[]) inOut)[i]));
      case Op.OfInt o ->
          Arrays.setAll(
              (int[]) inOut, i -> o.operator().applyAsInt(((int[]) in)[i], ((int[]) inOut)[i]));
      case Op.Predefined p -> throw new IllegalArgumentException(p + " is not the program's own");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 17})
  void keepsTheOrderOfOperationsThatAreNotCommutative(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          for (int n : new int[] {0, 4, 1000, 6000}) {
            checkUserDefined(world, AFFINE, Datatype.LONG, n);
            checkUserDefined(world, MATRIX, Datatype.INT, n);
            checkUserDefined(world, TYPED_AFFINE, Datatype.LONG, n);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9})
  void typedOperationsMayBeCut(int ranks) {
    Op growth = Op.ofInt((left, right) -> left + right + left * right, true);
    Op largest = Op.ofDouble(Math::max, true);
    Worlds.run(
        ranks,
        world -> {
          for (int n : new int[] {0, 4, 1000, 70_000}) {
            checkUserDefined(world, growth, Datatype.INT, n);
            checkUserDefined(world, largest, Datatype.DOUBLE, n);
          }
        });
  }

  private void checkUserDefined(Comm world, Op op, Datatype type, int n) {
    int rank = world.rank();
    int ranks = world.size();
    String what = type + " " + n;
    Object expected = userReduced(op, type, n, 0, ranks);
    Object mine = padded(type, data(type, n, 6, rank), n);
    Object result = Vectors.array(type, n);
    world.allReduce(Slice.of(mine, PAD, n), result, op);
    assertSame(result, expected, "allReduce " + what);
    Object inPlace = data(type, n, 6, rank);
    world.allReduce(inPlace, op);
    assertSame(inPlace, expected, "allReduce in place " + what);
    for (int root : roots(ranks)) {
      result = padded(type, Vectors.array(type, n), n);
      world.reduce(Slice.of(mine, PAD, n), Slice.of(result, PAD, n), op, root);
      if (rank == root) {
        assertSame(result, padded(type, expected, n), "reduce " + what);
      }
    }
    result = Vectors.array(type, n);
    world.scan(Slice.of(mine, PAD, n), result, op);
    assertSame(result, userReduced(op, type, n, 0, rank + 1), "scan " + what);
    result = Vectors.array(type, n);
    world.exScan(Slice.of(mine, PAD, n), result, op);
    assertSame(
        result,
        rank == 0 ? Vectors.array(type, n) : userReduced(op, type, n, 0, rank),
        "exScan " + what);
    long[] counts = new long[ranks];
    counts[ranks / 2] = (long) n - n / 4;
    counts[0] += n / 4;
    int from = rank == 0 ? 0 : n / 4;
    int own = (int) counts[rank];
    result = Vectors.array(type, own);
    world.reduceScatter(Slice.of(mine, PAD, n), result, counts, op);
    assertSame(
        result, own == 0 ? result : part(type, expected, from, own), "reduceScatter " + what);
    assertSame(mine, padded(type, data(type, n, 6, rank), n), "input " + what);
  }
}
