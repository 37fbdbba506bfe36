package org.fmi.core.rollback;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.core.epoch.AllRanks;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.FileVersion;
import org.fmi.spi.RankConfig;
import org.fmi.spi.UnreadableException;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Agrees with all ranks on the recovery line, and brings its checkpoints back: from memory, by the
 * groups' codes, and from files where groups have lost more than their codes can rebuild. Files may
 * be slow or gone, so they are read only if memory cannot provide the newest version that is known
 * to be committed.
 */
public final class Restoration {
  private final RankConfig config;
  private final Comm system;
  private final CheckpointStore store;
  private final CheckpointSource source;
  private final JobLink link;
  private final FaultInjector faults;

  /** Why the job begins again as it began, as the beginning of a sentence; empty if it does not. */
  private String lost = "";

  Restoration(
      RankConfig config,
      Comm system,
      CheckpointStore store,
      CheckpointSource source,
      JobLink link,
      FaultInjector faults) {
    this.config = config;
    this.system = system;
    this.store = store;
    this.source = source;
    this.link = link;
    this.faults = faults;
  }

  /** Why the job begins again as it began, as the beginning of a sentence; empty if it does not. */
  String lost() {
    return lost;
  }

  /**
   * Result of a recovery.
   *
   * @param rebuilt whether this rank's checkpoint was lost, and its group has rebuilt it
   */
  public record Restored(RecoveryLine line, boolean rebuilt) {}

  /** Findings of one recovery, equal on all ranks. */
  private static final class Findings {
    /** The newest version that is known to be committed by all ranks. */
    long newest;

    @Nullable RecoveryLine before;

    /** The reason why memory was not enough at first; empty if it held no candidate. */
    String lost = "";

    final List<FileVersion> refused = new ArrayList<>();
    final List<String> reasons = new ArrayList<>();

    /** The reasons why files do not help, to follow the reason why memory does not. */
    String fileReasons() {
      return reasons.isEmpty()
          ? "; and the files have no version that all ranks can read"
          : "; and " + String.join("; ", reasons);
    }
  }

  /**
   * Brings back the newest version that every rank can get from memory or files; collective over
   * all ranks. A part that turns out to be damaged is dropped, and all ranks agree anew: on the
   * same version if it can still be rebuilt, otherwise on an earlier one.
   *
   * @param restart whether all processes are new
   * @param committed the newest version that this rank knows to be committed; -1 for none
   * @return the checkpoints that every rank holds now
   * @throws UnrecoverableException if no version can be brought back
   * @throws IOException if there is not enough memory
   */
  Restored run(boolean restart, int epoch, long committed)
      throws IOException, UnrecoverableException {
    boolean rebuilt = false;
    Findings findings = new Findings();
    findings.newest = newest(committed);
    while (true) {
      AllHoldings held = AllHoldings.gather(config, system, store);
      RecoveryLine line = choose(held, restart, epoch, findings);
      FileVersion files = line.files();
      boolean whole = true;
      for (CheckpointId id : line.needed()) {
        int[] lost = held.lost(id);
        if (whole && lost.length > 0 && !readsFiles(held, line, id)) {
          faults.at(FaultPoint.REBUILD, id.iteration());
          whole = rebuild(id, lost);
          rebuilt |= Arrays.binarySearch(lost, config.rank()) >= 0;
        }
      }
      if (isIntact(line, whole)) {
        String refusal = files == null ? null : read(held, line, files);
        if (refusal == null) {
          reportFilesRead(held, line, epoch);
          return new Restored(line, rebuilt);
        }
        findings.refused.add(files);
        findings.reasons.add(refusal);
        if (config.rank() == 0) {
          link.report(Notice.Degraded.filesRefused(refusal));
        }
      }
    }
  }

  /** The newest version that any rank knows to be committed; determined only if files may help. */
  private long newest(long committed) {
    long[] newest = {committed};
    if (!CheckpointSource.NONE.equals(source)) {
      system.allReduce(newest, Op.MAX);
    }
    return newest[0];
  }

  private RecoveryLine choose(AllHoldings held, boolean restart, int epoch, Findings findings)
      throws UnrecoverableException {
    RecoveryLine line;
    try {
      line = inMemory(held, restart, findings);
      if (line == null) {
        List<FileVersion> files = new ArrayList<>(source.offers(epoch == 0));
        files.removeAll(findings.refused);
        line = RecoveryLine.choose(held.all(), AllHoldings.common(config, system, files), restart);
      }
    } catch (UnrecoverableException e) {
      if (startsFromOtherSize()) {
        lost = e.getMessage() + "; and the job ";
        return RecoveryLine.START; // begin again as it began
      }
      throw CheckpointSource.NONE.equals(source)
          ? e
          : new UnrecoverableException(e.getMessage() + findings.fileReasons());
    }
    requireAnyLeft(line, restart, findings);
    findings.before = line;
    findings.newest = Math.max(findings.newest, line.version());
    return line;
  }

  /**
   * Whether the program starts from files, or the memory, of a job with another number of ranks,
   * and may do so again.
   */
  private boolean startsFromOtherSize() {
    return !source.others().isEmpty();
  }

  /** The recovery line from memory; null if files may have a newer one. */
  private @Nullable RecoveryLine inMemory(AllHoldings held, boolean restart, Findings findings)
      throws UnrecoverableException {
    if (CheckpointSource.NONE.equals(source)) {
      return RecoveryLine.choose(held.all(), restart);
    }
    try {
      RecoveryLine line = RecoveryLine.choose(held.all(), restart);
      return line.checkpoint() != null && line.version() >= findings.newest ? line : null;
    } catch (UnrecoverableException e) {
      findings.lost = findings.lost.isEmpty() ? String.valueOf(e.getMessage()) : findings.lost;
      return null;
    }
  }

