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
 * The addresses of all ranks, in a file that the ranks of this node map: one per epoch. That of the
 * epoch before goes when the next one comes, as then all ranks of the node have joined that.
 */
final class AddressFile {
  private final Path directory;
  private final Uplink uplink;

  /** The epoch whose addresses are there. */
  private int written = -1;

  /**
   * @param directory of the node
   */
  AddressFile(Path directory, Uplink uplink) {
    this.directory = directory;
    this.uplink = uplink;
  }

  /**
   * A message for a rank, with the addresses that it has put into the file.
   *
   * @return the message itself if it has none, or they cannot be written
   */
  ToRank share(ToRank message) {
    if (!(message instanceof ToRank.Tell tell)
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
              "the addresses of all ranks are not shared, and each rank of the node has a copy: "
                  + e));
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
