package org.fmi.rules;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.FileVersion;

/**
 * The versions in files that all of a set of ranks see. Sets combine in any order, and repetitions
 * do no harm.
 *
 * @param rank the lowest of these ranks
 * @param versions in that rank's order
 */
public record SeenInFiles(int rank, List<FileVersion> versions) {
  public SeenInFiles {
    versions = List.copyOf(versions);
  }

  /** The versions that both sets see. */
  public SeenInFiles with(SeenInFiles other) {
    boolean isLower = rank <= other.rank;
    List<FileVersion> common = new ArrayList<>(isLower ? versions : other.versions);
    common.retainAll(isLower ? other.versions : versions);
    return new SeenInFiles(Math.min(rank, other.rank), common);
  }
}