  /** Fails the job if damage on all ranks has left no checkpoint, rather than begin anew. */
  private void requireAnyLeft(RecoveryLine line, boolean restart, Findings findings)
      throws UnrecoverableException {
    if (line.checkpoint() != null || startsFromOtherSize()) {
      return;
    }
    CheckpointId damaged = findings.before == null ? null : findings.before.checkpoint();
    if (!findings.refused.isEmpty()) {
      throw new UnrecoverableException(
          (findings.lost.isEmpty()
                  ? "the checkpoint that the job was to continue from cannot be read: "
                  : findings.lost + "; and ")
              + String.join("; ", findings.reasons)
              + "; 'fmi ckpt verify' shows which generations are intact, and"
              + " --restart-from JOB/vN starts from one of them");
    }
    if (damaged != null && !(restart && damaged.version() == 0)) {
      throw new UnrecoverableException(
          "the checkpoint of iteration "
              + damaged.iteration()
              + " is lost for good: it is damaged in the memory of all ranks, and there is no older"
              + " one");
    }
  }

  /**
   * Rebuilds a checkpoint. Returns false on all ranks of the group if a part was damaged, and
   * dropped.
   */
  private boolean rebuild(CheckpointId id, int[] lost) throws IOException {
    try {
      store.rebuild(id, lost);
      return true;
    } catch (UnrecoverableException damaged) {
      return false; // all ranks agree anew on what is held now
    }
  }

  /**
   * Verifies checksums on all ranks. Corrupt parts are dropped, to be rebuilt in the next round.
   *
   * <p>Parts that other ranks read from files must come from the same execution as the parts in
   * memory: a version may have been computed twice, with different results. If they do not, all
   * ranks read files.
   *
   * @param whole whether this rank's group has rebuilt its lost parts
   */
  private boolean isIntact(RecoveryLine line, boolean whole) {
    long corrupt = whole ? 0 : 1;
    long different = 0;
    FileVersion files = line.files();
    List<CheckpointId> needed = line.needed();
    for (CheckpointId id : store.held()) {
      if (!needed.contains(id)) {
        continue;
      }
      if (!store.intact(id)) {
        store.release(id);
        corrupt++;
      } else if (files != null && !isIn(files, id)) {
        different++;
      }
    }
    long[] sums = {corrupt, different};
    system.allReduce(sums, Op.SUM);
    if (sums[0] == 0 && sums[1] > 0) {
      needed.forEach(store::release);
    }
    return sums[0] + sums[1] == 0;
  }

  private boolean isIn(FileVersion files, CheckpointId id) {
    try {
      return source.holds(files, id, store.image(id));
    } catch (IOException e) {
      return false; // all ranks find out when the file is read
    }
  }

  // ---- files

  private static boolean readsFiles(AllHoldings held, RecoveryLine line, CheckpointId id) {
    return line.files() != null && held.isBeyondCode(id);
  }

  /**
   * Has the groups that lost too much read their parts from files and recompute their codes: each
   * member reads what it does not hold itself.
   *
   * @return the reason why that is impossible, on all ranks; null if it is done
   */
  private @Nullable String read(AllHoldings held, RecoveryLine line, FileVersion files)
      throws IOException {
    for (CheckpointId id : store.held()) {
      if (id.version() > line.version()) {
        store.release(id); // no rank rolls back to it any more, and its memory may be needed
      }
    }
    for (CheckpointId id : line.needed()) {
      if (!held.all().needFiles(id)) {
        continue;
      }
      boolean reads = readsFiles(held, line, id);
      String failure = null;
      if (reads) {
        faults.at(FaultPoint.REBUILD, id.iteration());
        if (held.isHere(id)) {
          store.reopen(id);
        } else {
          failure = fill(files, id);
        }
      }
      String refusal = AllRanks.refusal(config, system, failure);
      if (refusal != null) {
        return refusal;
      }
      if (reads) {
        store.protect(id);
      }
    }
    return null;
  }

  /**
   * Reads this rank's part from files. Returns the reason why it cannot be read; null if it was.
   */
  private @Nullable String fill(FileVersion files, CheckpointId id) throws IOException {
    long bytes;
    try {
      bytes = source.bytes(files, id);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
    try {
      store.fill(id, bytes, () -> source.open(files, id));
      return null;
    } catch (UnreadableException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Reports, from rank 0, which ranks have read files; collective over all ranks if any has. */
  private void reportFilesRead(AllHoldings held, RecoveryLine line, int epoch) {
    FileVersion files = line.files();
    CheckpointId id = line.checkpoint();
    if (files == null || id == null) {
      return;
    }
    long[] read = new long[Math.ceilDiv(config.size(), Long.SIZE)];
    if (line.needed().stream()
        .anyMatch(each -> readsFiles(held, line, each) && !held.isHere(each))) {
      read[config.rank() / Long.SIZE] |= 1L << config.rank();
    }
    system.allReduce(read, Op.BOR);
    if (config.rank() == 0) {
      BitSet readers = BitSet.valueOf(read);
      link.send(
          new RankMessage.FilesRead(
              epoch,
              source.name(files),
              id.loop(),
              id.iteration(),
              readers.cardinality() == config.size()
                  ? ""
                  : readers.stream().boxed().toList().toString()));
    }
  }
}
