package org.fmi.job.control;

/**
 * An entry of the class path of a job's program.
 *
 * @param path absolute, the same on all hosts
 * @param bytes what a copy of it takes
 * @param digest SHA-256 of its program files as fmirun found them, in hexadecimal digits; empty if
 *     any content will do
 */
public record ProgramEntry(String path, Kind kind, long bytes, String digest) {
  /** How a node uses an entry. */
  public enum Kind {
    /** A jar, or a directory with all that is in it: ranks run from a copy. */
    COPIED,

    /** A directory of which only the program files are copied; the directory itself follows. */
    PROGRAM_FILES,

    /** Where it is. */
    IN_PLACE
  }

  /** An entry that is used where it is, whatever it contains. */
  public static ProgramEntry inPlace(String path) {
    return new ProgramEntry(path, Kind.IN_PLACE, 0, "");
  }

  /** The same with the digest of what it contains. */
  public ProgramEntry with(String newDigest) {
    return new ProgramEntry(path, kind, bytes, newDigest);
  }
}
