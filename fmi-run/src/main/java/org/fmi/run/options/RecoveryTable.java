package org.fmi.run.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.fmi.job.JobSpec;
import org.fmi.run.options.Settings.Value;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The effect of each combination of options: what a failure leads to, which ranks roll back and how
 * checkpoints are taken, or why the combination is refused. A test compares this table with the
 * table of {@code docs/rollback.md}.
 */
final class RecoveryTable {
  /** Flags in a text that stand for the place where the user has set them. */
  private static final Pattern ORIGIN = Pattern.compile("\\{(--[a-z0-9-]+)}");

  /** The columns that rows distinguish. */
  private enum Column {
    ON_FAILURE,
    ROLLBACK,
    CHECKPOINT,
    CHECK,
    RANKS,
    ALSO
  }

  /** One value in a column. */
  private enum Fact {
    REPLACE(Column.ON_FAILURE),
    END(Column.ON_FAILURE),
    SHRINK(Column.ON_FAILURE),

    AUTO(Column.ROLLBACK),
    GLOBAL(Column.ROLLBACK),
    LOCAL(Column.ROLLBACK),
    FLOW(Column.ROLLBACK),

    BLOCKING(Column.CHECKPOINT),
    OVERLAPPED(Column.CHECKPOINT),

    UNCHECKED(Column.CHECK),
    CHECKED(Column.CHECK),

    ONE_RANK(Column.RANKS),
    ONE_PER_NODE(Column.RANKS),
    SHARED_NODES(Column.RANKS),

    /** Given explicitly, not by default. */
    ROLLBACK_GIVEN(Column.ALSO),
    FILES(Column.ALSO),
    /** The program continues with fewer ranks if no spare is left. */
    FEWER_RANKS(Column.ALSO),
    /** The same in a job whose only node could be lost. */
    FEWER_RANKS_ON_ONE_NODE(Column.ALSO),

    // On the command line: a site's file or a variable applies only to jobs that support it.
    ROLLBACK_IN_COMMAND(Setting.ROLLBACK),
    CHECKPOINT_IN_COMMAND(Setting.CHECKPOINT),
    CHECK_IN_COMMAND(Setting.CHECK),
    LOG_LIMIT_IN_COMMAND(Setting.LOG_LIMIT),
    FLOW_LIMIT_IN_COMMAND(Setting.FLOW_LIMIT),
    RESTART_FROM_IN_COMMAND(Setting.RESTART_FROM),
    L2_EVERY_IN_COMMAND(Setting.L2_EVERY),
    L2_DIR_IN_COMMAND(Setting.L2_DIR),
    SPARES_IN_COMMAND(Setting.SPARES),
    ON_NO_SPARE_IN_COMMAND(Setting.ON_NO_SPARE),
    MAX_RECOVERIES_IN_COMMAND(Setting.MAX_RECOVERIES),
    NO_PROGRESS_IN_COMMAND(Setting.NO_PROGRESS);

    private final Column column;

    /** The setting that is given on the command line; null for another fact. */
    private final @Nullable Setting given;

    Fact(Column column) {
      this.column = column;
      this.given = null;
    }

    Fact(Setting given) {
      this.column = Column.ALSO;
      this.given = given;
    }

    /** Returns the option value for this fact. */
    private String value() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static String[] values(Column column) {
      return Arrays.stream(values())
          .filter(fact -> fact.column == column)
          .map(Fact::value)
          .toArray(String[]::new);
    }
  }

  /** The outcome of a row. The first refusal or result counts, and the first remark before it. */
  private sealed interface Outcome {
    record Refused(String text) implements Outcome {}

    record Remark(String text) implements Outcome {}

    enum Result implements Outcome {
      GLOBAL,
      LOCAL,
      FLOW_ELSE_GLOBAL,
      FLOW_ELSE_LOCAL,
      CHECKED,
      SHRINK,
      END
    }
  }

  /**
   * A row, which applies if the combination has one of these facts in each of these columns.
   *
   * @param when by column; an omitted column matches any fact
   */
  private record Row(Map<Column, Set<Fact>> when, Outcome outcome) {
    boolean fits(Set<Fact> facts) {
      return when.values().stream().allMatch(any -> any.stream().anyMatch(facts::contains));
    }
  }

