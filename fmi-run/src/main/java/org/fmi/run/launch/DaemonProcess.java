package org.fmi.run.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.fmi.job.control.Bootstrap;
import org.fmi.rules.TimeWithCore;
import org.fmi.run.daemon.DaemonMain;
import org.fmi.run.process.ProcessStat;
import org.fmi.run.process.Starvation;

/** The process on this machine that is, or leads to, a daemon. */
public final class DaemonProcess {
  private static final int KEPT_LINES = 40;

  private final Process process;
  private final Starvation starvation;
  private final Explanation explanation;
  private final Predicate<String> isNoise;
  private final boolean isDaemon;
  private volatile boolean done;
  private final Deque<String> lastLines = new ArrayDeque<>();

  /** Explains on one line why a daemon did not start. */
  interface Explanation {
    /**
     * Returns the explanation.
     *
     * @param status status of the process
     * @param lines the last lines of its error output
     */
    StartFailure of(int status, List<String> lines);
  }

  private DaemonProcess(
      Process process, Explanation explanation, Predicate<String> isNoise, boolean isDaemon) {
    this.process = process;
    this.starvation = new Starvation(process.pid());
    this.explanation = explanation;
    this.isNoise = isNoise;
    this.isDaemon = isDaemon;
  }

  /**
   * @param isNoise whether a line matters only in verbose mode
   * @param isDaemon whether the command becomes the daemon itself
   */
  static DaemonProcess start(
      List<String> command,
      Bootstrap bootstrap,
      Explanation explanation,
      Predicate<String> isNoise,
      boolean isDaemon)
      throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(bootstrap.text().getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      // It has ended already; its output and status will give the reason.
    }
    return new DaemonProcess(process, explanation, isNoise, isDaemon);
  }

  /**
   * Follows it until it ends, on a separate thread.
   *
   * @param onLine takes its output, and whether that matters only in verbose mode
   * @param onExit takes the reason why it ended
   */
  public void follow(BiConsumer<String, Boolean> onLine, Consumer<StartFailure> onExit) {
    Thread.ofPlatform()
        .daemon()
        .name("fmi-launched-" + process.pid())
        .start(
            () -> {
              try (BufferedReader in =
                  new BufferedReader(
                      new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                String line;
                while ((line = in.readLine()) != null) {
                  if (line.equals(DaemonMain.DONE)) {
                    done = true;
                    continue;
                  }
                  if (lastLines.size() == KEPT_LINES) {
                    lastLines.removeFirst();
                  }
                  lastLines.add(line);
                  onLine.accept(line, isNoise.test(line));
                }
              } catch (IOException e) {
                // As good as its end.
              }
              int status;
              try {
                status = process.waitFor();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
              }
              onExit.accept(explanation.of(status, List.copyOf(lastLines)));
            });
  }

  /** Whether it is the daemon itself, not one that leads to it. */
  public boolean isDaemon() {
    return isDaemon;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Whether the daemon has reported that it leaves nothing behind. The status does not show that:
   * srun ends with 0 when the node is lost.
   */
  public boolean endedWell() {
    return !process.isAlive() && done;
  }

  /** Whether it lacks a core; for a daemon on another host, whether the near end does. */
  public boolean isStarved() {
    return starvation.getAsBoolean();
  }

  /** Checks whether it has a core; for a daemon on another host, whether the near end has. */
  public TimeWithCore.Look look() {
    return ProcessStat.look(process.pid());
  }

  /** Kills it; for a daemon on another host, only the near end. */
  public void kill() {
    process.destroyForcibly();
  }
}
