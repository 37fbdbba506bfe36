package org.fmi.run.shell;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.run.options.UsageException;

/** Finds the generations that the user wants a job to begin from. */
final class RestartChoice {
  private static final String OPTION = "--restart-from ";
  private static final String LATEST = "latest";
  private static final String AUTO = "auto";

  /** Of those that could follow if the newest turns out to be damaged. */
  private static final int MOST = 8;

  private RestartChoice() {}

  /**
   * Chooses.
   *
   * @param wanted what the user has given: latest, auto, or a name
   * @param directory for messages
   * @return the one to begin from, and behind it those that follow if it is damaged: older ones of
   *     its line that are gone on from in the same way, but none if it was named; empty if there is
   *     none, and auto was wanted
   * @throws UsageException if there is none, more than one is meant, or it is of another job
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
    // With another number of ranks the program begins anew, which is another way to go on.
    boolean another = line.getFirst().manifest().size() != size;
    return line.stream()
        .filter(each -> (each.manifest().size() != size) == another)
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
              + " is of another program: "
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
            + "' names those that can be used, 'latest' takes the newest");
  }

  /** The generations of the one line that there is. */
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
              + ": there is no generation in "
              + directory
              + " that can be used; 'auto' would begin anew");
    }
    TreeSet<String> lineages = new TreeSet<>();
    all.forEach(each -> lineages.add(each.manifest().lineage()));
    if (lineages.size() > 1) {
      throw new UsageException(
          OPTION
              + wanted
              + ": "
              + directory
              + " holds generations of jobs that have nothing to do with each other: "
              + ofLine(all, lineages.getFirst()).getFirst().manifest().name()
              + " and "
              + ofLine(all, lineages.getLast()).getFirst().manifest().name()
              + "; name the one that is meant");
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
