package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.Comm;
import org.fmi.ckpt.xor.CheckpointHeader.Member;
import org.fmi.ckpt.xor.GroupExchange.Note;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.PinnedImage;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Level-1 checkpoints: keeps a rank's images in node memory, with the XOR parity that brings back
 * those of one lost member of its group.
 *
 * <p>A checkpoint costs s + s/(n-1) bytes of memory for an image of s bytes in a group of n ranks,
 * twice, since two generations take turns in the same pieces.
 */
final class XorStore implements CheckpointStore {
  private static final int HEADER_TAG = 2;

  private final int[] group;
  private final int me;
  private final Comm comm;
  private final Pieces pieces;
  private final GroupExchange exchange;
  private final Lane[] lanes;

  /** The image that is being written. */
  private record Writing(CheckpointId id, long imageBytes, Piece piece) {}

  private @Nullable Writing writing;

  /** Largest image of the group when last seen: tells how much room parity will need. */
  private long largestSeen;

  /** Read by other threads. */
  private volatile long forecast;

  /**
   * @param group world ranks, ascending, {@code rank} among them
   * @param comm of all ranks, for this store alone
   */
  XorStore(int rank, int[] group, Comm comm, NodeMemory memory) throws IOException {
    this.group = group.clone();
    this.me = Arrays.binarySearch(group, rank);
    if (me < 0) {
      throw new IllegalArgumentException(
          "rank " + rank + " is not in its group " + Arrays.toString(group));
    }
    this.comm = comm;
    this.pieces = new Pieces(memory, this.group, me);
    this.exchange = new GroupExchange(comm, this.group, me);
    this.lanes = Lane.lanes(comm);
    for (CheckpointId id : pieces.complete()) {
      StoredCheckpoint checkpoint = stored(id);
      if (checkpoint != null) {
        largestSeen = Math.max(largestSeen, checkpoint.layout().largest());
      }
    }
  }

  @Override
  public List<CheckpointId> held() {
    return pieces.complete();
  }

  @Override
  public long memoryBytes() {
    return pieces.bytes();
  }

  @Override
  public long forecastBytes() {
    return forecast;
  }

  @Override
  public int tolerance() {
    return group.length > 1 ? 1 : 0;
  }

  @Override
  public MemorySegment begin(CheckpointId id, long bytes) throws IOException {
    if (pieces.find(id) != null) {
      throw new IllegalStateException(id + " is complete; release it before it is written again");
    }
    writing = null;
    PieceLayout layout = new PieceLayout(group.length, bytes, Math.max(bytes, largestSeen));
    forecast = pieces.forecast(layout.totalBytes());
    Piece piece = pieces.take(layout.totalBytes(), null);
    writing = new Writing(id, bytes, piece);
    return piece.memory().asSlice(layout.imageAt(), bytes);
  }

  @Override
  public void protect(CheckpointId id) throws IOException {
    Writing image = writing;
    if (image == null || !image.id.equals(id)) {
      throw new IllegalStateException(id + " was not begun");
    }
    long[] sizes = agreeOnSizes(image);
    largestSeen = Arrays.stream(sizes).max().orElseThrow();
    image = makeRoomForParity(image);

    PieceLayout layout = new PieceLayout(group.length, image.imageBytes, largestSeen);
    StoredCheckpoint checkpoint = new StoredCheckpoint(image.piece.memory(), layout);
    checkpoint.padImage();
    new RingEncoder(lanes, group, me, checkpoint).encode();

    Note[] digests =
        exchange.exchange(new Note(checkpoint.imageDigest(), checkpoint.parityDigest()));
    Member[] members = new Member[group.length];
    for (int i = 0; i < members.length; i++) {
      members[i] =
          new Member(group[i], sizes[i], (int) digests[i].first(), (int) digests[i].second());
    }
    new CheckpointHeader(id, members).markComplete(image.piece.memory());
    writing = null;
  }

