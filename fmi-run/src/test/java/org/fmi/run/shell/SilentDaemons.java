package org.fmi.run.shell;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.fmi.job.control.Bootstrap;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.fmi.run.Installation;
import org.fmi.run.launch.DaemonProcess;
import org.fmi.run.launch.LocalLauncher;

/** Processes that do nothing, in place of daemons, and connections of those that speak for them. */
final class SilentDaemons {
  private final LocalLauncher launcher;

  /**
   * @param directory where it may write
   */
  SilentDaemons(Path directory) throws IOException {
    Path script = Files.createDirectories(directory.resolve("bin")).resolve("fmi-daemon");
    Files.writeString(script, "#!/bin/sh\ncat >/dev/null\nexec sleep 1000\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    launcher = new LocalLauncher(new Installation(directory));
  }

  DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
    return launcher.start(name, bootstrap);
  }

  /** Whoever speaks for a daemon connects to fmirun as that would. */
  static void connect(
      NetLoop loop, Bootstrap bootstrap, int timeoutMillis, ConnectionHandler daemon) {
    byte[] identity =
        ByteBuffer.allocate(2 * Integer.BYTES)
            .putInt(bootstrap.node())
            .putInt(bootstrap.generation())
            .array();
    InetSocketAddress fmirun =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), bootstrap.port());
    var _ = loop.connect(fmirun, identity, timeoutMillis, timeoutMillis, daemon);
  }
}
