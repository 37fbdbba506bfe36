package org.fmi.run.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.fmi.run.docs.Markdown;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What options of recovery give together is what the table of docs/rollback.md says. */
final class RecoveryTableTest {
  private static final String REFUSED = "refused: ";
  private static final String PRINTED = "prints: ";

  /** Options that contradict what no longer replaces ranks. */
  private static final List<List<String>> OTHERS =
      List.of(
          List.of("--spares", "1"),
          List.of("--on-no-spare", "wait"),
          List.of("--max-recoveries", "3"),
          List.of("--no-progress", "3"),
          List.of("--restart-from", "latest", "--l2-dir", "ckpt"),
          List.of("--l2-dir", "ckpt", "--l2-every", "5"),
          List.of("--l2-dir", "ckpt"));

  @TempDir private Path directory;

  private final List<List<String>> rows =
      Markdown.of("docs/rollback.md")
          .table(
              "`--on-failure`",
              "`--rollback`",
              "`--checkpoint`",
              "`--check`",
              "ranks",
              "and",
              "gives");

  @BeforeEach
  void program() throws IOException {
    Files.createDirectories(directory.resolve("classes/org/example"));
    Files.createFile(directory.resolve("classes/org/example/App.class"));
  }

  /**
   * Options on the command line and in the environment.
   *
   * @param cells what a row of the document may ask for, by column
   */
  private record Combination(List<String> command, Map<String, String> site, List<String> cells) {
    boolean fits(List<String> row) {
      for (int column = 0; column < cells.size(); column++) {
        List<String> asked = List.of(row.get(column).split(", "));
        Set<String> has = Set.of(cells.get(column).split(", "));
        if (!row.get(column).isEmpty() && asked.stream().noneMatch(has::contains)) {
          return false;
        }
      }
      return true;
    }
  }

  /** What becomes of options. */
  private record Result(@Nullable String printed, String gives) {}

  private static List<Combination> all() {
    List<Combination> all = new ArrayList<>();
    for (String rollback : List.of("", "auto", "global", "local", "flow")) {
      for (String checkpoint : List.of("", "blocking", "overlapped", "site")) {
        for (String check : List.of("off", "on")) {
          for (String ranks : List.of("one", "one per node", "share nodes")) {
            for (int limits = 0; limits < 8; limits++) {
              all.add(combination("", rollback, checkpoint, check, ranks, limits, List.of()));
            }
            all.add(
                combination(
                    "", rollback, checkpoint, check, ranks, 0, List.of("--on-no-spare", "shrink")));
            for (String onFailure : List.of("end", "shrink")) {
              for (int limits = 0; limits < 8; limits++) {
                all.add(
                    combination(onFailure, rollback, checkpoint, check, ranks, limits, List.of()));
              }
              for (List<String> other : OTHERS) {
                all.add(combination(onFailure, rollback, checkpoint, check, ranks, 0, other));
              }
            }
          }
        }
      }
    }
    return all;
  }

  private static Combination combination(
      String onFailure,
      String rollback,
      String checkpoint,
      String check,
      String ranks,
      int limits,
      List<String> other) {
    List<String> command = new ArrayList<>(other);
    Map<String, String> site = new TreeMap<>();
    List<String> and = new ArrayList<>();
    for (String word : other) {
      if (word.startsWith("--")) {
        and.add("`" + word + "` in the command");
      }
    }
    if (other.contains("shrink")) {
      and.add("`--on-no-spare shrink`" + (ranks.equals("one per node") ? "" : " on one node"));
    }
    if (other.contains("--l2-dir")) {
      site.put("FMI_L2_EVERY", "7");
      and.add("`--l2-every`");
    }
    if (!onFailure.isEmpty()) {
      command.addAll(List.of("--on-failure", onFailure));
    }
    command.addAll(
        switch (ranks) {
          case "one" -> List.of("-n", "1");
          case "one per node" -> List.of("-n", "3", "--ppn", "1");
          default -> List.of("-n", "3");
        });
    if (!rollback.isEmpty()) {
      command.addAll(List.of("--rollback", rollback));
      and.add("`--rollback` is given");
      and.add("`--rollback` in the command");
    }
    if (checkpoint.equals("site")) {
      site.put("FMI_CHECKPOINT", "overlapped");
    } else if (!checkpoint.isEmpty()) {
      command.addAll(List.of("--checkpoint", checkpoint));
      and.add("`--checkpoint` in the command");
    }
    if (check.equals("on")) {
      command.add("--check");
      and.add("`--check` in the command");
    }
    if ((limits & 1) != 0) {
      command.addAll(List.of("--log-limit", "8"));
      and.add("`--log-limit` in the command");
    }
    if ((limits & 2) != 0) {
      command.addAll(List.of("--flow-limit", "1"));
      and.add("`--flow-limit` in the command");
    }
    if ((limits & 4) != 0) {
      command.addAll(List.of("--l2-dir", "ckpt", "--l2-every", "5"));
      and.add("`--l2-every`");
      and.add("`--l2-every` in the command");
      and.add("`--l2-dir` in the command");
    }
    command.addAll(List.of("-cp", "classes", "org.example.App"));
    String taken = checkpoint.equals("site") ? "overlapped" : checkpoint;
    return new Combination(
        command,
        site,
        List.of(
            "`" + (onFailure.isEmpty() ? "replace" : onFailure) + "`",
            "`" + (rollback.isEmpty() ? "auto" : rollback) + "`",
            "`" + (taken.isEmpty() ? "blocking" : taken) + "`",
            check,
            ranks,
            String.join(", ", and)));
  }