  private long[] agreeOnSizes(Writing image) {
    Note[] notes = exchange.exchange(new Note(image.id.version(), image.imageBytes));
    long[] sizes = new long[notes.length];
    for (int i = 0; i < notes.length; i++) {
      if (notes[i].first() != image.id.version()) {
        throw new IllegalStateException(
            "rank %d protects checkpoint %d, rank %d checkpoint %d"
                .formatted(group[me], image.id.version(), group[i], notes[i].first()));
      }
      sizes[i] = notes[i].second();
    }
    return sizes;
  }

  /** All members get room, or none goes on. */
  private Writing makeRoomForParity(Writing image) throws IOException {
    long needed = new PieceLayout(group.length, image.imageBytes, largestSeen).totalBytes();
    Writing roomy = image;
    IOException failure = null;
    if (image.piece.memory().byteSize() < needed) {
      try {
        roomy = new Writing(image.id, image.imageBytes, pieces.take(needed, image.piece));
        long at = PieceLayout.headerBytes(group.length);
        MemorySegment.copy(image.piece.memory(), at, roomy.piece.memory(), at, image.imageBytes);
        writing = roomy;
        pieces.delete(image.piece);
      } catch (IOException e) {
        failure = e;
      }
    }
    exchange.agree(failure);
    return roomy;
  }

  @Override
  public void release(CheckpointId id) {
    pieces.free(id);
  }

  @Override
  public MemorySegment image(CheckpointId id) {
    StoredCheckpoint checkpoint = stored(id);
    if (checkpoint == null) {
      throw new IllegalStateException("rank %d holds no complete %s".formatted(group[me], id));
    }
    return checkpoint.image().asReadOnly();
  }

  @Override
  public @Nullable PinnedImage pin(CheckpointId id, String as) throws IOException {
    Piece piece = pieces.find(id);
    StoredCheckpoint checkpoint = stored(id);
    if (piece == null || checkpoint == null) {
      throw new IllegalStateException("rank %d holds no complete %s".formatted(group[me], id));
    }
    String name = pieces.pin(piece, as);
    return name == null ? null : checkpoint.pinned(id, name);
  }

  @Override
  public boolean intact(CheckpointId id) {
    Piece piece = pieces.find(id);
    CheckpointHeader header = piece == null ? null : pieces.header(piece);
    StoredCheckpoint checkpoint = stored(id);
    return header != null
        && checkpoint != null
        && checkpoint.isIntact()
        && checkpoint.hasDigestsOf(header.members()[me]);
  }

  /** A complete checkpoint; null if this rank has none of this name, or its header is corrupt. */
  private @Nullable StoredCheckpoint stored(CheckpointId id) {
    Piece piece = pieces.find(id);
    CheckpointHeader header = piece == null ? null : pieces.header(piece);
    return piece == null || header == null
        ? null
        : new StoredCheckpoint(piece.memory(), header.layout(me));
  }

  @Override
  public void rebuild(CheckpointId id, int[] lost) throws IOException, UnrecoverableException {
    int[] lostRanks = Arrays.stream(lost).sorted().distinct().toArray();
    for (int rank : lostRanks) {
      if (Arrays.binarySearch(group, rank) < 0) {
        throw new IllegalArgumentException(
            "rank " + rank + " is not in the group " + Arrays.toString(group));
      }
    }
    if (lostRanks.length > tolerance()) {
      throw beyondRepair(id, "is lost on ranks " + Arrays.toString(lostRanks));
    }
    if (lostRanks.length == 0) {
      return;
    }
    int lostIndex = Arrays.binarySearch(group, lostRanks[0]);
    if (me == lostIndex) {
      pieces.free(id);
    }
    Piece piece = pieces.find(id);
    checkSurvivors(id, lostIndex, piece);
    if (me == lostIndex) {
      bringBack(id, lostIndex);
    } else if (piece != null) {
      helpToBringBack(id, lostIndex, piece);
    }
  }

