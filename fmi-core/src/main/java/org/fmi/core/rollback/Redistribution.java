package org.fmi.core.rollback;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.fmi.Comm;
import org.fmi.Repartitioned;
import org.fmi.Repartitioned.Partitioner;
import org.fmi.core.checkpoint.Image;
import org.fmi.core.checkpoint.ImageSections;
import org.fmi.core.checkpoint.ImageSections.Entry;
import org.fmi.core.checkpoint.SectionReader;
import org.fmi.core.epoch.AllRanks;
import org.fmi.core.object.StandIns;
import org.fmi.core.state.LoopState;
import org.fmi.core.state.StateKind;
import org.fmi.core.state.StateLayout;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.OtherImages;
import org.fmi.spi.RankConfig;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Gives a loop the state that it had in a job with another number of ranks. The program runs from
 * its start, and its loops begin with that state; anything that is not state is created anew. Only
 * objects that declare their place among the objects of all ranks ({@link org.fmi.ArrayBlock},
 * {@link org.fmi.Replicated}, {@link Repartitioned}) can be redistributed.
 *
 * <p>Each rank scans a share of the old images and shares the contents with all ranks; then it
 * reads the parts that it needs from each image.
 */
final class Redistribution {
  /** Number of bytes read at once to compute a checksum. */
  private static final int CHUNK = 1 << 20;

  private final RankConfig config;
  private final Comm system;

  /** Generations of images to continue from, newest first. */
  private final List<OtherImages> offered;

  /** The generation that the job continues from. */
  private @Nullable OtherImages chosen;

  /** Contents of one old rank's image. */
  private record Old(long messages, List<Entry> entries, long[] digests) {}

  /**
   * @param offered generations, newest first, at least one
   */
  Redistribution(RankConfig config, Comm system, List<OtherImages> offered) {
    this.config = config;
    this.system = system;
    this.offered = List.copyOf(offered);
  }

  private boolean hasOlder(OtherImages than) {
    return !than.equals(offered.getLast());
  }

