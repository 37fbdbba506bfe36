package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Slice;
import org.fmi.ckpt.xor.CheckpointHeader.Member;
import org.fmi.ckpt.xor.GroupExchange.Note;
import org.fmi.rules.GroupCode;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.ImageContent;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.PinnedImage;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Level-1 checkpoints: a rank's images in node memory, with parity that can rebuild k lost members
 * of its group.
 *
 * <p>A checkpoint costs s + k s/(n-k) bytes of memory for an image of s bytes in a group of n
 * ranks, twice, as two generations alternate in the same pieces.
 */
final class XorStore implements CheckpointStore {
  private static final int HEADER_TAG = 2;

  private final int[] group;
  private final int me;

  /** The number of lost members that the parity can rebuild. */
  private final int losses;

  private final int blockBytes;
  private final Comm comm;
  private final Pieces pieces;
  private final GroupExchange exchange;
  private final Gather.@Nullable Buffers buffers;

  /**
   * The image being written.
   *
   * @param sums the known checksums of its first blocks
   * @param unchanged the unchanged rows; null if the piece's previous content is unknown
   */
  private record Writing(
      CheckpointId id, long imageBytes, Piece piece, int[] sums, @Nullable Unchanged unchanged) {}

  /** An image that found no room. The group learns of it when the image is to be protected. */
  private record Refused(CheckpointId id, NoRoomException why) {}

  private static final int[] NO_SUMS = {};

  private @Nullable Refused refused;

  private @Nullable Writing writing;

  /** The number of bytes of the last protected image whose code was computed. */
  private long codedBytes;

  /** The last known size of the group's largest image, which determines the room for parity. */
  private long largestSeen;

  /** Read by other threads. */
  private volatile long forecast;

  /**
   * @param group world ranks, ascending, including {@code rank}
   * @param losses the number of members that may be lost at once, limited by the size of the group
   * @param comm a communicator of all ranks for this store alone
   */
  XorStore(int rank, int[] group, int losses, Comm comm, NodeMemory memory) throws IOException {
    this(rank, group, losses, PieceLayout.BLOCK_BYTES, comm, memory);
  }

  /**
   * @param blockBytes the size of a full block, the same on all ranks. With small blocks, small
   *     images behave like large ones.
   */
  XorStore(int rank, int[] group, int losses, int blockBytes, Comm comm, NodeMemory memory)
      throws IOException {
    this.group = group.clone();
    this.me = Arrays.binarySearch(group, rank);
    if (me < 0) {
      throw new IllegalArgumentException(
          "rank " + rank + " is not in its group " + Arrays.toString(group));
    }
    this.losses = Math.min(losses, group.length - 1);
    if (group.length > GroupCode.mostMembers(this.losses)) {
      throw new IllegalArgumentException(
          "a group of " + group.length + " ranks cannot survive " + losses + " losses");
    }
    this.blockBytes = blockBytes;
    this.comm = comm;
    this.pieces = new Pieces(memory, this.group, me, this.losses, blockBytes);
    this.exchange = new GroupExchange(comm, this.group, me);
    this.buffers = this.losses == 0 ? null : new Gather.Buffers(this.losses);
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
    return losses;
  }

  @Override
  public MemorySegment begin(CheckpointId id, long bytes) throws IOException {
    PieceLayout layout = beginning(id, bytes);
    Pieces.Taken taken;
    try {
      taken = pieces.take(layout.totalBytes());
    } catch (NoRoomException e) {
      refused = new Refused(id, e);
      throw e;
    }
    Unchanged.Before before = taken.before();
    Unchanged unchanged = before == null ? null : new Unchanged(before, layout);
    writing = new Writing(id, bytes, taken.piece(), NO_SUMS, unchanged);
    return taken.piece().memory().asSlice(layout.imageAt(), bytes);
  }

  @Override
  public boolean holdsCoded() {
    return writing != null && writing.unchanged != null;
  }

  @Override
  public void unchanged(long from, long to) {
    if (writing != null && writing.unchanged != null) {
      writing.unchanged.add(from, to);
    }
  }

  @Override
  public long codedBytes() {
    return codedBytes;
  }

  @Override
  public void fill(CheckpointId id, long bytes, ImageContent.Source source) throws IOException {
    PieceLayout layout = beginning(id, bytes);
    try (Filling filling = new Filling(layout, source)) {
      Piece piece = pieces.take(layout.totalBytes(), null, filling).piece();
      writing = new Writing(id, bytes, piece, filling.sums(), null);
    }
  }

