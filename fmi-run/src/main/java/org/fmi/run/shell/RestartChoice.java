package org.fmi.run.shell;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.run.options.UsageException;
import org.jspecify.annotations.Nullable;

/** Finds the generation that the user wants a job to begin from. */
final class RestartChoice {
  private static final String OPTION = "--restart-from ";
  private static final String LATEST = "latest";
  private static final String AUTO = "auto";

  private RestartChoice() {}

  /**
   * Chooses.
   *
   * @param wanted what the user has given: latest, auto, or a name
   * @param directory for messages
   * @return null if there is none, and auto was wanted
   * @throws UsageException if there is none, more than one is meant, or it is of another job
   */
  static @Nullable Generation of(
      Catalog catalog, String wanted, Object directory, int size, ProgramFacts program)
      throws UsageException {
    Generation found =
        wanted.equals(LATEST) || wanted.equals(AUTO)
            ? newest(catalog, wanted, directory)
            : named(catalog, wanted, directory);
    if (found == null) {
      return null;
    }
    Manifest manifest = found.manifest();
    if (manifest.size() != size) {
      throw new UsageException(
          OPTION
              + wanted
              + ": "
              + manifest.name()
              + " is of "
              + manifest.size()
              + " ranks, and the job has "
              + size
              + "; give -n "
              + manifest.size());
    }
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
    return found;
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

  private static @Nullable Generation newest(Catalog catalog, String wanted, Object directory)
      throws UsageException {
    List<Generation> all = catalog.generations();
    if (all.isEmpty()) {
      if (wanted.equals(AUTO)) {
        return null;
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
              + newestOf(all, lineages.getFirst()).manifest().name()
              + " and "
              + newestOf(all, lineages.getLast()).manifest().name()
              + "; name the one that is meant");
    }
    return newestOf(all, lineages.getFirst());
  }

  private static Generation newestOf(List<Generation> all, String lineage) {
    return all.stream()
        .filter(each -> each.manifest().lineage().equals(lineage))
        .max(
            Comparator.<Generation>comparingLong(each -> each.manifest().version())
                .thenComparing(each -> each.manifest().job()))
        .orElseThrow();
  }
}
