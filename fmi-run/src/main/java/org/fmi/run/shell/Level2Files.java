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
import org.jspecify.annotations.Nullable;

/**
 * What fmirun knows of a job's checkpoints on files.
 *
 * @param origin what the job begins from; null if anew
 * @param said lines for the user, at the start
 */
record Level2Files(
    Level2Options options,
    String jobId,
    int size,
    ProgramFacts program,
    @Nullable Generation origin,
    List<String> said) {

  /**
   * Looks at the files, before anything starts.
   *
   * @return null if the job has nothing to do with files
   * @throws UsageException if they are not what the user thinks
   */
  static @Nullable Level2Files of(RunOptions run, String jobId) throws UsageException {
    Level2Options options = run.level2();
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
                    ? ": cannot be written to; name a directory that can be"
                    : ": no such directory; correct its name"));
      }
      ProgramFacts program = ProgramDigest.of(run.program());
      List<String> said = new ArrayList<>();
      Generation origin = null;
      if (wanted != null) {
        Catalog catalog = Catalog.of(directory);
        said.addAll(catalog.unusable());
        origin = RestartChoice.of(catalog, wanted, directory, run.spec().size(), program);
        if (origin == null) {
          said.add("no generation in " + directory + " can be used: the job begins anew");
        }
      }
      return new Level2Files(options, jobId, run.spec().size(), program, origin, said);
    } catch (IOException e) {
      throw new UsageException(
          "--l2-dir " + directory + ": cannot be used (" + e + "); name a directory that can be");
    }
  }

  /** What daemons get to know. */
  Level2Setup setup() {
    Generation from = origin;
    List<Level2Setup.Origin> origins = new ArrayList<>();
    if (from != null) {
      for (FileFacts file : from.manifest().files()) {
        origins.add(
            new Level2Setup.Origin(
                from.directory().resolve(file.name()).toString(),
                file.digest(),
                file.ranks().stream().mapToInt(Integer::intValue).toArray()));
      }
    }
    return new Level2Setup(
        options.directory().toString(),
        options.every(),
        options.stallMillis(),
        options.bytesPerSecond(),
        from == null ? List.of() : from.manifest().needed(),
        origins);
  }

  /**
   * What makes a version count.
   *
   * @param needed its checkpoints; the last one is what to go on from
   */
  Manifest manifest(List<CheckpointId> needed, List<Level2Report.Written> files) {
    Generation from = origin;
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
        from == null ? jobId : from.manifest().lineage(),
        from == null ? null : new Manifest.Origin(from.manifest().job(), from.manifest().version()),
        facts);
  }
}