  private PieceLayout beginning(CheckpointId id, long bytes) {
    if (pieces.find(id) != null) {
      throw new IllegalStateException(id + " is complete; release it before it is written again");
    }
    writing = null;
    refused = null;
    PieceLayout layout = layout(bytes, Math.max(bytes, largestSeen));
    forecast = pieces.forecast(layout.totalBytes());
    return layout;
  }

  private PieceLayout layout(long imageBytes, long largest) {
    return new PieceLayout(group.length, losses, imageBytes, largest, blockBytes);
  }

  @Override
  public void protect(CheckpointId id) throws IOException {
    Encoding encoding = new Encoding(id);
    while (!encoding.isComplete()) {
      encoding.step();
    }
  }

  @Override
  public Protection protecting(CheckpointId id) {
    return new Encoding(id);
  }

  @Override
  public MemorySegment resize(CheckpointId id, long bytes) throws IOException {
    Writing image = written(id);
    PieceLayout layout = layout(bytes, Math.max(bytes, largestSeen));
    long kept = Math.min(bytes, image.imageBytes);
    boolean fits = layout.totalBytes() <= image.piece.memory().byteSize();
    Piece piece;
    try {
      piece = fits ? image.piece : move(image, layout.totalBytes(), kept);
    } catch (NoRoomException e) {
      refused = new Refused(image.id, e);
      throw e;
    }
    Unchanged unchanged = fits ? image.unchanged : null;
    if (unchanged != null) {
      unchanged.laidOut(layout);
    }
    forecast = pieces.forecast(layout.totalBytes());
    writing = new Writing(image.id, bytes, piece, NO_SUMS, unchanged);
    return piece.memory().asSlice(layout.imageAt(), bytes);
  }

  /** The image being written. The iteration of its id may be chosen late. */
  private Writing written(CheckpointId id) {
    Writing image = writing;
    if (image == null || image.id.version() != id.version()) {
      throw new IllegalStateException(id + " was not begun");
    }
    return image;
  }

  /** Moves the image to a larger piece. */
  private Piece move(Writing image, long bytes, long imageBytes) throws IOException {
    Piece larger = pieces.take(bytes, image.piece, null).piece();
    long at = PieceLayout.headerBytes(group.length, losses);
    MemorySegment.copy(image.piece.memory(), at, larger.memory(), at, imageBytes);
    pieces.delete(image.piece);
    return larger;
  }

  /**
   * The stages of an image from written to complete.
   *
   * <pre>
   *   SIZES --known--> ROOM --made on all--> CODE --all stripes--> DIGESTS --known--> COMPLETE
   * </pre>
   */
  private final class Encoding implements Protection {
    private enum Stage {
      SIZES,
      ROOM,
      CODE,
      DIGESTS,
      COMPLETE
    }

    private final CheckpointId id;

    /** Null if it found no room. */
    private @Nullable Writing image;

    private Stage stage = Stage.SIZES;
    private long[] sizes = {};
    private @Nullable NoRoomException noRoom;
    private @Nullable StoredCheckpoint checkpoint;
    private @Nullable Gather gather;

    Encoding(CheckpointId id) {
      this.id = id;
      Refused without = refused;
      if (without != null && without.id.version() == id.version()) {
        noRoom = without.why;
        exchange.begin(GroupExchange.note(noRoom));
      } else {
        Writing begun = written(id);
        image = begun;
        exchange.begin(new Note(id.version(), begun.imageBytes));
      }
    }

    private Writing image() {
      return Objects.requireNonNull(image);
    }

    @Override
    public boolean isComplete() {
      return stage == Stage.COMPLETE;
    }

    @Override
    public boolean advance() throws IOException {
      Gather coding = stage == Stage.CODE ? gather : null;
      boolean ready = coding == null ? exchange.isReady() : coding.isReady();
      if (!ready) {
        return false;
      }
      step();
      return true;
    }

    /** Does the next step. */
    void step() throws IOException {
      if (stage != Stage.CODE && !exchange.isComplete()) {
        exchange.step();
        return;
      }
      switch (stage) {
        case SIZES -> {
          exchange.requireAgreed(noRoom);
          sizes = sizes(image());
          largestSeen = Arrays.stream(sizes).max().orElseThrow();
          noRoom = makeRoomForParity();
          beginRoom();
          stage = Stage.ROOM;
        }
        case ROOM -> {
          exchange.requireAgreed(noRoom);
          beginCode();
        }
        case CODE -> code();
        case DIGESTS -> {
          Note[] digests = exchange.notes();
          Member[] members = new Member[group.length];
          Arrays.setAll(members, i -> Digests.member(group[i], sizes[i], digests[i], losses));
          CheckpointHeader header = new CheckpointHeader(id, losses, members);
          header.markComplete(image().piece.memory());
          pieces.coded(image().piece, header);
          writing = null;
          stage = Stage.COMPLETE;
        }
        case COMPLETE -> {}
      }
    }

