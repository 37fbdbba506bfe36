package org.fmi.run.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.job.JobSpec;

/** Reads lists of hosts: {@code --hosts a,b:4} and host files. */
final class Hosts {
  /** A name or address, with or without a user; never an option of ssh. */
  private static final Pattern NAME =
      Pattern.compile(
          "([A-Za-z0-9_][A-Za-z0-9._-]*@)?([A-Za-z0-9_][A-Za-z0-9._-]*|[0-9A-Fa-f:.]+)");

  private static final Pattern WITH_SLOTS = Pattern.compile("(?:\\[(.+)]|([^:\\[\\]]+))(?::(.*))?");

  private final List<JobSpec.Node> nodes = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final int defaultSlots;

  private Hosts(int defaultSlots) {
    this.defaultSlots = defaultSlots;
  }

  /**
   * @param defaultSlots slots of a host for which none are given
   */
  static List<JobSpec.Node> ofList(String list, String origin, int defaultSlots)
      throws UsageException {
    Hosts hosts = new Hosts(defaultSlots);
    for (String item : list.split(",", -1)) {
      hosts.add(item.strip(), List.of(), origin);
    }
    return hosts.nodes;
  }

  /**
   * @param defaultSlots slots of a host for which none are given
   */
  static List<JobSpec.Node> ofFile(Path file, String origin, int defaultSlots)
      throws UsageException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new UsageException(
          origin + " " + file + ": no such file; name a host file that exists");
    } catch (IOException e) {
      throw new UsageException(
          origin + " " + file + ": cannot be read (" + e + "); make it a readable text file");
    }
    Hosts hosts = new Hosts(defaultSlots);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).replaceFirst("#.*", "").strip();
      if (!line.isEmpty()) {
        String[] words = line.split("\\s+");
        hosts.add(words[0], List.of(words).subList(1, words.length), file + ":" + (i + 1));
      }
    }
    if (hosts.nodes.isEmpty()) {
      throw new UsageException(origin + " " + file + ": names no host; write one per line");
    }
    return hosts.nodes;
  }

  private void add(String host, List<String> attributes, String where) throws UsageException {
    Matcher matcher = WITH_SLOTS.matcher(host);
    if (!matcher.matches()) {
      throw badName(where, host);
    }
    String name = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
    if (!NAME.matcher(name).matches()) {
      throw badName(where, name);
    }
    int slots = matcher.group(3) != null ? slots(matcher.group(3), where) : 0;
    boolean spare = false;
    String rack = "";
    for (String attribute : attributes) {
      if (attribute.equals("spare")) {
        spare = true;
      } else if (attribute.startsWith("rack=") && attribute.length() > "rack=".length()) {
        rack = attribute.substring("rack=".length());
      } else if (attribute.startsWith("slots=") && slots == 0) {
        slots = slots(attribute.substring("slots=".length()), where);
      } else {
        throw new UsageException(
            where
                + ": '"
                + attribute
                + "' is not a host; a line is NAME [slots=K] [spare] [rack=R]");
      }
    }
    if (!names.add(name)) {
      throw new UsageException(
          where
              + ": host "
              + name
              + " is listed twice; list it once, with slots=K for more ranks on it");
    }
    nodes.add(new JobSpec.Node(name, slots == 0 ? defaultSlots : slots, spare, rack));
  }

  private static UsageException badName(String where, String name) {
    return new UsageException(
        where + ": '" + name + "' is not a host name; a host is NAME, NAME:SLOTS or [IPV6]:SLOTS");
  }

  private static int slots(String text, String where) throws UsageException {
    try {
      int slots = Integer.parseInt(text);
      if (slots >= 1) {
        return slots;
      }
    } catch (NumberFormatException e) {
      // continues with the refusal
    }
    throw new UsageException(
        where + ": '" + text + "' is not a number of slots; give a whole number of at least 1");
  }
}
