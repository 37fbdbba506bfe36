package org.fmi.job.control;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What all ranks of a job have in common, as its daemons need to know it.
 *
 * @param size the number of ranks
 * @param oneMachine whether all nodes are on one machine
 * @param mainClass the program's main class
 * @param args the program's arguments
 * @param classPath the program's class path, in order
 * @param jvmOptions options for the rank JVMs, after FMI's own
 * @param environment variables to set for the ranks
 * @param workDirectory where the ranks run
 * @param heartbeatMillis a process silent for this long is declared dead
 * @param groupLosses see {@link org.fmi.spi.RankConfig}
 * @param recordLimitBytes see {@link org.fmi.spi.RankConfig}
 * @param sendBufferBytes see {@link org.fmi.spi.RankConfig}
 * @param idleMegahertz the most that cores run at whose ranks wait in a recovery; 0 for no limit
 * @param transports see {@link org.fmi.spi.RankConfig}
 * @param policy see {@link org.fmi.spi.RankConfig}
 * @param level2 checkpoints on files
 */
public record NodeSetup(
    int size,
    boolean oneMachine,
    String mainClass,
    List<String> args,
    List<ProgramEntry> classPath,
    List<String> jvmOptions,
    Map<String, String> environment,
    String workDirectory,
    int heartbeatMillis,
    int groupLosses,
    int logRingBase,
    long recordLimitBytes,
    long sendBufferBytes,
    int idleMegahertz,
    CheckpointInterval interval,
    List<String> transports,
    RecoveryPolicy policy,
    Level2Setup level2) {

  public NodeSetup {
    args = List.copyOf(args);
    classPath = List.copyOf(classPath);
    jvmOptions = List.copyOf(jvmOptions);
    environment = Map.copyOf(environment);
    transports = List.copyOf(transports);
  }

  /** How many ranks share the machine of a node with so many ranks. */
  public int ranksOnMachine(int ranksOnNode) {
    return oneMachine ? size : ranksOnNode;
  }

  /** Names each part; those without a value of their own here must be given. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link NodeSetup} by their names. */
  public static final class Builder {
    private int size;
    private boolean oneMachine;
    private int heartbeatMillis;
    private @Nullable CheckpointInterval interval;
    private String mainClass = "";
    private List<String> args = List.of();
    private List<ProgramEntry> classPath = List.of();
    private List<String> jvmOptions = List.of();
    private Map<String, String> environment = Map.of();
    private String workDirectory = "";
    private int groupLosses = 1;
    private int logRingBase = 2;
    private long recordLimitBytes;
    private long sendBufferBytes = RankConfig.SEND_BUFFER_OF_HEAP;
    private int idleMegahertz;
    private List<String> transports = List.of();
    private RecoveryPolicy policy = RecoveryPolicy.global();
    private Level2Setup level2 = Level2Setup.NONE;

    private Builder() {}

    public Builder size(int value) {
      size = value;
      return this;
    }

    public Builder oneMachine(boolean value) {
      oneMachine = value;
      return this;
    }

    public Builder heartbeatMillis(int value) {
      heartbeatMillis = value;
      return this;
    }

    public Builder interval(CheckpointInterval value) {
      interval = value;
      return this;
    }

    public Builder mainClass(String value) {
      mainClass = value;
      return this;
    }

    public Builder args(List<String> value) {
      args = value;
      return this;
    }

    public Builder classPath(List<ProgramEntry> value) {
      classPath = value;
      return this;
    }

    public Builder jvmOptions(List<String> value) {
      jvmOptions = value;
      return this;
    }

    public Builder environment(Map<String, String> value) {
      environment = value;
      return this;
    }

    public Builder workDirectory(String value) {
      workDirectory = value;
      return this;
    }

    public Builder groupLosses(int value) {
      groupLosses = value;
      return this;
    }

    public Builder logRingBase(int value) {
      logRingBase = value;
      return this;
    }

    public Builder recordLimitBytes(long value) {
      recordLimitBytes = value;
      return this;
    }

    public Builder sendBufferBytes(long value) {
      sendBufferBytes = value;
      return this;
    }

    public Builder idleMegahertz(int value) {
      idleMegahertz = value;
      return this;
    }

    public Builder transports(List<String> value) {
      transports = value;
      return this;
    }

    public Builder policy(RecoveryPolicy value) {
      policy = value;
      return this;
    }

    public Builder level2(Level2Setup value) {
      level2 = value;
      return this;
    }

    /**
     * The setup.
     *
     * @throws NullPointerException if a part was not given, with its name
     */
    public NodeSetup build() {
      return new NodeSetup(
          size,
          oneMachine,
          mainClass,
          args,
          classPath,
          jvmOptions,
          environment,
          workDirectory,
          heartbeatMillis,
          groupLosses,
          logRingBase,
          recordLimitBytes,
          sendBufferBytes,
          idleMegahertz,
          Objects.requireNonNull(interval, "interval"),
          transports,
          policy,
          level2);
    }
  }
}
