package org.fmi.run.shell;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.fmi.run.status.Answer;

/**
 * Stops the job at a checkpoint because its time is short, on a signal or by Slurm's time limit. A
 * job without files continues. Belongs to the loop's thread.
 */
final class StopSoon {
  private final CheckpointDesk checkpoints;
  private final Consumer<String> say;
  private boolean asked;

  /**
   * @param say takes notices for the user
   */
  StopSoon(CheckpointDesk checkpoints, Consumer<String> say) {
    this.checkpoints = checkpoints;
    this.say = say;
  }

  /**
   * Handles a warning that the time is short.
   *
   * @param why for the user
   */
  void ask(String why) {
    if (!checkpoints.canStop()) {
      say.accept(
          why
              + "; the job continues, because it writes no checkpoints to files (--l2-dir,"
              + " --l2-every)");
    } else if (asked) {
      say.accept(why + "; the job is already about to stop at a checkpoint");
    } else {
      asked = true;
      say.accept(why + "; the job stops after writing its next checkpoint to files");
      checkpoints.ask(new Printed(), true);
    }
  }

  /** Prints the answer here, because there is no other asker. */
  private final class Printed implements Answer {
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
