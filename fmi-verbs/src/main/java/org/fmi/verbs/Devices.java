package org.fmi.verbs;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The RDMA devices known to the kernel, as shown in its files; loads no library. Only InfiniBand
 * and RoCE devices count: iWARP has no immediate values, and other kinds have no reliable
 * connections.
 */
public final class Devices {
  private static final Path KERNEL = Path.of("/sys/class/infiniband");
  private static final String CHANNEL_ADAPTER = "1: CA";
  private static final String NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

  private final Path directory;

  /** The devices of this machine. */
  public Devices() {
    this(KERNEL);
  }

  /**
   * @param directory a directory like the kernel's {@code /sys/class/infiniband}
   */
  public Devices(Path directory) {
    this.directory = directory;
  }

  /**
   * A port of a device.
   *
   * @param state the kernel's text: {@code 4: ACTIVE}, {@code 1: DOWN}
   */
  public record Port(String device, String number, String state) {
    public boolean active() {
      return state.endsWith("ACTIVE");
    }

    @Override
    public String toString() {
      return device + " port " + number + " (" + state + ")";
    }
  }

  /** The kernel's text of a device's type: {@code 1: CA}, {@code 4: RNIC}. */
  private static String type(Path device) throws IOException {
    return Files.readString(device.resolve("node_type")).strip();
  }

  /** All ports of all usable devices; empty if there is none. */
  public List<Port> ports() throws IOException {
    List<Port> ports = new ArrayList<>();
    for (Path device : children(directory)) {
      if (!type(device).equals(CHANNEL_ADAPTER)) {
        continue;
      }
      for (Path port : children(device.resolve("ports"))) {
        ports.add(
            new Port(
                String.valueOf(device.getFileName()),
                String.valueOf(port.getFileName()),
                Files.readString(port.resolve("state")).strip()));
      }
    }
    return ports;
  }

  /** InfiniBand, or Ethernet for RoCE. */
  public String linkLayer(Port port) throws IOException {
    return Files.readString(directoryOf(port).resolve("link_layer")).strip();
  }

  /** The port's addresses. */
  public Set<String> gids(Port port) throws IOException {
    Set<String> gids = new LinkedHashSet<>();
    for (Path entry : children(directoryOf(port).resolve("gids"))) {
      gids.add(Files.readString(entry).strip());
    }
    gids.remove(NO_GID);
    return gids;
  }

  private Path directoryOf(Port port) {
    return directory.resolve(port.device()).resolve("ports").resolve(port.number());
  }

  /**
   * Checks that there is a device with an active port.
   *
   * @throws IOException if there is none; says what is missing
   */
  public void check() throws IOException {
    List<Port> ports = ports();
    if (ports.isEmpty()) {
      List<String> others = new ArrayList<>();
      for (Path device : children(directory)) {
        others.add(device.getFileName() + " (" + type(device) + ")");
      }
      if (!others.isEmpty()) {
        throw new IOException(
            "rdma: no InfiniBand or RoCE device on this machine; other devices cannot be used: "
                + others);
      }
      throw new IOException(
          "rdma: no RDMA device on this machine ("
              + directory
              + " is empty or missing); is its driver loaded?");
    }
    if (ports.stream().noneMatch(Port::active)) {
      throw new IOException(
          "rdma: no active port: " + ports + "; is a cable or the subnet manager missing?");
    }
  }

  /** Whether a port is active; false for an unknown device. */
  boolean active(String device, int port) throws IOException {
    for (Port p : ports()) {
      if (p.device().equals(device) && p.number().equals(Integer.toString(port))) {
        return p.active();
      }
    }
    return false;
  }

  private static List<Path> children(Path directory) throws IOException {
    List<Path> children = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
        stream.forEach(children::add);
      }
      children.sort(null);
    }
    return children;
  }
}
