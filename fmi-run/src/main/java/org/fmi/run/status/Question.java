package org.fmi.run.status;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What somebody wants of a running job: one frame of text, a word, a number, and perhaps a name.
 *
 * @param rank the rank that is meant; {@link #ALL} for the whole job
 * @param node the node that is meant, as the user names it; empty for none
 */
public record Question(Kind kind, int rank, String node) {
  /** No rank in particular. */
  public static final int ALL = -1;

  /** What can be asked. */
  public enum Kind {
    /** What the job runs and how far it is, in one line. */
    JOB,
    /** A table for a person. */
    STATUS,
    /** The same and more, as JSON. */
    STATUS_JSON,
    /** What the threads of a rank do, or of all ranks. */
    STACK,
    /** All events, as JSON lines, from the first to the last. */
    EVENTS,
    /**
     * That all ranks take a checkpoint. The answer comes when it is committed, on files if the job
     * writes any.
     */
    CHECKPOINT,
    /** The same, and that the job end then. */
    STOP_AT_CHECKPOINT,
    /** That the ranks of a node leave it, behind the next checkpoint. */
    DRAIN,
    /** That the job get one more node. The answer comes when it is up, or cannot be. */
    ADD,
    /** That the job end, as by SIGTERM. The answer comes when it has ended. */
    STOP,
    /** The same, without leaving the program any time. */
    STOP_NOW
  }

  /** What is asked of a rank. */
  public Question(Kind kind, int rank) {
    this(kind, rank, "");
  }

  /** What is asked of the whole job. */
  public static Question of(Kind kind) {
    return new Question(kind, ALL);
  }

  byte[] frame() {
    return (kind.name().toLowerCase(Locale.ROOT) + " " + rank + (node.isEmpty() ? "" : " " + node))
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads a frame.
   *
   * @throws IllegalArgumentException if it is no question known here
   */
  static Question read(ByteBuffer frame) {
    String text = StandardCharsets.UTF_8.decode(frame).toString();
    String[] words = text.split(" ", 3);
    try {
      return new Question(
          Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
          Integer.parseInt(words[1]),
          words.length < 3 ? "" : words[2]);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "this job's fmirun does not know the question '"
              + text
              + "': it is of another version; use the fmi that is beside it",
          e);
    }
  }
}
