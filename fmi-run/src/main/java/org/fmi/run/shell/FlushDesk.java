package org.fmi.run.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.fmi.job.FlushCommand;
import org.fmi.job.FlushCoordinator;
import org.fmi.job.Notice;
import org.fmi.job.control.Level2Order;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.ToDaemon;
import org.jspecify.annotations.Nullable;

/** Carries out what is decided about checkpoints on files. Used on the loop's thread. */
final class FlushDesk {
  private final @Nullable Level2Files files;
  private final FlushCoordinator decisions;
  private final Way way;

  /** What the job has begun from; empty if it began anew. */
  private String began = "";

  /** What it needs from outside. */
  interface Way {
    /** Sends a message to the daemon of a node. */
    void send(int node, ToDaemon message);

    /** Tells what happened. */
    void tell(List<Notice> notices);
  }

  /**
   * @param files null if the job has nothing to do with files
   */
  FlushDesk(@Nullable Level2Files files, int size, Way way) {
    this.files = files;
    this.decisions = new FlushCoordinator(size);
    this.way = way;
  }

  /**
   * The job begins.
   *
   * @param say takes lines for the user
   */
  void begin(Consumer<List<String>> say) {
    Level2Files known = files;
    if (known == null) {
      return;
    }
    say.accept(known.said());
  }

  /** All go on from files. */
  void restored(Notice.Level2Restored from) {
    Level2Files known = files;
    if (began.isEmpty() && known != null && known.origin(from.generation()) != null) {
      began = from.generation();
    }
  }

  void on(int node, Level2Report report) {
    carryOut(decisions.on(node, report));
  }

  void lost(int node, String name) {
    carryOut(decisions.lost(node, name));
  }

  private void carryOut(List<FlushCommand> commands) {
    Level2Files known = files;
    if (known == null) {
      return;
    }
    List<Notice> notices = new ArrayList<>();
    for (FlushCommand command : commands) {
      switch (command) {
        case FlushCommand.Flush c ->
            way.send(c.node(), new ToDaemon.Level2(new Level2Order.Flush(c.version())));
        case FlushCommand.Publish c ->
            way.send(
                c.node(),
                new ToDaemon.Level2(
                    new Level2Order.Publish(
                        c.version(),
                        known.manifest(c.needed(), c.files(), began).text(),
                        known.options().keep())));
        case FlushCommand.Report c -> notices.add(c.notice());
      }
    }
    if (!notices.isEmpty()) {
      way.tell(notices);
    }
  }
}