    private void beginRoom() {
      Unchanged unchanged = image().unchanged;
      BitSet marks = new BitSet();
      if (unchanged != null) {
        PieceLayout layout = layout(image().imageBytes, largestSeen);
        unchanged.laidOut(layout);
        marks = unchanged.marks(layout);
      }
      exchange.begin(Unchanged.note(unchanged, GroupExchange.text(noRoom)), marks);
    }

    private void beginCode() {
      PieceLayout[] layouts = new PieceLayout[group.length];
      Arrays.setAll(layouts, i -> layout(sizes[i], largestSeen));
      Writing written = image();
      MemorySegment piece = written.piece.memory();
      int[] rows =
          Unchanged.rows(written.unchanged, layouts[me], exchange.notes(), exchange.marks());
      codedBytes = Unchanged.bytes(rows, layouts[me]);
      StoredCheckpoint stored = new StoredCheckpoint(piece, layouts[me]);
      stored.padImage();
      checkpoint = stored;
      if (buffers == null) {
        stored.sealImage(rows, written.sums);
      } else {
        gather = new Gather(comm, group, me, buffers, layouts, piece, rows);
      }
      stage = Stage.CODE;
    }

    private void code() {
      Gather coding = gather;
      if (coding != null && !coding.isDone()) {
        coding.step();
      } else {
        exchange.begin(Digests.note(Objects.requireNonNull(checkpoint)));
        stage = Stage.DIGESTS;
      }
    }

    /** Makes room for parity; returns the reason if there is none, else null. */
    private @Nullable NoRoomException makeRoomForParity() throws IOException {
      Writing small = image();
      long needed = layout(small.imageBytes, largestSeen).totalBytes();
      if (small.piece.memory().byteSize() < needed) {
        try {
          Piece larger = move(small, needed, small.imageBytes);
          image = new Writing(small.id, small.imageBytes, larger, small.sums, null);
          writing = image;
        } catch (NoRoomException e) {
          return e;
        }
      }
      return null;
    }
  }

