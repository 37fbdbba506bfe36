package org.fmi.rules;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.FileVersion;

/**
 * The versions that all of some ranks see in files. Those of several combine to those of all of
 * them, in any order, and if some come more than once.
 *
 * @param rank the lowest of these ranks
 * @param versions in the order in which it sees them
 */
public record SeenInFiles(int rank, List<FileVersion> versions) {
  public SeenInFiles {
    versions = List.copyOf(versions);
  }

  /** Those that the others see too. */
  public SeenInFiles with(SeenInFiles other) {
    boolean isLower = rank <= other.rank;
    List<FileVersion> common = new ArrayList<>(isLower ? versions : other.versions);
    common.retainAll(isLower ? other.versions : versions);
    return new SeenInFiles(Math.min(rank, other.rank), common);
  }
}
