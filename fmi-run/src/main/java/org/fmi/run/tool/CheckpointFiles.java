package org.fmi.run.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.Manifest.Origin;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.ckpt.files.ProgramFacts.Jar;
import org.fmi.ckpt.files.Publication;
import org.fmi.run.options.UsageException;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code fmi ckpt}: manages checkpoints in files. */
final class CheckpointFiles {
  private static final int USAGE = 64;
  private static final int FAILED = 70;

  private CheckpointFiles() {}

  static CommandSpec spec() {
    CommandSpec[] self = new CommandSpec[1];
    self[0] =
        FmiTool.command(
            () -> {
              self[0].commandLine().usage(System.out);
              return USAGE;
            },
            "Manages checkpoints in files, of running and ended jobs.");
    self[0].addSubcommand(
        "list",
        command(
            CheckpointFiles::list,
            "Lists the generations that a job can start from. Checks that their files exist, but"
                + " does not read the images.",
            false));
    self[0].addSubcommand(
        "show",
        command(
            CheckpointFiles::show,
            "Shows the contents of a generation, or of all generations.",
            true));
    self[0].addSubcommand(
        "verify",
        command(
            CheckpointFiles::verify,
            "Reads a generation, or all, and compares it with its checksums. Exits with status"
                + " "
                + FAILED
                + " if a generation is damaged.",
            true));
    CommandSpec prune =
        command(
            CheckpointFiles::prune,
            "Deletes all but the newest generations of each job, and incomplete versions older than"
                + " the newest generation.",
            false);
    prune.addOption(
        OptionSpec.builder("--keep")
            .type(int.class)
            .paramLabel("G")
            .defaultValue("2")
            .description("Number of generations of each job to keep (default 2).")
            .build());
    prune.addOption(
        OptionSpec.builder("--unfinished")
            .type(boolean.class)
            .description(
                "Delete newer incomplete versions, too. Do not use while a job writes to DIR.")
            .build());
    prune.addOption(
        OptionSpec.builder("--dry-run")
            .type(boolean.class)
            .description("Only print what would be deleted.")
            .build());
    self[0].addSubcommand("prune", prune);
    CommandSpec export =
        command(
            CheckpointFiles::export,
            "Writes an array of a rank's state to a NumPy file, after comparing the state with its"
                + " checksums.",
            true);
    export.addOption(
        OptionSpec.builder("--rank")
            .type(int.class)
            .paramLabel("R")
            .required(true)
            .description("Rank whose state to read.")
            .build());
    export.addOption(
        OptionSpec.builder("--object")
            .type(int.class)
            .paramLabel("I")
            .required(true)
            .description(
                "Number of the state object, in the order in which the program registered them,"
                    + " from 0.")
            .build());
    export.addOption(
        OptionSpec.builder("--loop")
            .type(Long.class)
            .paramLabel("L")
            .description(
                "Number of an ended loop (default: the loop in which the generation continues).")
            .build());
    export.addOption(
        OptionSpec.builder("-o", "--output")
            .type(Path.class)
            .paramLabel("FILE")
            .required(true)
            .description("File to write, such as u.npy.")
            .build());
    self[0].addSubcommand("export", export);
    return self[0];
  }

  private interface Body {
    int run(CommandSpec command, Path directory) throws IOException, UsageException;
  }