  /** The image sizes from an exchange. */
  private long[] sizes(Writing image) {
    Note[] notes = exchange.notes();
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

  @Override
  public void reopen(CheckpointId id) {
    Piece piece = pieces.find(id);
    CheckpointHeader header = piece == null ? null : pieces.header(piece);
    if (piece == null || header == null) {
      throw new IllegalStateException("rank %d holds no complete %s".formatted(group[me], id));
    }
    CheckpointHeader.markWriting(piece.memory());
    pieces.trustNone();
    writing = new Writing(id, header.members()[me].imageBytes(), piece, NO_SUMS, null);
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
    pieces.trustNone();
    Piece piece = pieces.find(id);
    CheckpointHeader header = piece == null ? null : pieces.header(piece);
    StoredCheckpoint checkpoint = stored(id);
    return header != null
        && checkpoint != null
        && checkpoint.isIntact()
        && checkpoint.hasDigestsOf(header.members()[me]);
  }

  /** A complete checkpoint; null if this rank has none of this id, or its header is corrupt. */
  private @Nullable StoredCheckpoint stored(CheckpointId id) {
    Piece piece = pieces.find(id);
    CheckpointHeader header = piece == null ? null : pieces.header(piece);
    return piece == null || header == null
        ? null
        : new StoredCheckpoint(piece.memory(), pieces.layout(header));
  }

  @Override
  public void rebuild(CheckpointId id, int[] lost) throws IOException, UnrecoverableException {
    pieces.trustNone();
    int[] lostRanks = Arrays.stream(lost).sorted().distinct().toArray();
    for (int rank : lostRanks) {
      if (Arrays.binarySearch(group, rank) < 0) {
        throw new IllegalArgumentException(
            "rank " + rank + " is not in the group " + Arrays.toString(group));
      }
    }
    if (lostRanks.length > losses) {
      throw beyondRepair(id, "is lost on ranks " + Arrays.toString(lostRanks));
    }
    if (lostRanks.length == 0) {
      return;
    }
    if (Arrays.binarySearch(lostRanks, group[me]) >= 0) {
      pieces.free(id);
    }
    Piece piece = pieces.find(id);
    int[] without = withoutIt(id, piece);
    if (piece == null) {
      bringBack(id, without);
    } else {
      helpToBringBack(id, without, piece);
    }
  }

  /**
   * The members without the checkpoint. All other members hold the same one, and can rebuild it, or
   * all members throw.
   */
  private int[] withoutIt(CheckpointId id, @Nullable Piece piece) throws UnrecoverableException {
    Note[] notes =
        exchange.exchange(
            piece == null ? new Note(0, 0) : new Note(1, CheckpointHeader.digest(piece.memory())));
    int[] without = IntStream.range(0, notes.length).filter(i -> notes[i].first() == 0).toArray();
    if (without.length > losses) {
      throw beyondRepair(id, "is lost on ranks " + ranks(without));
    }
    int[] with = IntStream.range(0, notes.length).filter(i -> notes[i].first() != 0).toArray();
    long digest = notes[with[0]].second();
    int[] others = IntStream.of(with).filter(i -> notes[i].second() != digest).toArray();
    if (others.length > 0) {
      pieces.free(id);
      throw beyondRepair(
          id,
          "is lost on ranks "
              + ranks(without)
              + ", and ranks "
              + ranks(others)
              + " hold it from another attempt to write it");
    }
    return without;
  }

  private String ranks(int[] members) {
    return Arrays.toString(IntStream.of(members).map(i -> group[i]).toArray());
  }

  /** Runs a {@link Gather}; collective over the group. */
  private boolean gather(CheckpointHeader header, Piece piece, int[] lost) {
    PieceLayout[] layouts = new PieceLayout[group.length];
    Arrays.setAll(layouts, i -> header.layout(i, blockBytes));
    int[] all = layouts[me].rows();
    return new Gather(
            comm, group, me, Objects.requireNonNull(buffers), layouts, piece.memory(), all, lost)
        .run();
  }

  private void helpToBringBack(CheckpointId id, int[] lost, Piece piece)
      throws IOException, UnrecoverableException {
    CheckpointHeader header = pieces.header(piece);
    if (header == null) {
      throw new IllegalStateException("the header of " + id + " changed while it was in use");
    }
    if (me == firstBut(lost)) {
      for (int i : lost) {
        comm.send(
            Slice.of(piece.memory(), 0, CheckpointHeader.bytes(group.length, losses)),
            group[i],
            HEADER_TAG);
      }
    }
    boolean intact = gather(header, piece, lost);
    if (!intact) {
      pieces.free(id);
    }
    checkResult(id, lost, intact);
  }

  /** The first member that is not among these. */
  private static int firstBut(int[] members) {
    int first = 0;
    while (Arrays.binarySearch(members, first) >= 0) {
      first++;
    }
    return first;
  }

  private void bringBack(CheckpointId id, int[] lost) throws IOException, UnrecoverableException {
    MemorySegment copy =
        MemorySegment.ofArray(new byte[CheckpointHeader.bytes(group.length, losses)]);
    comm.recv(copy, group[firstBut(lost)], HEADER_TAG);
    CheckpointHeader header = CheckpointHeader.read(copy, group, losses);
    if (header == null) {
      throw new IOException("the header of " + id + " arrived corrupt");
    }
    // Without room this rank is replaced; the others wait here until they learn of it.
    Piece piece = pieces.take(pieces.layout(header).totalBytes()).piece();
    gather(header, piece, lost);
    StoredCheckpoint checkpoint = new StoredCheckpoint(piece.memory(), pieces.layout(header));
    checkResult(id, lost, checkpoint.hasDigestsOf(header.members()[me]));
    header.markComplete(piece.memory());
    largestSeen = Math.max(largestSeen, pieces.layout(header).largest());
  }

  /**
   * Throws on all members if one member's part is damaged. Drops parts that are useless then.
   *
   * @param intact whether this rank's part is intact
   */
  private void checkResult(CheckpointId id, int[] lost, boolean intact)
      throws UnrecoverableException {
    Note[] notes = exchange.exchange(new Note(intact ? 1 : 0, 0));
    int[] corrupt = IntStream.range(0, notes.length).filter(i -> notes[i].first() == 0).toArray();
    int[] source = IntStream.of(corrupt).filter(i -> Arrays.binarySearch(lost, i) < 0).toArray();
    if (source.length > 0) {
      throw beyondRepair(
          id,
          "is lost on ranks " + ranks(lost) + " and corrupt in memory on ranks " + ranks(source));
    }
    if (corrupt.length > 0) {
      pieces.free(id);
      throw beyondRepair(
          id,
          "is lost on ranks "
              + ranks(lost)
              + ", and the parts rebuilt from the other ranks fail their checksums");
    }
  }

  private UnrecoverableException beyondRepair(CheckpointId id, String what) {
    String parity =
        losses == 0
            ? "a group of %d ranks has no parity".formatted(group.length)
            : "the parity of the group of %d ranks %s rebuilds %d"
                .formatted(group.length, Arrays.toString(group), losses);
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
