package org.fmi.job.control;

/**
 * An entry of the class path of a job's program.
 *
 * @param path absolute, the same on all hosts
 * @param bytes the size of a copy
 * @param digest SHA-256 of its program files as fmirun found them, in hexadecimal digits; empty if
 *     any content will do
 */
public record ProgramEntry(String path, Kind kind, long bytes, String digest) {
  /** The way a node uses an entry. */
  public enum Kind {
    /** A jar, or a directory with its whole content: ranks run from a copy. */
    COPIED,

    /** A directory of which only the program files are copied; the directory itself follows. */
    PROGRAM_FILES,

    /** The original. */
    IN_PLACE
  }

  /** Returns an entry that is used in place, whatever its content. */
  public static ProgramEntry inPlace(String path) {
    return new ProgramEntry(path, Kind.IN_PLACE, 0, "");
  }

  /** Returns this entry with the digest of its content. */
  public ProgramEntry with(String newDigest) {
    return new ProgramEntry(path, kind, bytes, newDigest);
  }
}