  /** All others hold the checkpoint, and the same one; or all members throw. */
  private void checkSurvivors(CheckpointId id, int lostIndex, @Nullable Piece piece)
      throws UnrecoverableException {
    Note[] notes =
        exchange.exchange(
            piece == null ? new Note(0, 0) : new Note(1, CheckpointHeader.digest(piece.memory())));
    long digest = notes[(lostIndex + 1) % notes.length].second();
    List<Integer> missing = new ArrayList<>();
    List<Integer> different = new ArrayList<>();
    for (int i = 0; i < notes.length; i++) {
      if (notes[i].first() == 0) {
        missing.add(group[i]);
      } else if (notes[i].second() != digest) {
        different.add(group[i]);
      }
    }
    if (missing.size() > 1) {
      throw beyondRepair(id, "is lost on ranks " + missing);
    }
    if (!different.isEmpty()) {
      throw beyondRepair(
          id,
          "is lost on rank "
              + group[lostIndex]
              + ", and what ranks "
              + different
              + " hold is of another attempt to write it than that of the others");
    }
  }

  private void helpToBringBack(CheckpointId id, int lostIndex, Piece piece)
      throws IOException, UnrecoverableException {
    CheckpointHeader header = pieces.header(piece);
    if (header == null) {
      throw new IllegalStateException("the header of " + id + " changed while it was in use");
    }
    if ((me + 1) % group.length == lostIndex) {
      comm.send(
          piece.memory(), 0, CheckpointHeader.bytes(group.length), group[lostIndex], HEADER_TAG);
    }
    exchange.agree(null);
    StoredCheckpoint checkpoint = new StoredCheckpoint(piece.memory(), header.layout(me));
    boolean intact = new ChainDecoder(lanes, group, me, lostIndex, checkpoint).decode();
    if (!intact) {
      pieces.free(id);
    }
    checkResult(id, lostIndex, intact);
  }

  private void bringBack(CheckpointId id, int lostIndex)
      throws IOException, UnrecoverableException {
    MemorySegment copy = MemorySegment.ofArray(new byte[CheckpointHeader.bytes(group.length)]);
    comm.recv(copy, 0, copy.byteSize(), group[(me + group.length - 1) % group.length], HEADER_TAG);
    CheckpointHeader header = CheckpointHeader.read(copy, group);
    Piece piece = null;
    IOException failure = null;
    if (header == null) {
      failure = new IOException("the header of " + id + " arrived corrupt");
    } else {
      try {
        piece = pieces.take(header.layout(me).totalBytes(), null);
      } catch (IOException e) {
        failure = e;
      }
    }
    exchange.agree(failure);
    if (header == null || piece == null) {
      throw new IllegalStateException("agreed to go on without memory");
    }
    StoredCheckpoint checkpoint = new StoredCheckpoint(piece.memory(), header.layout(me));
    new ChainDecoder(lanes, group, me, lostIndex, checkpoint).decode();
    checkResult(id, lostIndex, checkpoint.hasDigestsOf(header.members()[me]));
    header.markComplete(piece.memory());
    largestSeen = Math.max(largestSeen, header.layout(me).largest());
  }

  /**
   * All members throw if what one of them holds is not what was written.
   *
   * @param intact whether it is on this rank
   */
  private void checkResult(CheckpointId id, int lostIndex, boolean intact)
      throws UnrecoverableException {
    Note[] notes = exchange.exchange(new Note(intact ? 1 : 0, 0));
    List<Integer> corrupt = new ArrayList<>();
    for (int i = 0; i < notes.length; i++) {
      if (notes[i].first() == 0 && i != lostIndex) {
        corrupt.add(group[i]);
      }
    }
    if (!corrupt.isEmpty()) {
      throw beyondRepair(
          id, "is lost on rank " + group[lostIndex] + " and corrupt in memory on ranks " + corrupt);
    }
    if (notes[lostIndex].first() == 0) {
      throw beyondRepair(
          id,
          "is lost on rank "
              + group[lostIndex]
              + ", and what was computed from the other ranks' parts fails its checksum");
    }
  }

  private UnrecoverableException beyondRepair(CheckpointId id, String what) {
    String parity =
        group.length == 1
            ? "a group of one rank has no parity"
            : "the parity of the group of %d ranks %s brings back one"
                .formatted(group.length, Arrays.toString(group));
    return new UnrecoverableException(
        "checkpoint %d (loop %d, iteration %d) %s: %s"
            .formatted(id.version(), id.loop(), id.iteration(), what, parity));
  }

  @Override
  public void close() {
    writing = null;
    pieces.close();
  }
}
