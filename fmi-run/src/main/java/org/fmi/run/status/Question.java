package org.fmi.run.status;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A request to a running job: one frame of text with a word, a number, and optionally a name.
 *
 * @param rank the rank concerned; {@link #ALL} for the whole job
 * @param node the node concerned, by the user's name; empty for none
 */
public record Question(Kind kind, int rank, String node) {
  /** No particular rank. */
  public static final int ALL = -1;

  /** The kinds of requests. */
  public enum Kind {
    /** The program and its progress on one line. */
    JOB,
    /** A table for a person. */
    STATUS,
    /** The same and more, as JSON. */
    STATUS_JSON,
    /** The thread stacks of a rank, or of all ranks. */
    STACK,
    /** The end of a rank's process, which is replaced. */
    KICK,
    /** All events, as JSON lines, from the first to the last. */
    EVENTS,
    /** A checkpoint of all ranks. Answered when it is committed, in files if the job writes any. */
    CHECKPOINT,
    /** The same, followed by the end of the job. */
    STOP_AT_CHECKPOINT,
    /** The departure of all ranks from a node, after the next checkpoint. */
    DRAIN,
    /** The end of such a departure: the node takes ranks again. */
    UNDRAIN,
    /** An additional node. Answered when it is up, or cannot be. */
    ADD,
    /** The end of the job, as by SIGTERM. Answered when it has ended. */
    STOP,
    /** The same, without giving the program any time. */
    STOP_NOW
  }

  /** Creates a request about a rank. */
  public Question(Kind kind, int rank) {
    this(kind, rank, "");
  }

  /** Creates a request about the whole job. */
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
   * @throws IllegalArgumentException if it is no known request
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
          "the fmirun of this job does not know the request '"
              + text
              + "', because it has another version; use the fmi of its installation",
          e);
    }
  }
}
