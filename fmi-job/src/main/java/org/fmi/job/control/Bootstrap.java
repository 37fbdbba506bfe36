package org.fmi.job.control;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The data that a daemon needs to connect to fmirun. It reads them from standard input, so that the
 * secret is in no argument, file or variable.
 *
 * @param jobId the public name of the job
 * @param generation the number of daemons that this job had on the node before
 * @param memory the generation of the first daemon whose checkpoints this one takes over; its own
 *     if it begins without checkpoints
 * @param secret the secret of the job
 * @param addresses addresses of fmirun, to be tried in this order
 * @param pieces the directory for the node's checkpoints; empty for memory
 * @param heartbeatMillis time of silence after which a process is declared dead
 * @param graceMillis time for which a daemon and fmirun wait for each other
 * @param startMillis time that fmirun allows a daemon, not counting time without a core
 */
public record Bootstrap(
    String jobId,
    int node,
    int generation,
    int memory,
    byte[] secret,
    List<String> addresses,
    int port,
    String pieces,
    int heartbeatMillis,
    int graceMillis,
    int startMillis) {
  private static final String FIRST = "fmi-bootstrap ";

  /** Version of the messages that follow once the daemon is connected. */
  private static final String VERSION = "%08x".formatted(WireVersion.VALUE);

  private static final String LAST = "end";

  /** Factor on time limits of a process that waits for a core. */
  private static final int PATIENCE = 12;

  public Bootstrap {
    addresses = List.copyOf(addresses);
  }

  /**
   * Returns the time limit for the mutual authentication of a daemon and fmirun. Either may wait
   * for a core meanwhile, and fmirun itself gives up a daemon that does not.
   */
  public int proofMillis() {
    return PATIENCE * startMillis;
  }

  /** Returns the lines that {@link #read} parses. */
  public String text() {
    StringBuilder text = new StringBuilder(256);
    text.append(FIRST).append(VERSION).append('\n');
    text.append("job ").append(jobId).append('\n');
    text.append("node ").append(node).append('\n');
    text.append("generation ").append(generation).append('\n');
    text.append("memory ").append(memory).append('\n');
    text.append("secret ").append(HexFormat.of().formatHex(secret)).append('\n');
    for (String address : addresses) {
      text.append("address ").append(address).append('\n');
    }
    text.append("port ").append(port).append('\n');
    // In hexadecimal digits, because names may have any characters.
    text.append("pieces ")
        .append(HexFormat.of().formatHex(pieces.getBytes(StandardCharsets.UTF_8)))
        .append('\n');
    text.append("heartbeat ").append(heartbeatMillis).append('\n');
    text.append("grace ").append(graceMillis).append('\n');
    text.append("start ").append(startMillis).append('\n');
    text.append(LAST).append('\n');
    return text.toString();
  }

  /**
   * @throws IOException if it is not the output of {@link #text}, or that of another build, whose
   *     messages differ
   */
  public static Bootstrap read(BufferedReader in) throws IOException {
    try {
      String version = field(in, FIRST);
      if (!version.equals(VERSION)) {
        throw new IOException(
            "fmirun is from a different build of FMI: it speaks protocol version "
                + version
                + ", this host speaks "
                + VERSION
                + "; install the same build on all hosts");
      }
      String jobId = field(in, "job ");
      int node = Integer.parseInt(field(in, "node "));
      int generation = Integer.parseInt(field(in, "generation "));
      int memory = Integer.parseInt(field(in, "memory "));
      byte[] secret = HexFormat.of().parseHex(field(in, "secret "));
      List<String> addresses = new ArrayList<>();
      String line;
      while ((line = in.readLine()) != null && line.startsWith("address ")) {
        addresses.add(line.substring("address ".length()));
      }
      if (line == null || !line.startsWith("port ")) {
        throw malformed();
      }
      int port = Integer.parseInt(line.substring("port ".length()));
      String pieces =
          new String(HexFormat.of().parseHex(field(in, "pieces ")), StandardCharsets.UTF_8);
      int heartbeatMillis = Integer.parseInt(field(in, "heartbeat "));
      int graceMillis = Integer.parseInt(field(in, "grace "));
      int startMillis = Integer.parseInt(field(in, "start "));
      if (!LAST.equals(in.readLine())) {
        throw malformed();
      }
      return new Bootstrap(
          jobId,
          node,
          generation,
          memory,
          secret,
          addresses,
          port,
          pieces,
          heartbeatMillis,
          graceMillis,
          startMillis);
    } catch (IllegalArgumentException e) {
      throw malformed();
    }
  }

  private static String field(BufferedReader in, String name) throws IOException {
    String line = in.readLine();
    if (line == null || !line.startsWith(name)) {
      throw malformed();
    }
    return line.substring(name.length());
  }

  private static IOException malformed() {
    return new IOException("this program is started by fmirun; do not start it by hand");
  }

  @Override
  public String toString() {
    return "Bootstrap[job " + jobId + ", node " + node + "]";
  }
}
