package org.fmi.job.control;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.spi.JobSettings;
import org.jspecify.annotations.Nullable;

/**
 * What all ranks of a job have in common, as its daemons need to know it.
 *
 * @param job what the ranks are given of it
 * @param oneMachine whether all nodes are on one machine
 * @param mainClass the program's main class
 * @param args the program's arguments
 * @param classPath the program's class path, in order
 * @param jvmOptions options for the rank JVMs, after FMI's own
 * @param environment variables to set for the ranks
 * @param workDirectory where the ranks run
 * @param idleMegahertz the most that cores run at whose ranks wait in a recovery; 0 for no limit
 * @param level2 checkpoints on files
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
    int idleMegahertz,
    Level2Setup level2) {

  public NodeSetup {
    args = List.copyOf(args);
    classPath = List.copyOf(classPath);
    jvmOptions = List.copyOf(jvmOptions);
    environment = Map.copyOf(environment);
  }

  /** How many ranks share the machine of a node with so many ranks. */
  public int ranksOnMachine(int ranksOnNode) {
    return oneMachine ? job.size() : ranksOnNode;
  }

  /** Names each part; those without a value of their own here must be given. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link NodeSetup} by their names. */
  public static final class Builder {
    private @Nullable JobSettings job;
    private boolean oneMachine;
    private String mainClass = "";
    private List<String> args = List.of();
    private List<ProgramEntry> classPath = List.of();
    private List<String> jvmOptions = List.of();
    private Map<String, String> environment = Map.of();
    private String workDirectory = "";
    private int idleMegahertz;
    private Level2Setup level2 = Level2Setup.NONE;

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

    public Builder idleMegahertz(int value) {
      idleMegahertz = value;
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
          Objects.requireNonNull(job, "job"),
          oneMachine,
          mainClass,
          args,
          classPath,
          jvmOptions,
          environment,
          workDirectory,
          idleMegahertz,
          level2);
    }
  }
}
