package org.fmi.run.launch;

import java.io.IOException;
import java.util.List;
import org.fmi.job.control.Bootstrap;
import org.fmi.run.Installation;
import org.fmi.run.daemon.DaemonMain;
import org.fmi.run.daemon.NodeFence;

/** Starts daemons on this machine, each as a node. */
public final class LocalLauncher implements Launcher {
  private final Installation installation;

  public LocalLauncher(Installation installation) {
    this.installation = installation;
  }

  @Override
  public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
    return DaemonProcess.start(
        List.of(installation.daemon().toString()),
        bootstrap,
        (status, lines) ->
            new StartFailure(
                lines.isEmpty()
                    ? "its daemon ended with status " + status
                    : lines.getLast().replaceFirst("^fmi-daemon: ", ""),
                status == DaemonMain.WRONG_SETTING),
        _ -> false,
        true);
  }

  @Override
  public void fence(String name, Bootstrap last) throws IOException {
    NodeFence.fence(last);
  }

  @Override
  public boolean isDead(String name, Bootstrap last) throws IOException {
    return NodeFence.isDead(last);
  }

  @Override
  public void killDaemon(String name, long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }
}
