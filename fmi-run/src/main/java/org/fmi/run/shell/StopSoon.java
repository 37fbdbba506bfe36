package org.fmi.run.shell;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.fmi.run.status.Answer;

/**
 * Stops the job at a checkpoint because somebody says that its time is short: Slurm, by a signal or
 * by its clock. A job that writes no files goes on. Belongs to the loop's thread.
 */
final class StopSoon {
  private final CheckpointDesk checkpoints;
  private final Consumer<String> say;
  private boolean asked;

  /**
   * @param say takes lines for the user
   */
  StopSoon(CheckpointDesk checkpoints, Consumer<String> say) {
    this.checkpoints = checkpoints;
    this.say = say;
  }

  /**
   * The time is short.
   *
   * @param why for the user
   */
  void ask(String why) {
    if (!checkpoints.canStop()) {
      say.accept(
          why + "; the job goes on, as it writes no checkpoints to files (--l2-dir, --l2-every)");
    } else if (asked) {
      say.accept(why + "; the job is about to stop at a checkpoint already");
    } else {
      asked = true;
      say.accept(why + "; the job stops at its next checkpoint, on files");
      checkpoints.ask(new Told(), true);
    }
  }

  /** Tells the user here, as nobody else has asked. */
  private final class Told implements Answer {
    @Override
    public boolean part(byte[] bytes) {
      String text = new String(bytes, StandardCharsets.UTF_8).strip();
      if (!text.isEmpty()) {
        say.accept(text);
      }
      return true;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void end() {}

    @Override
    public void refuse(String reason) {
      asked = false;
      say.accept(reason);
    }
  }
}
