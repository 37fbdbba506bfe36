package org.fmi.run.shell;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.run.options.UsageException;

/** Finds the generations from which the user wants a job to start. */
final class RestartChoice {
  private static final String OPTION = "--restart-from ";
  private static final String LATEST = "latest";
  private static final String AUTO = "auto";

  /** Maximum number of fallbacks in case the newest turns out to be damaged. */
  private static final int MOST = 8;

  private RestartChoice() {}

  /**
   * Chooses generations.
   *
   * @param wanted the user's choice: latest, auto, or a name
   * @param directory for messages
   * @return the generation to start from, followed by fallbacks in case it is damaged: older
   *     generations of its lineage that continue in the same way, but none if it was named; empty
   *     if there is none and auto was given
   * @throws UsageException if there is none, the choice is ambiguous, or it belongs to another job
   */
  static List<Generation> of(
      Catalog catalog, String wanted, Object directory, int size, ProgramFacts program)
      throws UsageException {
    if (!wanted.equals(LATEST) && !wanted.equals(AUTO)) {
      Generation found = named(catalog, wanted, directory);
      requireFits(found, wanted, program);
      return List.of(found);
    }
    List<Generation> line = newestFirst(catalog, wanted, directory);
    if (line.isEmpty()) {
      return line;
    }
    requireFits(line.getFirst(), wanted, program);
    // With another number of ranks the program starts over, which is a different way to continue.
    boolean another = line.getFirst().manifest().size() != size;
    return line.stream()
        .filter(each -> (each.manifest().size() != size) == another)
        .filter(each -> each.manifest().program().differenceTo(program).isEmpty())
        .limit(MOST)
        .toList();
  }

  /** Returns the newest generations of a lineage that this program has written, newest first. */
  static List<Generation> ofLineage(Catalog catalog, String lineage, ProgramFacts program) {
    return ofLine(catalog.generations(), lineage).stream()
        .filter(each -> each.manifest().program().differenceTo(program).isEmpty())
        .limit(MOST)
        .toList();
  }

  private static void requireFits(Generation found, String wanted, ProgramFacts program)
      throws UsageException {
    Manifest manifest = found.manifest();
    String difference = manifest.program().differenceTo(program);
    if (!difference.isEmpty()) {
      throw new UsageException(
          OPTION
              + wanted
              + ": "
              + manifest.name()
              + " was written by a different program: "
              + difference
              + "; run the program that wrote it");
    }
  }

  private static Generation named(Catalog catalog, String name, Object directory)
      throws UsageException {
    Generation found = catalog.find(name);
    if (found != null) {
      return found;
    }
    List<String> why = catalog.unusable(name);
    throw new UsageException(
        OPTION
            + name
            + ": "
            + (why.isEmpty() ? "no such generation in " + directory : why.getFirst())
            + "; 'fmi ckpt list "
            + directory
            + "' lists usable generations, 'latest' takes the newest");
  }

  /** Returns the generations of the only lineage. */
  private static List<Generation> newestFirst(Catalog catalog, String wanted, Object directory)
      throws UsageException {
    List<Generation> all = catalog.generations();
    if (all.isEmpty()) {
      if (wanted.equals(AUTO)) {
        return List.of();
      }
      throw new UsageException(
          OPTION
              + wanted
              + ": no usable generation in "
              + directory
              + "; 'auto' would start from scratch");
    }
    TreeSet<String> lineages = new TreeSet<>();
    all.forEach(each -> lineages.add(each.manifest().lineage()));
    if (lineages.size() > 1) {
      throw new UsageException(
          OPTION
              + wanted
              + ": "
              + directory
              + " holds generations of unrelated jobs: "
              + ofLine(all, lineages.getFirst()).getFirst().manifest().name()
              + " and "
              + ofLine(all, lineages.getLast()).getFirst().manifest().name()
              + "; name the generation to start from");
    }
    return ofLine(all, lineages.getFirst());
  }

  private static List<Generation> ofLine(List<Generation> all, String lineage) {
    return all.stream()
        .filter(each -> each.manifest().lineage().equals(lineage))
        .sorted(
            Comparator.<Generation>comparingLong(each -> each.manifest().version())
                .thenComparing(each -> each.manifest().job())
                .reversed())
        .toList();
  }
}
