package org.fmi.run.daemon;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.fmi.job.control.Bootstrap;
import org.fmi.node.Refusal;
import org.fmi.run.Installation;
import org.fmi.run.process.ProcessGroup;

/**
 * The main class of {@code bin/fmi-daemon}.
 *
 * <pre>
 *   fmi-daemon           serves a node
 *   fmi-daemon --fence   removes everything that daemons with these instructions have left
 *   fmi-daemon --dead    reports whether a daemon with these instructions has certainly ended
 * </pre>
 *
 * Its instructions arrive on standard input, because they contain the job's secret.
 */
public final class DaemonMain {
  /** The last line of a daemon that has left nothing behind. */
  public static final String DONE = "fmi-daemon: done";

  /** The line that reports the end of a daemon. */
  public static final String DEAD = "fmi-daemon: dead";

  private static final int CANNOT_START = 70;

  /** Status of a daemon that a setting keeps from starting: any node would fail alike. */
  public static final int WRONG_SETTING = 78;

  /** A setting of the job that the daemon cannot use. */
  private static final class WrongSettingException extends IOException {
    private static final long serialVersionUID = 1L;

    WrongSettingException(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }

  private DaemonMain() {}

  public static void main(String[] args) throws InterruptedException {
    try {
      if (args.length == 1 && args[0].equals("--fence")) {
        NodeFence.fence(instructions());
      } else if (args.length == 1 && args[0].equals("--dead")) {
        if (NodeFence.isDead(instructions())) {
          System.err.println(DEAD);
        }
      } else {
        serve();
      }
      // Not by exit, which begins with a search for a logger in all jars.
      Runtime.getRuntime().halt(0);
    } catch (IOException | InvalidPathException e) {
      // One line, because it is shown to the user.
      System.err.println("fmi-daemon: " + Refusal.text(e));
      System.exit(e instanceof WrongSettingException ? WRONG_SETTING : CANNOT_START);
    }
  }

  private static void serve() throws IOException, InterruptedException {
    Thread group = ProcessGroup.lead();
    Bootstrap bootstrap = instructions();
    group.join();
    needTool("setpriv");
    DeadJobs.sweep(bootstrap.jobId(), "");
    // Before anything is made: SIGTERM may arrive while the node's directory exists and the daemon
    // does not yet.
    CompletableFuture<Daemon> made = new CompletableFuture<>();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> terminated(made, bootstrap), "fmi-close"));
    Daemon daemon;
    try {
      daemon = make(bootstrap);
      made.complete(daemon);
    } finally {
      made.cancel(false); // no effect if it was made
    }
    daemon.run();
    boolean done = close(daemon);
    // The directory of fmirun on this machine, if it was killed.
    DeadJobs.sweep("", bootstrap.pieces());
    if (done) {
      System.err.println(DONE);
    }
  }

  /** Returns the directory of checkpoints. */
  private static NodeDirectory pieces(Bootstrap bootstrap, NodeDirectory directory)
      throws IOException {
    if (bootstrap.pieces().isEmpty()) {
      return directory;
    }
    try {
      return NodeDirectory.createOnDisk(bootstrap);
    } catch (IOException e) {
      directory.delete();
      throw new WrongSettingException(e);
    }
  }

  private static Bootstrap instructions() throws IOException {
    return Bootstrap.read(
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)));
  }

  private static Daemon make(Bootstrap bootstrap) throws IOException {
    NodeDirectory directory =
        NodeDirectory.create(
            bootstrap.jobId(), bootstrap.node(), bootstrap.generation(), bootstrap.secret());
    NodeDirectory pieces = pieces(bootstrap, directory);
    if (bootstrap.memory() < bootstrap.generation()) {
      NodeAdoption.adopt(bootstrap, pieces);
    }
    return new Daemon(bootstrap, Installation.current(), directory, pieces);
  }

  /** Handles SIGTERM, which fmirun never sends, and an exit because the daemon cannot be made. */
  private static void terminated(CompletableFuture<Daemon> made, Bootstrap bootstrap) {
    String own = "";
    try {
      Daemon daemon = made.get();
      daemon.terminated();
      close(daemon);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (CancellationException | ExecutionException e) {
      // No daemon was made, so there is nothing to close. The next one may need what is left.
      own = bootstrap.jobId();
    }
    // Slurm sends it too when fmirun was killed, as the job's script ends then.
    DeadJobs.sweep(own, bootstrap.pieces());
  }

  /** Closes the daemon; returns whether it has left nothing behind. */
  private static boolean close(Daemon daemon) {
    try {
      daemon.close();
      return true;
    } catch (IOException e) {
      System.err.println("fmi-daemon: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static void needTool(String name) throws IOException {
    String path = System.getenv("PATH");
    for (String directory : (path == null ? "" : path).split(":")) {
      if (new File(directory, name)
          .canExecute()) { // not as a Path, because not every name is a valid one
        return;
      }
    }
    throw new IOException(
        "the program " + name + " is not in the PATH; install util-linux 2.33 or newer");
  }
}