  private static Row row(Outcome outcome, Fact... when) {
    return new Row(
        Arrays.stream(when)
            .collect(
                Collectors.groupingBy(
                    fact -> fact.column,
                    () -> new EnumMap<>(Column.class),
                    Collectors.toUnmodifiableSet())),
        outcome);
  }

  private static Row refuse(String text, Fact... when) {
    return row(new Outcome.Refused(text), when);
  }

  private static Row remark(String text, Fact... when) {
    return row(new Outcome.Remark(text), when);
  }

  private static final List<Row> ROWS =
      List.of(
          refuse(
              "{--rollback}: with {--on-failure} end or shrink no rank rolls back; omit one of"
                  + " them",
              Fact.END,
              Fact.SHRINK,
              Fact.GLOBAL,
              Fact.LOCAL,
              Fact.FLOW,
              Fact.ROLLBACK_IN_COMMAND),
          refuse(
              "{--log-limit}: with {--on-failure} end or shrink no rank rolls back; omit one of"
                  + " them",
              Fact.END,
              Fact.SHRINK,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--flow-limit}: with {--on-failure} end or shrink no rank rolls back; omit one of"
                  + " them",
              Fact.END,
              Fact.SHRINK,
              Fact.FLOW_LIMIT_IN_COMMAND),
          refuse(
              "{--check}: with {--on-failure} end or shrink no iteration is repeated; omit one of"
                  + " them",
              Fact.END,
              Fact.SHRINK,
              Fact.CHECKED,
              Fact.CHECK_IN_COMMAND),
          refuse(
              "{--spares}: with {--on-failure} end or shrink no lost rank is replaced; omit one of"
                  + " them",
              Fact.END,
              Fact.SHRINK,
              Fact.SPARES_IN_COMMAND),
          refuse(
              "{--on-no-spare}: with {--on-failure} end or shrink no lost rank is replaced; omit"
                  + " one of them",
              Fact.END,
              Fact.SHRINK,
              Fact.ON_NO_SPARE_IN_COMMAND),
          refuse(
              "{--max-recoveries}: with {--on-failure} end or shrink there is no recovery; omit one"
                  + " of them",
              Fact.END,
              Fact.SHRINK,
              Fact.MAX_RECOVERIES_IN_COMMAND),
          refuse(
              "{--no-progress}: with {--on-failure} end or shrink there is no recovery; omit one of"
                  + " them",
              Fact.END,
              Fact.SHRINK,
              Fact.NO_PROGRESS_IN_COMMAND),
          refuse(
              "{--checkpoint} overlapped: with {--on-failure} shrink a loop takes no checkpoints;"
                  + " omit one of them",
              Fact.SHRINK,
              Fact.OVERLAPPED,
              Fact.CHECKPOINT_IN_COMMAND),
          refuse(
              "{--restart-from}: with {--on-failure} shrink a loop takes and reads no checkpoints;"
                  + " omit one of them",
              Fact.SHRINK,
              Fact.RESTART_FROM_IN_COMMAND),
          refuse(
              "{--l2-every}: with {--on-failure} shrink a loop takes no checkpoints; omit one of"
                  + " them",
              Fact.SHRINK,
              Fact.L2_EVERY_IN_COMMAND),
          refuse(
              "{--l2-dir}: with {--on-failure} shrink a loop takes no checkpoints; omit one of"
                  + " them",
              Fact.SHRINK,
              Fact.L2_DIR_IN_COMMAND),
          row(Outcome.Result.SHRINK, Fact.SHRINK),
          remark(
              "{--checkpoint} overlapped: checkpoints that are written to files ({--l2-dir}) are"
                  + " blocking, because files hold no in-transit messages",
              Fact.END,
              Fact.OVERLAPPED,
              Fact.FILES),
          row(Outcome.Result.END, Fact.END),
          refuse(
              "{--on-no-spare} shrink: with one node none would be left; use more nodes (--ppn,"
                  + " --hosts), or omit it",
              Fact.REPLACE,
              Fact.FEWER_RANKS_ON_ONE_NODE),
          refuse(
              "{--flow-limit}: there is no flow rollback; add --rollback flow",
              Fact.GLOBAL,
              Fact.LOCAL,
              Fact.FLOW_LIMIT_IN_COMMAND),
          refuse(
              "{--flow-limit}: there is no flow rollback with {--checkpoint} overlapped; omit one"
                  + " of them",
              Fact.AUTO,
              Fact.OVERLAPPED,
              Fact.FLOW_LIMIT_IN_COMMAND),
          refuse(
              "{--checkpoint} overlapped: flow rollback needs blocking checkpoints; use --rollback"
                  + " local or global",
              Fact.FLOW,
              Fact.ONE_PER_NODE,
              Fact.SHARED_NODES,
              Fact.OVERLAPPED,
              Fact.CHECKPOINT_IN_COMMAND),
          refuse(
              "{--checkpoint} overlapped: --check needs blocking checkpoints, to repeat iterations"
                  + " of all ranks together; omit one of them",
              Fact.AUTO,
              Fact.GLOBAL,
              Fact.LOCAL,
              Fact.OVERLAPPED,
              Fact.CHECKED),
          refuse(
              "{--log-limit}: no messages are logged if ranks share nodes, or if there is one rank;"
                  + " add --rollback local, or run one rank per node (--ppn 1)",
              Fact.AUTO,
              Fact.UNCHECKED,
              Fact.ONE_RANK,
              Fact.SHARED_NODES,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--log-limit}: no messages are logged if all ranks roll back; add --rollback local",
              Fact.AUTO,
              Fact.CHECKED,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--log-limit}: no messages are logged if all ranks roll back; add --rollback local",
              Fact.GLOBAL,
              Fact.FLOW,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--rollback} local: --check repeats iterations of all ranks together; omit one of"
                  + " them",
              Fact.LOCAL,
              Fact.CHECKED),
          refuse(
              "{--rollback} flow: --check repeats iterations of all ranks together; omit one of"
                  + " them",
              Fact.FLOW,
              Fact.CHECKED),
          remark(
              "{--rollback} auto: all ranks roll back, because --check repeats iterations of all"
                  + " ranks together",
              Fact.AUTO,
              Fact.CHECKED,
              Fact.ROLLBACK_GIVEN),
          remark(
              "{--rollback} auto: all ranks roll back, except in a flowLoop, because ranks of a"
                  + " node share memory; with --rollback local they exchange messages instead",
              Fact.AUTO,
              Fact.UNCHECKED,
              Fact.SHARED_NODES,
              Fact.ROLLBACK_GIVEN),
          remark(
              "{--checkpoint} overlapped: checkpoints are blocking, because --rollback flow needs"
                  + " that",
              Fact.FLOW,
              Fact.OVERLAPPED,
              Fact.ONE_PER_NODE,
              Fact.SHARED_NODES),
          remark(
              "{--checkpoint} overlapped: checkpoints are blocking, because --on-no-spare shrink"
                  + " needs that",
              Fact.OVERLAPPED,
              Fact.FEWER_RANKS),
          remark(
              "{--checkpoint} overlapped: checkpoints that are written to files ({--l2-dir}) are"
                  + " blocking, because files hold no in-transit messages",
              Fact.OVERLAPPED,
              Fact.FILES),
          row(Outcome.Result.CHECKED, Fact.CHECKED),
          row(Outcome.Result.GLOBAL, Fact.GLOBAL),
          row(Outcome.Result.LOCAL, Fact.LOCAL),
          row(Outcome.Result.GLOBAL, Fact.ONE_RANK),
          row(Outcome.Result.FLOW_ELSE_GLOBAL, Fact.FLOW),
          row(Outcome.Result.FLOW_ELSE_LOCAL, Fact.AUTO, Fact.BLOCKING, Fact.ONE_PER_NODE),
          row(Outcome.Result.FLOW_ELSE_GLOBAL, Fact.AUTO, Fact.BLOCKING, Fact.SHARED_NODES),
          row(Outcome.Result.LOCAL, Fact.AUTO, Fact.OVERLAPPED, Fact.ONE_PER_NODE),
          row(Outcome.Result.GLOBAL, Fact.AUTO, Fact.OVERLAPPED, Fact.SHARED_NODES));

  /**
   * The chosen policy.
   *
   * @param remark for the user, before the job starts; null if the policy is just what was
   *     requested
   */
  record Chosen(RecoveryPolicy policy, @Nullable String remark) {}

  private RecoveryTable() {}

  /**
   * Finds the policy for the options of a job.
   *
   * @param files whether checkpoints are written to files
   * @throws UsageException if the combination is refused
   */
  static Chosen choose(SettingReader options, int ranks, JobSpec.Room room, boolean files)
      throws UsageException {
    Fact rollback = fact(options, Setting.ROLLBACK, Column.ROLLBACK);
    Fact checkpoint = fact(options, Setting.CHECKPOINT, Column.CHECKPOINT);
    Set<Fact> facts =
        EnumSet.of(fact(options, Setting.ON_FAILURE, Column.ON_FAILURE), rollback, checkpoint);
    facts.add(options.on(Setting.CHECK) ? Fact.CHECKED : Fact.UNCHECKED);
    facts.add(
        ranks == 1
            ? Fact.ONE_RANK
            : room.isOneRankPerNode(ranks) ? Fact.ONE_PER_NODE : Fact.SHARED_NODES);
    int flowLimit = options.whole(Setting.FLOW_LIMIT, 1, RunOptions.MAX_RANKS, ranks - 1);
    Settings settings = options.settings;
    if (settings.get(Setting.ROLLBACK) != null) {
      facts.add(Fact.ROLLBACK_GIVEN);
    }
    if (files) {
      facts.add(Fact.FILES);
    }
    boolean fewerRanks =
        room.onNoSpare() == JobSpec.OnNoSpare.SHRINK && facts.contains(Fact.REPLACE);
    if (fewerRanks) {
      facts.add(Fact.FEWER_RANKS);
      if (room.nodes().size() == 1 && isInCommand(settings, Setting.ON_NO_SPARE)) {
        facts.add(Fact.FEWER_RANKS_ON_ONE_NODE);
      }
    }
    for (Fact fact : Fact.values()) {
      if (fact.given != null && isInCommand(settings, fact.given)) {
        facts.add(fact);
      }
    }
    RecoveryPolicy.Log log =
        settings.get(Setting.LOG_LIMIT) == null
            ? new RecoveryPolicy.Log.OfState()
            : new RecoveryPolicy.Log.OfBytes(
                (long) options.whole(Setting.LOG_LIMIT, 1, 1 << 20, 1) << 20);
    boolean overlapped = checkpoint == Fact.OVERLAPPED && !fewerRanks;
    List<String> remarks = new ArrayList<>();
    for (Row row : ROWS) {
      if (row.fits(facts)) {
        switch (row.outcome) {
          case Outcome.Refused refused -> throw new UsageException(text(refused.text, settings));
          case Outcome.Remark remark -> remarks.add(text(remark.text, settings));
          case Outcome.Result result -> {
            RecoveryPolicy policy =
                switch (result) {
                  case GLOBAL -> new RecoveryPolicy.Global(overlapped, files);
                  case LOCAL -> new RecoveryPolicy.Local(log, overlapped, files);
                  case FLOW_ELSE_GLOBAL -> new RecoveryPolicy.Flow(flowLimit, null, files);
                  case FLOW_ELSE_LOCAL -> new RecoveryPolicy.Flow(flowLimit, log, files);
                  case CHECKED -> new RecoveryPolicy.Checked(files);
                  case SHRINK -> new RecoveryPolicy.Shrink();
                  case END -> new RecoveryPolicy.End(overlapped, files);
                };
            return new Chosen(policy, remarks.isEmpty() ? null : remarks.getFirst());
          }
        }
      }
    }
    throw new AssertionError("no row for " + facts);
  }

  private static Fact fact(SettingReader options, Setting setting, Column column)
      throws UsageException {
    String[] values = Fact.values(column);
    return Fact.valueOf(options.choice(setting, values[0], values).toUpperCase(Locale.ROOT));
  }

  private static boolean isInCommand(Settings settings, Setting setting) {
    Value value = settings.get(setting);
    return value != null && value.source() == 0;
  }

  /** Returns a text for the user, who may have set a flag's setting elsewhere. */
  private static String text(String text, Settings settings) {
    Matcher flags = ORIGIN.matcher(text);
    return flags.replaceAll(flag -> Matcher.quoteReplacement(origin(flag.group(1), settings)));
  }

  private static String origin(String flag, Settings settings) {
    for (Setting setting : Setting.values()) {
      Value value = settings.get(setting);
      if (setting.flag().equals(flag) && value != null) {
        return value.origin();
      }
    }
    return flag;
  }
}
