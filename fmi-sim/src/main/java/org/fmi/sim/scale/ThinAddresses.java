package org.fmi.sim.scale;

import java.util.Map;
import java.util.SplittableRandom;

/**
 * Addresses as ranks publish them over TCP and shared memory: as long as real ones, with ports that
 * cannot be predicted, as they determine how well the message that starts an epoch compresses.
 */
final class ThinAddresses {
  /** First of the ports that systems choose by themselves. */
  private static final int FIRST_PORT = 32768;

  private static final int LAST_PORT = 60999;
  private static final int INODES = 1 << 20;

  private final SplittableRandom random;

  ThinAddresses(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Returns the addresses of a process in an epoch, by name. */
  Map<String, byte[]> of(ThinRank rank) {
    String inbox = "shm-" + rank.number + "." + rank.incarnation + "-" + rank.epoch;
    String overlay = endpoint(rank.node);
    return Map.of(
        "shm", bytes(inbox + "@" + system(rank.node)),
        "tcp", bytes(endpoint(rank.node)),
        "detector", bytes("\003tcp" + (char) overlay.length() + overlay));
  }

  /** Two bytes of port, then the host. */
  private String endpoint(int node) {
    String host = "10." + node / 65_536 + "." + node / 256 % 256 + "." + node % 256;
    int port = random.nextInt(FIRST_PORT, LAST_PORT + 1);
    return "" + (char) (port >> Byte.SIZE) + (char) (port & 0xff) + host;
  }

  private static byte[] bytes(String text) {
    byte[] bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) text.charAt(i);
    }
    return bytes;
  }

  /** The node's memory: half a boot's number, and a directory. */
  private static String system(int node) {
    SplittableRandom ofNode = new SplittableRandom(node);
    String boot = "%016x".formatted(ofNode.nextLong());
    return "%s-%s-4%s(dev=1a,inode=%d)"
        .formatted(
            boot.substring(0, 8),
            boot.substring(8, 12),
            boot.substring(13),
            ofNode.nextInt(INODES));
  }
}
