package org.fmi.core.recovery;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.core.p2p.Messenger;
import org.fmi.rules.RecoveryLine;
import org.fmi.rules.RecoveryLine.Held;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * What a job begins from, if it does not begin anew: taken into the ranks' memory where all
 * processes are new and their memory holds nothing newer that could be gone back to.
 */
final class FileOrigin {
  private final CheckpointSource source;
  private final CheckpointStore store;
  private final Comm system;
  private final Messenger messenger;

  FileOrigin(CheckpointSource source, CheckpointStore store, Comm system, Messenger messenger) {
    this.source = source;
    this.store = store;
    this.system = system;
    this.messenger = messenger;
  }

  /**
   * Chooses as {@link RecoveryLine#choose} does; collective over all ranks.
   *
   * @return null if what ranks hold has changed: they must look again
   * @throws UnrecoverableException if there is nothing to go back to, here neither
   */
  @Nullable RecoveryLine choose(List<Held> held, boolean restart)
      throws IOException, UnrecoverableException {
    if (!restart || source.needed().isEmpty()) {
      return RecoveryLine.choose(held, restart);
    }
    try {
      RecoveryLine line = RecoveryLine.choose(held, true);
      if (line.line() != null) {
        return line;
      }
    } catch (UnrecoverableException e) {
      // Lost in memory: the job begins once more from where it began.
    }
    load();
    return null;
  }

  private void load() throws IOException, UnrecoverableException {
    store.held().forEach(store::release);
    for (CheckpointId id : source.needed()) {
      UnrecoverableException failure = fill(id);
      long[] failures = {failure == null ? 0 : 1};
      system.allReduce(failures, Op.SUM);
      if (failure != null) {
        throw failure;
      }
      while (failures[0] > 0) {
        messenger.park(); // the one that failed tells the job, which ends
      }
      store.protect(id);
    }
  }

  private @Nullable UnrecoverableException fill(CheckpointId id) throws IOException {
    long bytes;
    try {
      bytes = source.bytes(id);
    } catch (IOException e) {
      return new UnrecoverableException(message(e));
    }
    MemorySegment image = store.begin(id, bytes);
    try {
      source.read(id, image);
      return null;
    } catch (IOException e) {
      return new UnrecoverableException(message(e));
    }
  }

  private static String message(IOException e) {
    return "what the job was to begin from cannot be read: "
        + e.getMessage()
        + "; 'fmi ckpt verify' tells which generations are whole, and --restart-from JOB/vN begins"
        + " from one of them";
  }
}
