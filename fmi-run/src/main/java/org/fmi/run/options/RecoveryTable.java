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
 * What each combination of options gives: who rolls back after a failure and how checkpoints are
 * taken, or why it is refused. The table of {@code docs/rollback.md} is compared with this one.
 */
final class RecoveryTable {
  /** Flags in a text that stand for wherever the user has given that setting. */
  private static final Pattern ORIGIN = Pattern.compile("\\{(--[a-z0-9-]+)}");

  /** What the rows distinguish. */
  private enum Column {
    ROLLBACK,
    CHECKPOINT,
    CHECK,
    RANKS,
    ALSO
  }

  /** One value in a column. */
  private enum Fact {
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

    /** By name, not as the default. */
    ROLLBACK_GIVEN(Column.ALSO),
    FILES(Column.ALSO),

    // In the command: a site's file or a variable is for those jobs that can do it.
    OVERLAPPED_IN_COMMAND(Column.ALSO),
    LOG_LIMIT_IN_COMMAND(Column.ALSO),
    FLOW_LIMIT_IN_COMMAND(Column.ALSO);

    private final Column column;

    Fact(Column column) {
      this.column = column;
    }

    /** The value of an option that stands for it. */
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

  /** What a row says. The first refusal or result counts, and the first remark before it. */
  private sealed interface Outcome {
    record Refused(String text) implements Outcome {}

    record Remark(String text) implements Outcome {}

    enum Result implements Outcome {
      GLOBAL,
      LOCAL,
      FLOW_ELSE_GLOBAL,
      FLOW_ELSE_LOCAL,
      CHECKED
    }
  }

  /**
   * Applies where a combination has, of each column named, one of these facts.
   *
   * @param when by column; any will do in those that are left out
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
              "{--flow-limit}: nobody computes along a flow; add --rollback flow",
              Fact.GLOBAL,
              Fact.LOCAL,
              Fact.FLOW_LIMIT_IN_COMMAND),
          refuse(
              "{--flow-limit}: nobody computes along a flow with {--checkpoint} overlapped; leave"
                  + " one of them out",
              Fact.AUTO,
              Fact.OVERLAPPED,
              Fact.FLOW_LIMIT_IN_COMMAND),
          refuse(
              "{--checkpoint} overlapped: flows of data begin where all ranks wait for each other;"
                  + " use it with --rollback local or global",
              Fact.FLOW,
              Fact.ONE_PER_NODE,
              Fact.SHARED_NODES,
              Fact.OVERLAPPED_IN_COMMAND),
          refuse(
              "{--checkpoint} overlapped: --check repeats iterations of all ranks together, from"
                  + " where all ranks wait for each other; leave one of them out",
              Fact.AUTO,
              Fact.GLOBAL,
              Fact.LOCAL,
              Fact.OVERLAPPED,
              Fact.CHECKED),
          refuse(
              "{--log-limit}: nothing is logged where ranks share nodes, or there is one; add"
                  + " --rollback local, or place each on a node of its own (--ppn 1)",
              Fact.AUTO,
              Fact.UNCHECKED,
              Fact.ONE_RANK,
              Fact.SHARED_NODES,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--log-limit}: nothing is logged if all ranks go back; add --rollback local",
              Fact.AUTO,
              Fact.CHECKED,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--log-limit}: nothing is logged if all ranks go back; add --rollback local",
              Fact.GLOBAL,
              Fact.FLOW,
              Fact.LOG_LIMIT_IN_COMMAND),
          refuse(
              "{--rollback} local: --check repeats iterations of all ranks together; leave one of"
                  + " them out",
              Fact.LOCAL,
              Fact.CHECKED),
          refuse(
              "{--rollback} flow: --check repeats iterations of all ranks together; leave one of"
                  + " them out",
              Fact.FLOW,
              Fact.CHECKED),
          remark(
              "{--rollback} auto: all ranks go back, as --check repeats iterations of all ranks"
                  + " together",
              Fact.AUTO,
              Fact.CHECKED,
              Fact.ROLLBACK_GIVEN),
          remark(
              "{--rollback} auto: all ranks go back where a loop is no flowLoop, as ranks of a node"
                  + " share memory; with --rollback local they exchange messages instead",
              Fact.AUTO,
              Fact.UNCHECKED,
              Fact.SHARED_NODES,
              Fact.ROLLBACK_GIVEN),
          remark(
              "{--checkpoint} overlapped: ranks wait for each other at checkpoints, as flows of"
                  + " data begin there (--rollback flow)",
              Fact.FLOW,
              Fact.OVERLAPPED,
              Fact.ONE_PER_NODE,
              Fact.SHARED_NODES),
          remark(
              "{--checkpoint} overlapped: ranks wait for each other at those checkpoints that are"
                  + " written to files, which hold no messages that cross them ({--l2-dir})",
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
   * What a job does.
   *
   * @param remark for the user, before the job begins; null if it is just what was asked for
   */
  record Chosen(RecoveryPolicy policy, @Nullable String remark) {}

  private RecoveryTable() {}

  /**
   * Finds out what the options of a job give together.
   *
   * @param files whether checkpoints are written to files
   * @throws UsageException if that is refused
   */
  static Chosen choose(SettingReader options, int ranks, JobSpec.Room room, boolean files)
      throws UsageException {
    Fact rollback = fact(options, Setting.ROLLBACK, Column.ROLLBACK);
    Fact checkpoint = fact(options, Setting.CHECKPOINT, Column.CHECKPOINT);
    Set<Fact> facts = EnumSet.of(rollback, checkpoint);
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
    if (checkpoint == Fact.OVERLAPPED && isInCommand(settings, Setting.CHECKPOINT)) {
      facts.add(Fact.OVERLAPPED_IN_COMMAND);
    }
    if (isInCommand(settings, Setting.LOG_LIMIT)) {
      facts.add(Fact.LOG_LIMIT_IN_COMMAND);
    }
    if (isInCommand(settings, Setting.FLOW_LIMIT)) {
      facts.add(Fact.FLOW_LIMIT_IN_COMMAND);
    }
    RecoveryPolicy.Log log =
        settings.get(Setting.LOG_LIMIT) == null
            ? new RecoveryPolicy.Log.OfState()
            : new RecoveryPolicy.Log.OfBytes(
                (long) options.whole(Setting.LOG_LIMIT, 1, 1 << 20, 1) << 20);
    boolean overlapped = checkpoint == Fact.OVERLAPPED;
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

  /** A text for the user, who may have given a setting otherwise than by its flag. */
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
