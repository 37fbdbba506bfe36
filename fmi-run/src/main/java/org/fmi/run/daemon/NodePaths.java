package org.fmi.run.daemon;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.fmi.job.control.Bootstrap;
import org.fmi.net.Hmac;

/** Names and places of nodes' directories: whoever knows the job's secret can tell them. */
final class NodePaths {
  private static final Path MEMORY = Path.of("/dev/shm");

  /** On a disk, as a rule. */
  static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));

  static final String PREFIX = "fmi-";
  static final String UNFINISHED = ".fmi-";

  /** In place of a node's number, for fmirun itself. */
  static final String RUN = "run";

  /** Before the number, where the program is kept. */
  private static final String PROGRAM = "program";

  /** With the job's id as fmirun makes it. */
  static final Pattern FINISHED_NAME =
      Pattern.compile(
          PREFIX + "([0-9a-f]{12})-(?:" + PROGRAM + ")?(?:[0-9]+|" + RUN + ")-[0-9a-f]{16}");

  /** Bytes of the code in the name. */
  private static final int CODE_BYTES = 8;

  private static final byte[] CODE_PURPOSE =
      "fmi node directory".getBytes(StandardCharsets.US_ASCII);

  /** As temporary directories are named. */
  static final Pattern UNFINISHED_NAME = Pattern.compile(Pattern.quote(UNFINISHED) + "[0-9]+");

  private NodePaths() {}

  /** Whether there is a memory file system for them; if not they lie on a disk. */
  static boolean inMemory() {
    return Files.isDirectory(MEMORY) && Files.isWritable(MEMORY);
  }

  /** Where a daemon's directory lies. */
  static Path base() {
    return inMemory() ? MEMORY : TEMPORARY;
  }

  /**
   * Where there may be directories of programs.
   *
   * @param disk that the user has named; empty if none
   */
  static Set<Path> programBases(String disk) {
    return disk.isEmpty() ? new LinkedHashSet<>(List.of(base(), TEMPORARY)) : Set.of(Path.of(disk));
  }

  /** Where the directory of a daemon is, or was, or will be. */
  static Path of(String jobId, int node, int generation, byte[] secret) {
    return of(base(), jobId, node, generation, secret);
  }

  static Path of(Path base, String jobId, int node, int generation, byte[] secret) {
    return of(base, jobId, "", node, generation, secret);
  }

  /** Where the program is kept. */
  static Path ofProgram(Path base, String jobId, int node, int generation, byte[] secret) {
    return of(base, jobId, PROGRAM, node, generation, secret);
  }

  private static Path of(
      Path base, String jobId, String what, int node, int generation, byte[] secret) {
    byte[] daemon = ByteBuffer.allocate(2 * Integer.BYTES).putInt(node).putInt(generation).array();
    byte[] code = new Hmac(secret).over(CODE_PURPOSE, daemon);
    return base.resolve(
        PREFIX
            + jobId
            + "-"
            + what
            + (node == NodeDirectory.FMIRUN ? RUN : node)
            + "-"
            + HexFormat.of().formatHex(code, 0, CODE_BYTES));
  }

  /** Where the checkpoints of a daemon are, for which the user has named a disk. */
  static Path onDisk(Bootstrap b, int generation) {
    return of(Path.of(b.pieces()), b.jobId(), b.node(), generation, b.secret());
  }
}
