package org.fmi.job.control;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.spi.EarlierMemory;
import org.fmi.spi.JobSettings;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all ranks of a job share, for its daemons.
 *
 * @param job the settings that ranks receive
 * @param oneMachine whether all nodes are on one machine
 * @param mainClass the main class of the program
 * @param args the arguments of the program
 * @param classPath the class path of the program, in order
 * @param jvmOptions options of the rank JVMs, after FMI's own
 * @param environment variables to set for the ranks
 * @param workDirectory the working directory of the ranks
 * @param outputWindow maximum {@link FromDaemon.Output#cost} of output that fmirun has not written
 * @param idleMegahertz maximum frequency of cores whose ranks wait in a recovery; 0 for no limit
 * @param level2 checkpoints in files
 * @param earlier the memory of an earlier job that this one begins from
 */
public record NodeSetup(
    JobSettings job,
    boolean oneMachine,
    String mainClass,
    List<String> args,
    List<ProgramEntry> classPath,
    List<String> jvmOptions,
    Map<String, String> environment,
    String workDirectory,
    int outputWindow,
    int idleMegahertz,
    Level2Setup level2,
    EarlierMemory earlier) {

  public NodeSetup {
    args = List.copyOf(args);
    classPath = List.copyOf(classPath);
    jvmOptions = List.copyOf(jvmOptions);
    environment = Map.copyOf(environment);
  }

  /** Returns the number of ranks that share the machine of a node with this many ranks. */
  public int ranksOnMachine(int ranksOnNode) {
    return oneMachine ? job.size() : ranksOnNode;
  }

  /** Returns a builder; parts without a default must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a {@link NodeSetup} from named parts. */
  public static final class Builder {
    private @Nullable JobSettings job;
    private boolean oneMachine;
    private String mainClass = "";
    private List<String> args = List.of();
    private List<ProgramEntry> classPath = List.of();
    private List<String> jvmOptions = List.of();
    private Map<String, String> environment = Map.of();
    private String workDirectory = "";
    private int outputWindow;
    private int idleMegahertz;
    private Level2Setup level2 = Level2Setup.NONE;
    private EarlierMemory earlier = EarlierMemory.NONE;

    private Builder() {}

    public Builder job(JobSettings value) {
      job = value;
      return this;
    }

    public Builder oneMachine(boolean value) {
      oneMachine = value;
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

    public Builder outputWindow(int value) {
      outputWindow = value;
      return this;
    }

    public Builder idleMegahertz(int value) {
      idleMegahertz = value;
      return this;
    }

    public Builder level2(Level2Setup value) {
      level2 = value;
      return this;
    }

    public Builder earlier(EarlierMemory value) {
      earlier = value;
      return this;
    }

    /**
     * Returns the setup.
     *
     * @throws NullPointerException if a required part was not set, with its name
     */
    public NodeSetup build() {
      return new NodeSetup(
          Objects.requireNonNull(job, "job"),
          oneMachine,
          mainClass,
          args,
          classPath,
          jvmOptions,
          environment,
          workDirectory,
          outputWindow,
          idleMegahertz,
          level2,
          earlier);
    }
  }
}