  private Result inDocument(Combination options) {
    String printed = null;
    for (List<String> row : rows) {
      String gives = row.getLast();
      if (!options.fits(row)) {
        continue;
      }
      if (gives.startsWith(REFUSED)) {
        return new Result(null, gives);
      }
      if (!gives.startsWith(PRINTED)) {
        return new Result(printed, gives);
      }
      if (printed == null) {
        printed = gives.substring(PRINTED.length());
      }
    }
    throw new AssertionError("no row for " + options);
  }

  private Result inTruth(Combination options) {
    RunOptions read;
    try {
      Settings settings =
          Settings.read(options.command, options.site, directory.resolve("fmi.conf"));
      read = RunOptions.of(settings, options.site, directory, _ -> true);
    } catch (UsageException e) {
      return new Result(null, REFUSED + byFlag(String.valueOf(e.getMessage())));
    }
    RecoveryPolicy policy = read.spec().recovery().policy();
    String who =
        switch (policy) {
          case RecoveryPolicy.Global _ -> "`global`";
          case RecoveryPolicy.Local _ -> "`local`";
          case RecoveryPolicy.Flow flow ->
              "`flow` in a `flowLoop`, else `" + (flow.log() == null ? "global" : "local") + "`";
          case RecoveryPolicy.Checked _ -> "`global`, and iterations are repeated";
          case RecoveryPolicy.Shrink _ ->
              "[`shrink`](failures.md#losing-ranks-for-good): lost ranks stay lost, and a loop"
                  + " takes no checkpoints";
          case RecoveryPolicy.End _ -> "the first loss ends the job";
        };
    boolean mayOverlap =
        policy instanceof RecoveryPolicy.Global
            || policy instanceof RecoveryPolicy.Local
            || policy instanceof RecoveryPolicy.End;
    boolean wanted = options.cells.get(2).equals("`overlapped`");
    boolean fewer =
        options.cells.getFirst().equals("`replace`") && options.command.contains("shrink");
    assertThat(policy.overlapped()).as("%s", options).isEqualTo(wanted && mayOverlap && !fewer);
    assertThat(policy.files()).isEqualTo(options.command.contains("--l2-dir"));
    String remark = read.remark();
    return new Result(
        remark == null ? null : byFlag(remark),
        mayOverlap || policy instanceof RecoveryPolicy.Shrink ? who : who + "; `blocking`");
  }

  private static String byFlag(String message) {
    return message.replace("FMI_CHECKPOINT", "--checkpoint");
  }

  @Test
  void eachCombinationOfOptionsGivesWhatTheDocumentSays() {
    for (Combination options : all()) {
      assertThat(inTruth(options)).as("%s", options).isEqualTo(inDocument(options));
    }
  }

  @Test
  void eachRowOfTheDocumentIsTheFirstForSomeOptions() {
    Set<String> gives = new TreeSet<>();
    for (Combination options : all()) {
      Result result = inDocument(options);
      gives.add(result.gives);
      if (result.printed != null) {
        gives.add(PRINTED + result.printed);
      }
    }
    assertThat(rows.stream().map(List::getLast).toList()).allMatch(gives::contains);
  }

  /** The help of {@code --rollback} says what is done by default. */
  @Test
  void theHelpSaysWhatIsDoneByDefault() {
    String apart = inDocument(combination("", "", "", "off", "one per node", 0, List.of())).gives;
    String shared = inDocument(combination("", "", "", "off", "share nodes", 0, List.of())).gives;
    String alone = inDocument(combination("", "", "", "off", "one", 0, List.of())).gives;
    assertThat(apart).isEqualTo("`flow` in a `flowLoop`, else `local`; `blocking`");
    assertThat(shared).isEqualTo("`flow` in a `flowLoop`, else `global`; `blocking`");
    assertThat(alone).isEqualTo("`global`");
    assertThat(Setting.ROLLBACK.meaning())
        .contains("global (", "local (", "flow (")
        .endsWith(
            "auto (default): flow in a flowLoop, else local if each rank has a dedicated node, else"
                + " global");
    assertThat(Setting.CHECKPOINT.meaning()).contains("blocking (", "overlapped (");
  }
}
