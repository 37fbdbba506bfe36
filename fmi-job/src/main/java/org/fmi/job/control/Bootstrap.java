package org.fmi.job.control;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What a daemon must know to find its way back to fmirun; it reads it from its standard input, so
 * that the secret stands in no argument, file or variable.
 *
 * @param jobId the job's public name
 * @param generation how many daemons this job had on the node before
 * @param secret the job's
 * @param addresses of fmirun, to be tried in this order
 * @param pieces where the node is to keep checkpoints, a directory; empty for in memory
 * @param heartbeatMillis whoever is silent for this long is declared dead
 * @param startMillis how long fmirun waits for a daemon that has the cores that it needs
 */
public record Bootstrap(
    String jobId,
    int node,
    int generation,
    byte[] secret,
    List<String> addresses,
    int port,
    String pieces,
    int heartbeatMillis,
    int startMillis) {
  private static final String FIRST = "fmi-bootstrap ";

  /** Of the messages that follow once the daemon is connected. */
  private static final String VERSION = "%08x".formatted(WireVersion.VALUE);

  private static final String LAST = "end";

  /** How much longer what waits for a core may take. */
  private static final int PATIENCE = 12;

  public Bootstrap {
    addresses = List.copyOf(addresses);
  }

  /**
   * How long a daemon and fmirun may take to prove themselves to each other. Either may wait for a
   * core meanwhile, and fmirun gives up by itself a daemon that does not.
   */
  public int proofMillis() {
    return PATIENCE * startMillis;
  }

  /** The lines that {@link #read} takes. */
  public String text() {
    StringBuilder text = new StringBuilder(256);
    text.append(FIRST).append(VERSION).append('\n');
    text.append("job ").append(jobId).append('\n');
    text.append("node ").append(node).append('\n');
    text.append("generation ").append(generation).append('\n');
    text.append("secret ").append(HexFormat.of().formatHex(secret)).append('\n');
    for (String address : addresses) {
      text.append("address ").append(address).append('\n');
    }
    text.append("port ").append(port).append('\n');
    // In hexadecimal digits, as names may be of any characters.
    text.append("pieces ")
        .append(HexFormat.of().formatHex(pieces.getBytes(StandardCharsets.UTF_8)))
        .append('\n');
    text.append("heartbeat ").append(heartbeatMillis).append('\n');
    text.append("start ").append(startMillis).append('\n');
    text.append(LAST).append('\n');
    return text.toString();
  }

  /**
   * @throws IOException if it is not what {@link #text} makes, or that of another build, whose
   *     messages are others; the message says no more than that
   */
  public static Bootstrap read(BufferedReader in) throws IOException {
    try {
      String version = field(in, FIRST);
      if (!version.equals(VERSION)) {
        throw new IOException(
            "fmirun is of another build of FMI: its messages are of version "
                + version
                + ", those of this host "
                + VERSION
                + "; install the same build on all hosts");
      }
      String jobId = field(in, "job ");
      int node = Integer.parseInt(field(in, "node "));
      int generation = Integer.parseInt(field(in, "generation "));
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
      int startMillis = Integer.parseInt(field(in, "start "));
      if (!LAST.equals(in.readLine())) {
        throw malformed();
      }
      return new Bootstrap(
          jobId, node, generation, secret, addresses, port, pieces, heartbeatMillis, startMillis);
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
    return new IOException("this program is started by fmirun, which gives it its instructions");
  }

  @Override
  public String toString() {
    return "Bootstrap[job " + jobId + ", node " + node + "]";
  }
}
