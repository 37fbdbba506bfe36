package org.fmi.run.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.Level2Setup;
import org.fmi.run.options.Level2Options;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.UsageException;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.Level2Plan;
import org.jspecify.annotations.Nullable;

/**
 * fmirun's knowledge of a job's checkpoints in files.
 *
 * @param lineage the lineage of what the job writes, unless it starts from a generation
 * @param origins the generations from which the job may start, newest first; empty for from scratch
 * @param notices notices for the user, at the start
 */
record Level2Files(
    Level2Options options,
    String jobId,
    int size,
    ProgramFacts program,
    String lineage,
    List<Generation> origins,
    List<String> notices) {

  /**
   * Reads the files, before anything starts.
   *
   * @return null if the job does not use files
   * @throws UsageException if they do not match the user's options
   */
  static @Nullable Level2Files of(RunOptions run, String jobId, ProgramFacts program)
      throws UsageException {
    Level2Options options = run.checkpoints().level2();
    if (options == null) {
      return null;
    }
    Path directory = options.directory();
    String wanted = options.restartFrom();
    try {
      if (options.every() > 0) {
        Files.createDirectories(directory);
      }
      if (!Files.isDirectory(directory) || (options.every() > 0 && !Files.isWritable(directory))) {
        throw new UsageException(
            "--l2-dir "
                + directory
                + (Files.isDirectory(directory)
                    ? ": not writable; name a writable directory"
                    : ": no such directory; correct its name"));
      }
      List<String> notices = new ArrayList<>();
      List<Generation> origins = List.of();
      if (wanted != null) {
        Catalog catalog = Catalog.of(directory);
        notices.addAll(catalog.unusable());
        origins = RestartChoice.of(catalog, wanted, directory, run.spec().size(), program);
        if (origins.isEmpty()) {
          notices.add("no usable generation in " + directory + ": the job starts from scratch");
        }
      }
      return new Level2Files(options, jobId, run.spec().size(), program, jobId, origins, notices);
    } catch (IOException e) {
      throw new UsageException(
          "--l2-dir " + directory + ": cannot be used (" + e + "); name a usable directory");
    }
  }

  /**
   * Returns the same for the job that continues the program with fewer ranks. It starts from the
   * newest generations of the lineage: at once, or if the memory that it starts from is damaged.
   *
   * @param fromMemory whether it starts from memory
   * @throws IOException if the generations cannot be read
   */
  Level2Files following(String nextId, int nextSize, boolean fromMemory) throws IOException {
    String line = origins.isEmpty() ? lineage : origins.getFirst().manifest().lineage();
    List<Generation> newest =
        RestartChoice.ofLineage(Catalog.of(options.directory()), line, program);
    // With another number of ranks the program starts over, which is a different way to continue.
    boolean another =
        fromMemory || newest.isEmpty() || newest.getFirst().manifest().size() != nextSize;
    return new Level2Files(
        options,
        nextId,
        nextSize,
        program,
        line,
        newest.stream().filter(each -> (each.manifest().size() != nextSize) == another).toList(),
        List.of());
  }

  /** Returns the part for daemons. */
  Level2Setup setup() {
    List<Level2Setup.Origin> all = new ArrayList<>();
    List<Level2Plan.Others> others = new ArrayList<>();
    for (Generation from : origins) {
      Manifest manifest = from.manifest();
      List<Level2Plan.OfRanks> of = new ArrayList<>();
      for (FileFacts file : manifest.files()) {
        of.add(
            new Level2Plan.OfRanks(
                from.directory().resolve(file.name()).toString(),
                file.digest(),
                file.ranks().stream().mapToInt(Integer::intValue).toArray()));
      }
      if (manifest.size() == size) {
        all.add(new Level2Setup.Origin(manifest.name(), manifest.needed(), of));
      } else {
        others.add(new Level2Plan.Others(manifest.name(), manifest.size(), manifest.needed(), of));
      }
    }
    return new Level2Setup(
        options.directory().toString(),
        options.every(),
        options.stallMillis(),
        options.bytesPerSecond(),
        all,
        others);
  }

  /**
   * Returns the manifest that publishes a version.
   *
   * @param needed its checkpoints; a job continues from the last one
   * @param began name of the generation from which the job has started; empty if from scratch
   */
  Manifest manifest(List<CheckpointId> needed, List<Level2Report.Written> files, String began) {
    Generation from = origin(began);
    CheckpointId line = needed.getLast();
    List<FileFacts> facts = new ArrayList<>();
    for (Level2Report.Written file : files) {
      facts.add(
          new FileFacts(
              file.name(),
              file.bytes(),
              file.digest(),
              Arrays.stream(file.ranks()).boxed().toList()));
    }
    return new Manifest(
        jobId,
        size,
        line,
        needed.stream().filter(CheckpointId::last).toList(),
        program,
        from == null ? lineage : from.manifest().lineage(),
        from == null ? null : new Manifest.Origin(from.manifest().job(), from.manifest().version()),
        facts);
  }

  /** Returns the generation of this name, if the job may start from it. */
  @Nullable Generation origin(String name) {
    for (Generation each : origins) {
      if (each.manifest().name().equals(name)) {
        return each;
      }
    }
    return null;
  }
}
