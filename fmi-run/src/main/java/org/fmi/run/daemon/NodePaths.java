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

/** Names and places of nodes' directories, computable by anyone who knows the job's secret. */
final class NodePaths {
  private static final Path MEMORY = Path.of("/dev/shm");

  /** Usually on a disk. */
  static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));

  static final String PREFIX = "fmi-";
  static final String UNFINISHED = ".fmi-";

  /** Stands for a node's number, for fmirun itself. */
  static final String RUN = "run";

  /** Precedes the number, for directories of programs. */
  private static final String PROGRAM = "program";

  /** With the job's id as made by fmirun. */
  static final Pattern FINISHED_NAME =
      Pattern.compile(
          PREFIX + "([0-9a-f]{12})-(?:" + PROGRAM + ")?(?:[0-9]+|" + RUN + ")-[0-9a-f]{16}");

  /** Bytes of the code in the name. */
  private static final int CODE_BYTES = 8;

  private static final byte[] CODE_PURPOSE =
      "fmi node directory".getBytes(StandardCharsets.US_ASCII);

  /** Like names of temporary directories. */
  static final Pattern UNFINISHED_NAME = Pattern.compile(Pattern.quote(UNFINISHED) + "[0-9]+");

  /**
   * Directories in which a lent node's script and fmirun meet, with the number of the script's
   * process.
   */
  static final Pattern LENT_NAME = Pattern.compile(PREFIX + "lent-.+-([0-9]+)-[A-Za-z0-9]{8}");

  private NodePaths() {}

  /** Whether there is a memory file system for them; otherwise they are on a disk. */
  static boolean inMemory() {
    return Files.isDirectory(MEMORY) && Files.isWritable(MEMORY);
  }

  /** Returns the parent of daemons' directories. */
  static Path base() {
    return inMemory() ? MEMORY : TEMPORARY;
  }

  /**
   * Returns the possible parents of programs' directories.
   *
   * @param disk directory named by the user; empty if none
   */
  static Set<Path> programBases(String disk) {
    return disk.isEmpty() ? new LinkedHashSet<>(List.of(base(), TEMPORARY)) : Set.of(Path.of(disk));
  }

  /** Returns the directory of a past, present or future daemon. */
  static Path of(String jobId, int node, int generation, byte[] secret) {
    return of(base(), jobId, node, generation, secret);
  }

  static Path of(Path base, String jobId, int node, int generation, byte[] secret) {
    return of(base, jobId, "", node, generation, secret);
  }

  /** Returns the directory of the program. */
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

  /** Returns the directory of a daemon's checkpoints on a disk named by the user. */
  static Path onDisk(Bootstrap b, int generation) {
    return of(Path.of(b.pieces()), b.jobId(), b.node(), generation, b.secret());
  }
}
