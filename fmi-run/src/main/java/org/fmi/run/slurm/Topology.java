package org.fmi.run.slurm;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The nodes on one switch, and so in one rack, if Slurm knows them. */
final class Topology {
  private static final int SECONDS = 15;

  /** A switch with nodes, but no other switches, below it. */
  private static final Pattern LEAF =
      Pattern.compile("SwitchName=(\\S+) Level=0 .*\\bNodes=(\\S+).*");

  private Topology() {}

  /** Returns the rack of each node, by name; empty if unknown. */
  static Map<String, String> racks(Map<String, String> environment) {
    Map<String, String> racks = new HashMap<>();
    try {
      for (String line :
          SlurmCommand.of("scontrol", environment).with("show", "topology").run(SECONDS)) {
        Matcher leaf = LEAF.matcher(line.strip());
        if (leaf.matches()) {
          SlurmCommand.of("scontrol", environment)
              .with("show", "hostnames", leaf.group(2))
              .run(SECONDS)
              .forEach(node -> racks.put(node, leaf.group(1)));
        }
      }
    } catch (IOException e) {
      // Where Slurm knows none, its status may report that, too: a job runs without racks.
      return Map.of();
    }
    return racks;
  }
}
