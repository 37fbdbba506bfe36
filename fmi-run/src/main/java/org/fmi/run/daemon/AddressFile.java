package org.fmi.run.daemon;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.control.JobMessage;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.node.PrivateFile;

/**
 * The addresses of all ranks, in a file that the ranks of this node map: one per epoch. The file of
 * the previous epoch is deleted when the next one is written, because all ranks of the node have
 * joined that epoch by then.
 */
final class AddressFile {
  private final Path directory;
  private final Uplink uplink;

  /** The epoch of the current file. */
  private int written = -1;

  /**
   * @param directory directory of the node
   */
  AddressFile(Path directory, Uplink uplink) {
    this.directory = directory;
    this.uplink = uplink;
  }

  /**
   * Returns a message for a rank, with its addresses moved to the file.
   *
   * @return the message itself if it has none, or they cannot be written
   */
  ToRank share(ToRank message) {
    if (!(message instanceof ToRank.Forward tell)
        || !(tell.message() instanceof JobMessage.Start start)) {
      return message;
    }
    try {
      if (start.epoch() != written) {
        write(start.epoch(), start.endpoints().bytes());
      }
      String file = file(start.epoch()).toString();
      return new ToRank.Begin(start.epoch(), start.rollback(), start.local(), file);
    } catch (IOException e) {
      uplink.send(
          new FromDaemon.Warning(
              "the ranks of the node cannot share the address table, so each has a copy: " + e));
      return message;
    }
  }

  private void write(int epoch, MemorySegment table) throws IOException {
    Files.deleteIfExists(file(written));
    try (Arena arena = Arena.ofConfined()) {
      PrivateFile.create(file(epoch), table.byteSize(), arena).copyFrom(table);
    }
    written = epoch;
  }

  private Path file(int epoch) {
    return directory.resolve("addresses-" + epoch);
  }
}