  private static CommandSpec command(Body body, String description, boolean one) {
    CommandSpec[] self = new CommandSpec[1];
    Callable<Integer> call = () -> run(self[0], body);
    self[0] = FmiTool.command(call, description);
    self[0].addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .paramLabel("DIR")
            .arity("1")
            .type(Path.class)
            .description("Directory that was given to fmirun --l2-dir.")
            .build());
    if (one) {
      self[0].addPositional(
          PositionalParamSpec.builder()
              .index("1")
              .paramLabel("JOB/vN")
              .arity("0..1")
              .type(String.class)
              .description("Generation, as named by 'fmi ckpt list'.")
              .build());
    }
    return self[0];
  }

  private static int run(CommandSpec command, Body body) {
    Path directory = command.positionalParameters().getFirst().getValue();
    try {
      if (!Files.isDirectory(directory)) {
        throw new UsageException(
            directory
                + (Files.exists(directory) ? ": not a directory" : ": no such directory")
                + "; name the directory that was given to fmirun --l2-dir");
      }
      return body.run(command, directory);
    } catch (UsageException e) {
      System.err.println("fmi: " + e.getMessage());
      return USAGE;
    } catch (IOException e) {
      System.err.println("fmi: " + e.getMessage());
      return FAILED;
    }
  }

  // ---- actions

  private static int list(CommandSpec command, Path directory) throws IOException {
    Catalog catalog = Catalog.of(directory);
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"GENERATION", "RANKS", "LOOP", "ITERATION", "MIB", "BEGAN", "PROGRAM"});
    for (Generation each : catalog.generations()) {
      Manifest m = each.manifest();
      rows.add(
          new String[] {
            m.name(),
            Integer.toString(m.size()),
            Long.toString(m.line().loop()),
            Long.toString(m.line().iteration()) + (m.line().last() ? " (end)" : ""),
            String.format(Locale.ROOT, "%.1f", m.bytes() / 1048576.0),
            began(m),
            m.program().mainClass()
          });
    }
    if (catalog.generations().isEmpty()) {
      System.out.println("no usable generation in " + directory);
    } else {
      print(rows);
    }
    for (Path each : catalog.unfinished()) {
      System.out.println(each + ": no manifest: incomplete, or still being written");
    }
    catalog.unusable().forEach(line -> System.err.println("fmi: " + line));
    return 0;
  }

  private static String began(Manifest manifest) {
    Origin began = manifest.began();
    return began == null ? "-" : began.job() + "/v" + began.version();
  }

  private static void print(List<String[]> rows) {
    int[] widths = new int[rows.getFirst().length];
    for (String[] row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row[i]).repeat(" ", widths[i] - row[i].length() + 2);
      }
      System.out.println(line.toString().stripTrailing());
    }
  }

  private static int show(CommandSpec command, Path directory) throws IOException, UsageException {
    Catalog catalog = Catalog.of(directory);
    for (Generation each : chosen(command, catalog)) {
      Manifest m = each.manifest();
      System.out.println(m.name());
      System.out.println("  directory  " + each.directory());
      System.out.println("  ranks      " + m.size());
      System.out.println("  continues  " + text(m.line()));
      for (CheckpointId id : m.finals()) {
        System.out.println("  ended      " + text(id));
      }
      System.out.println("  started    " + began(m) + ", lineage " + m.lineage());
      System.out.println("  program    " + m.program().mainClass());
      for (Jar jar : m.program().jars()) {
        System.out.println("  jar        " + jar.name() + " " + jar.sha256());
      }
      System.out.println("  arguments  " + String.join(" ", m.program().arguments()));
      for (FileFacts file : m.files()) {
        System.out.printf(
            Locale.ROOT,
            "  file       %s %d bytes, digest %08x, ranks %s%n",
            file.name(),
            file.bytes(),
            file.digest(),
            file.ranks());
      }
    }
    catalog.unusable().forEach(line -> System.err.println("fmi: " + line));
    return 0;
  }

  private static String text(CheckpointId id) {
    return "checkpoint "
        + id.version()
        + ": loop "
        + id.loop()
        + ", iteration "
        + id.iteration()
        + (id.last() ? " (end)" : "");
  }

  private static int verify(CommandSpec command, Path directory)
      throws IOException, UsageException {
    Catalog catalog = Catalog.of(directory);
    String named = named(command);
    int status = 0;
    // If one was named, only that is reported, unless it is not listed for a reason given here.
    List<String> unusable = named == null ? catalog.unusable() : catalog.unusable(named);
    for (String line : unusable) {
      System.out.println(line);
      status = FAILED;
    }
    if (named != null && status != 0) {
      return status;
    }
    for (Generation each : chosen(command, catalog)) {
      try {
        each.verify();
        System.out.println(each.manifest().name() + ": whole");
      } catch (IOException e) {
        System.out.println(e.getMessage());
        status = FAILED;
      }
    }
    return status;
  }

  private static @Nullable String named(CommandSpec command) {
    return command.positionalParameters().get(1).getValue();
  }

  private static List<Generation> chosen(CommandSpec command, Catalog catalog)
      throws UsageException {
    String name = named(command);
    if (name == null) {
      return catalog.generations();
    }
    Generation found = catalog.find(name);
    if (found == null) {
      throw new UsageException(name + ": no such generation; 'fmi ckpt list' lists them");
    }
    return List.of(found);
  }

  private static boolean isOn(CommandSpec command, String option) {
    Boolean value = command.findOption(option).getValue();
    return value != null && value; // null if it was not given
  }

  private static int prune(CommandSpec command, Path directory) throws IOException, UsageException {
    int keep = command.findOption("--keep").getValue();
    if (keep < 1) {
      throw new UsageException(
          "--keep " + keep + ": at least one generation must stay; use 1 or more");
    }
    boolean unfinished = isOn(command, "--unfinished");
    boolean dryRun = isOn(command, "--dry-run");
    Publication files = new Publication(new PosixTarget(), directory);
    TreeSet<String> jobs = new TreeSet<>();
    Catalog catalog = Catalog.of(directory);
    catalog.generations().forEach(each -> jobs.add(each.manifest().job()));
    if (unfinished) {
      catalog
          .unfinished()
          .forEach(each -> jobs.add(each.getName(each.getNameCount() - 2).toString()));
    }
    for (String job : jobs) {
      for (Path version : files.retain(job, keep, unfinished, dryRun)) {
        System.out.println((dryRun ? "would delete " : "deleted ") + version);
      }
    }
    return 0;
  }

  private static int export(CommandSpec command, Path directory)
      throws IOException, UsageException {
    String name = named(command);
    if (name == null) {
      throw new UsageException(
          "no generation given: name one after " + directory + ", as listed by 'fmi ckpt list'");
    }
    Catalog catalog = Catalog.of(directory);
    List<String> unusable = catalog.unusable(name);
    if (!unusable.isEmpty()) {
      throw new IOException(unusable.getFirst());
    }
    int rank = command.findOption("--rank").getValue();
    int object = command.findOption("--object").getValue();
    Long loop = command.findOption("--loop").getValue();
    Path to = command.findOption("--output").getValue();
    Generation generation = chosen(command, catalog).getFirst();
    new CheckpointExport(generation, rank, Optional.ofNullable(loop)).write(object, to);
    return 0;
  }
}