  /**
   * The reason why some checkpoints in a rank's share cannot be used, on all ranks; null if they
   * can. The oldest generation is not verified here: its damage shows when it is read.
   */
  private @Nullable String damage(OtherImages of, Predicate<CheckpointId> which) {
    if (!hasOlder(of)) {
      return null;
    }
    String failure = null;
    try (of) {
      for (int old = config.rank(); old < of.size(); old += config.size()) {
        for (CheckpointId id : of.needed()) {
          if (which.test(id)) {
            of.verify(old, id);
          }
        }
      }
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage());
    }
    return AllRanks.refusal(config, system, failure);
  }

  private OtherImages images() {
    return Objects.requireNonNull(chosen);
  }

  /** The checkpoint that a loop has begun from; null if it has begun anew. */
  @Nullable CheckpointId of(long loop) {
    return of(images(), loop);
  }

  private static @Nullable CheckpointId of(OtherImages images, long loop) {
    for (CheckpointId id : images.needed()) {
      if (id.loop() == loop) {
        return id;
      }
    }
    return null;
  }

  /** Whether that job would have continued from this checkpoint. */
  boolean isLine(CheckpointId id) {
    return isLine(images(), id);
  }

  private static boolean isLine(OtherImages images, CheckpointId id) {
    return id.equals(images.needed().getLast());
  }

  /** Whether the source is files, and not the memory of an earlier job. */
  boolean isFromFiles() {
    return images().inFiles();
  }

  /** A description of the source. */
  String name() {
    return images().name();
  }

  /** The number of the newest version. */
  long version() {
    return offered.getFirst().needed().getLast().version();
  }

  /**
   * Fills a loop's state with the one that the old job's loop had, if the old job had reached it;
   * collective over all ranks.
   *
   * <p>All loops must begin with states of one generation: the newest undamaged one when the first
   * loop asks. The part that this loop needs is verified as it is read, the rest before.
   *
   * @param refused receives the reasons why generations are not used, for the user, on all ranks
   * @return the reason why it is impossible, for the user, on all ranks; null if it is done
   */
  @Nullable String fill(long loop, LoopState state, Consumer<String> refused) {
    OtherImages images = chosen;
    if (images != null) {
      Filled filled = fill(images, of(images, loop), state);
      return filled.damage() == null ? filled.misfit() : filled.damage();
    }
    for (OtherImages each : offered) {
      CheckpointId first = of(each, loop);
      String damage = damage(each, id -> !id.equals(first));
      Filled filled = damage == null ? fill(each, first, state) : new Filled(damage, null);
      if (filled.damage() == null || !hasOlder(each)) {
        chosen = each;
        return filled.damage() == null ? filled.misfit() : filled.damage();
      }
      refused.accept(filled.damage());
    }
    throw new IllegalStateException("nothing is offered");
  }

  /**
   * Result of filling a state, on all ranks; a failure leaves the state unchanged.
   *
   * @param damage null if all data is undamaged
   * @param misfit null if the old state can be given to these ranks
   */
  private record Filled(@Nullable String damage, @Nullable String misfit) {
    private static final Filled DONE = new Filled(null, null);
  }

  private Filled fill(OtherImages from, @Nullable CheckpointId id, LoopState state) {
    if (id == null) {
      return Filled.DONE;
    }
    try (OtherImages images = from) {
      return read(images, id, state);
    }
  }

  private Filled read(OtherImages images, CheckpointId id, LoopState state) {
    List<Long> mine = new ArrayList<>();
    String failure = null;
    try {
      for (int old = config.rank(); old < images.size(); old += config.size()) {
        pack(images, old, id, mine);
      }
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage());
    }
    String damage = AllRanks.refusal(config, system, failure);
    if (damage != null) {
      return new Filled(damage, null);
    }
    Old[] all = unpack(images.size(), AllRanks.gather(config, system, mine));
    MemorySegment now = state.copy();
    MemorySegment image = null;
    String misfit = null;
    try {
      List<Entry> own =
          ImageSections.of(
              (at, to) -> to.copyFrom(now.asSlice(at, to.byteSize())), 0, now.byteSize());
      misfit = new Fit(state, own, all).problem(isLine(images, id));
      if (misfit == null) {
        image = image(images, id, state, now, own, all);
      }
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage());
    }
    misfit = AllRanks.refusal(config, system, misfit);
    if (misfit != null) {
      return new Filled(null, misfit);
    }
    damage = AllRanks.refusal(config, system, failure);
    if (damage == null && repartitions(state)) {
      // The program reads as its state is filled: too late then for another generation.
      damage = chosen == null ? damage(images, id::equals) : null;
    }
    if (damage != null || image == null) {
      return new Filled(damage, null);
    }
    state.read(image, 0, image.byteSize());
    return new Filled(null, repartition(images, id, state, all));
  }

  /** Whether the program repartitions an object itself; equal on all ranks if the states fit. */
  private static boolean repartitions(LoopState state) {
    for (int i = 0; i < state.objects(); i++) {
      if (state.object(i) instanceof Repartitioned) {
        return true;
      }
    }
    return false;
  }

  /** Calls the program's partitioners. */
  @SuppressWarnings("unchecked") // what is read was written from a StateRef of the same type
  private @Nullable String repartition(
      OtherImages images, CheckpointId id, LoopState state, Old[] all) {
    String failure = null;
    for (int i = 0; i < state.objects(); i++) {
      if (state.object(i) instanceof Repartitioned repartitioned) {
        try {
          Partitioner<Object> partitioner = (Partitioner<Object>) repartitioned.partitioner();
          partitioner.partition(new OldParts(images, id, all, i, state.standIns()));
        } catch (UncheckedIOException e) {
          failure = String.valueOf(e.getMessage());
        }
      }
    }
    return repartitions(state) ? AllRanks.refusal(config, system, failure) : null;
  }

  /** The old ranks' versions of one object. */
  private static final class OldParts implements Repartitioned.Old<Object> {
    private final OtherImages images;
    private final CheckpointId id;
    private final Old[] all;
    private final int object;
    private final StandIns standIns;

    OldParts(OtherImages images, CheckpointId id, Old[] all, int object, StandIns standIns) {
      this.standIns = standIns;
      this.images = images;
      this.id = id;
      this.all = all;
      this.object = object;
    }

    @Override
    public int ranks() {
      return all.length;
    }

    @Override
    public Object get(int rank) {
      try {
        return SectionReader.read(
            (at, to) -> images.read(rank, id, at, to),
            all[rank].entries.get(object).at(),
            standIns);
      } catch (IOException e) {
        throw new UncheckedIOException(e.getMessage(), e);
      }
    }
  }

  // ---- contents of the old images

  private static void pack(OtherImages images, int old, CheckpointId id, List<Long> into)
      throws IOException {
    MemorySegment header = MemorySegment.ofArray(new long[(int) Image.HEADER / Long.BYTES]);
    images.read(old, id, 0, header);
    Image image = new Image(header);
    image.check(images.size());
    MemorySegment messages = MemorySegment.ofArray(new long[1]);
    images.read(old, id, image.unexpectedAt(), messages);
    List<Entry> entries =
        ImageSections.of(
            (at, to) -> images.read(old, id, at, to), image.stateAt(), image.stateEnd());
    into.addAll(List.of((long) old, messages.get(FrameLayout.LONG, 0), (long) entries.size()));
    for (Entry entry : entries) {
      StateLayout layout = entry.layout();
      long[] packed = layout == null ? new long[0] : layout.packed();
      boolean compared = layout != null && layout.isReplicated();
      into.addAll(
          List.of(
              entry.kind(),
              entry.at(),
              entry.end(),
              entry.shares() ? 1L : 0L,
              compared ? digest(images, old, id, entry) : 0L,
              (long) packed.length));
      Arrays.stream(packed).forEach(into::add);
      String name = entry.name() == null ? "" : entry.name();
      into.add((long) name.length());
      name.chars().asLongStream().forEach(into::add);
    }
  }

  private static long digest(OtherImages images, int old, CheckpointId id, Entry entry)
      throws IOException {
    CRC32C crc = new CRC32C();
    byte[] chunk = new byte[(int) Math.min(CHUNK, entry.end() - entry.at())];
    for (long at = entry.at(); at < entry.end(); at += chunk.length) {
      int bytes = (int) Math.min(chunk.length, entry.end() - at);
      images.read(old, id, at, MemorySegment.ofArray(chunk).asSlice(0, bytes));
      crc.update(chunk, 0, bytes);
    }
    return crc.getValue();
  }

  private static Old[] unpack(int size, long[][] packed) {
    Old[] all = new Old[size];
    for (long[] each : packed) {
      int at = 0;
      while (at < each.length) {
        int old = (int) each[at];
        long messages = each[at + 1];
        long[] digests = new long[(int) each[at + 2]];
        at += 3;
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < digests.length; i++) {
          int length = (int) each[at + 5];
          StateLayout layout =
              length == 0
                  ? null
                  : new StateLayout(Arrays.copyOfRange(each, at + 6, at + 6 + length));
          int named = at + 7 + length;
          StringBuilder name = new StringBuilder();
          Arrays.stream(each, named, named + (int) each[named - 1])
              .forEach(c -> name.append((char) c));
          entries.add(
              new Entry(
                  name.isEmpty() ? null : name.toString(),
                  each[at],
                  layout,
                  each[at + 1],
                  each[at + 2],
                  each[at + 3] != 0));
          digests[i] = each[at + 4];
          at = named + name.length();
        }
        all[old] = new Old(messages, entries, digests);
      }
    }
    return all;
  }

  // ---- fit

  /** Checks whether old images can become the state of this rank. */
  private static final class Fit {
    private final LoopState state;
    private final List<Entry> own;
    private final Old[] all;

    Fit(LoopState state, List<Entry> own, Old[] all) {
      this.state = state;
      this.own = own;
      this.all = all;
    }

    /**
     * The reason why they cannot; null if they can.
     *
     * @param line whether unreceived messages belong to the checkpoint
     */
    @Nullable String problem(boolean line) {
      for (int old = 0; old < all.length; old++) {
        if (line && all[old].messages > 0) {
          return "rank "
              + old
              + " had unreceived messages, which only a job of "
              + all.length
              + " ranks can receive: use -n "
              + all.length;
        }
        if (all[old].entries.size() != state.objects()) {
          return "the loop's state has "
              + (state.objects() == 1 ? "1 object" : state.objects() + " objects")
              + ", but rank "
              + old
              + "'s had "
              + all[old].entries.size();
        }
      }
      for (int i = 0; i < state.objects(); i++) {
        String problem = problemOf(i);
        if (problem != null) {
          return state.describeObject(i) + ", " + problem;
        }
      }
      return null;
    }

    private @Nullable String problemOf(int object) {
      String name = state.name(object);
      for (int old = 0; old < all.length; old++) {
        String saved = all[old].entries.get(object).name();
        if (name != null && saved != null && !name.equals(saved)) {
          return "had the name \"" + saved + "\" at rank " + old + ": " + LoopState.SAME_NAMES;
        }
      }
      StateLayout mine = state.layout(object);
      if (mine == null) {
        return "has no layout for a number of ranks other than "
            + all.length
            + ": register ArrayBlock.of(...), Replicated.of(...) or Repartitioned.of(...), or use"
            + " -n "
            + all.length;
      }
      for (int old = 0; old < all.length; old++) {
        Entry entry = all[old].entries.get(object);
        StateLayout layout = entry.layout();
        if (layout == null || !layout.name().equals(mine.name())) {
          return "was not registered as " + mine.name() + " at rank " + old;
        }
        if (entry.shares()) {
          return "shares its content with another object at rank " + old;
        }
        if (mine.isBlock() && entry.kind() != own.get(object).kind()) {
          return "holds "
              + StateKind.name(own.get(object).kind())
              + ", but held "
              + StateKind.name(entry.kind())
              + " at rank "
              + old;
        }
      }
      return mine.isBlock()
          ? problemOfBlock(object, mine)
          : mine.isReplicated() ? problemOfReplicated(object) : null;
    }

    private @Nullable String problemOfReplicated(int object) {
      Entry first = all[0].entries.get(object);
      for (int old = 1; old < all.length; old++) {
        Entry entry = all[old].entries.get(object);
        if (entry.end() - entry.at() != first.end() - first.at()
            || all[old].digests[object] != all[0].digests[object]) {
          return "differed between ranks 0 and " + old;
        }
      }
      return null;
    }

    private @Nullable String problemOfBlock(int object, StateLayout mine) {
      long elements = 0;
      for (int old = 0; old < all.length; old++) {
        StateLayout layout = layout(old, object);
        if (!Arrays.equals(layout.globalShape(), mine.globalShape())) {
          return "is part of a global array of shape "
              + Arrays.toString(mine.globalShape())
              + ", but was part of one of shape "
              + Arrays.toString(layout.globalShape())
              + " at rank "
              + old;
        }
        elements += StateLayout.elements(layout.extent());
        for (int other = 0; other < old; other++) {
          if (layout.overlaps(layout(other, object))) {
            return "overlaps: rank "
                + other
                + " had "
                + layout(other, object).text()
                + ", rank "
                + old
                + " "
                + layout.text();
          }
        }
      }
      long missing = StateLayout.elements(mine.globalShape()) - elements;
      return missing == 0
          ? null
          : "has gaps: "
              + missing
              + " elements of the global array of "
              + Arrays.toString(mine.globalShape())
              + " were in no rank's block";
    }

    private StateLayout layout(int old, int object) {
      StateLayout layout = all[old].entries.get(object).layout();
      if (layout == null) {
        throw new IllegalStateException(
            "object " + object + " of rank " + old + " is not an ArrayBlock");
      }
      return layout;
    }
  }

  // ---- assembly

  /** The state as this rank would have written it. */
  private static MemorySegment image(
      OtherImages images,
      CheckpointId id,
      LoopState state,
      MemorySegment now,
      List<Entry> entries,
      Old[] all)
      throws IOException {
    List<MemorySegment> parts = new ArrayList<>();
    long done = 0;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      parts.add(now.asSlice(done, entry.at() - done));
      done = entry.end();
      StateLayout mine = state.layout(i);
      if (mine != null && mine.isBlock()) {
        for (int old = 0; old < all.length; old++) {
          copyBlock(images, id, old, all[old].entries.get(i), mine, entry, now);
        }
        parts.add(now.asSlice(entry.at(), entry.end() - entry.at()));
      } else if (mine != null && !mine.isReplicated()) {
        parts.add(now.asSlice(entry.at(), entry.end() - entry.at())); // repartitioned afterwards
      } else {
        Entry first = all[0].entries.get(i);
        MemorySegment same = Arena.ofAuto().allocate(first.end() - first.at(), Long.BYTES);
        images.read(0, id, first.at(), same);
        parts.add(same);
      }
    }
    long bytes = parts.stream().mapToLong(MemorySegment::byteSize).sum();
    MemorySegment image = Arena.ofAuto().allocate(Math.max(bytes, Long.BYTES), Long.BYTES);
    long at = 0;
    for (MemorySegment part : parts) {
      MemorySegment.copy(part, 0, image, at, part.byteSize());
      at += part.byteSize();
    }
    return image.asSlice(0, bytes);
  }

  /** Copies the intersection of an old rank's block and this rank's. */
  private static void copyBlock(
      OtherImages images,
      CheckpointId id,
      int old,
      Entry from,
      StateLayout mine,
      Entry into,
      MemorySegment now)
      throws IOException {
    StateLayout layout = from.layout();
    if (layout == null || !layout.overlaps(mine)) {
      return;
    }
    int elementBytes = StateKind.of(from.kind()).elementBytes;
    long bytes = elementBytes * StateLayout.elements(layout.localShape());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(bytes, Long.BYTES);
      images.read(old, id, from.dataAt(), content);
      layout.copyTo(content, mine, now.asSlice(into.dataAt()), elementBytes);
    }
  }
}
