package org.fmi.run.timeline;

import static org.fmi.run.timeline.Timeline.NEVER;

import java.util.ArrayList;
import java.util.List;
import org.fmi.run.options.UsageException;
import org.fmi.run.timeline.Timeline.FileWrite;
import org.fmi.run.timeline.Timeline.Remark;

/** Builds the history of checkpoints in files from events: one is written at a time. */
final class FileWrites {
  private final List<FileWrite> all = new ArrayList<>();

  /** Receives remarks that do not fit into the picture. */
  private final List<Remark> remarks;

  FileWrites(List<Remark> remarks) {
    this.remarks = remarks;
  }

  /**
   * Takes an event about checkpoints in files.
   *
   * @throws UsageException if it lacks a field
   */
  void on(Event event, long now) throws UsageException {
    switch (event.name()) {
      case "Level2Begun" ->
          all.add(
              new FileWrite(
                  now,
                  NEVER,
                  event.number("version"),
                  event.number("loop"),
                  event.number("iteration"),
                  0,
                  false));
      case "Level2Committed" -> ended(event, now, event.number("bytes"), false);
      case "Level2Failed" -> {
        ended(event, now, 0, true);
        remarks.add(
            new Remark(
                now,
                "the checkpoint of iteration "
                    + event.number("iteration")
                    + " could not be written to files: "
                    + event.text("reason")));
      }
      default ->
          remarks.add(
              new Remark(
                  now,
                  "from "
                      + event.text("generation")
                      + " in files, at iteration "
                      + event.number("iteration")
                      + " of loop "
                      + event.number("loop")));
    }
  }

  private void ended(Event event, long now, long bytes, boolean failed) throws UsageException {
    if (all.isEmpty() || all.getLast().version() != event.number("version")) {
      return; // its beginning is not in the file
    }
    FileWrite begun = all.removeLast();
    all.add(
        new FileWrite(
            begun.from(), now, begun.version(), begun.loop(), begun.iteration(), bytes, failed));
  }

  /** Returns all writes, in order. */
  List<FileWrite> all() {
    return List.copyOf(all);
  }
}
