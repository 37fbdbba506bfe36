package org.fmi.job.control;

import java.util.List;
import java.util.Map;
import org.fmi.spi.CheckpointInterval;

/**
 * What all ranks of a job have in common, as its daemons need to know it.
 *
 * @param size the number of ranks
 * @param mainClass the program's main class
 * @param args the program's arguments
 * @param classPath the program's class path, absolute
 * @param jvmOptions options for the rank JVMs, after FMI's own
 * @param environment variables to set for the ranks
 * @param workDirectory where the ranks run
 * @param heartbeatMillis a process silent for this long is declared dead
 * @param groupLosses see {@link org.fmi.spi.RankConfig}
 * @param recordLimitBytes see {@link org.fmi.spi.RankConfig}
 * @param logLimitBytes see {@link org.fmi.spi.RankConfig}
 * @param flowLimit see {@link org.fmi.spi.RankConfig}
 * @param idleMegahertz the most that cores run at whose ranks wait in a recovery; 0 for no limit
 * @param transports see {@link org.fmi.spi.RankConfig}
 * @param check see {@link org.fmi.spi.RankConfig}
 * @param overlapped see {@link org.fmi.spi.RankConfig}
 * @param level2 checkpoints on files
 */
public record NodeSetup(
    int size,
    String mainClass,
    List<String> args,
    List<String> classPath,
    List<String> jvmOptions,
    Map<String, String> environment,
    String workDirectory,
    int heartbeatMillis,
    int groupLosses,
    int logRingBase,
    long recordLimitBytes,
    long logLimitBytes,
    int flowLimit,
    int idleMegahertz,
    CheckpointInterval interval,
    List<String> transports,
    boolean check,
    boolean overlapped,
    Level2Setup level2) {

  public NodeSetup {
    args = List.copyOf(args);
    classPath = List.copyOf(classPath);
    jvmOptions = List.copyOf(jvmOptions);
    environment = Map.copyOf(environment);
    transports = List.copyOf(transports);
  }
}
