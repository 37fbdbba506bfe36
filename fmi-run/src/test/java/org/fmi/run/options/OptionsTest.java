package org.fmi.run.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec;
import org.fmi.job.JobSpec.Node;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Detection;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.IntervalModel;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.spi.RecoveryPolicy.Checked;
import org.fmi.spi.RecoveryPolicy.Flow;
import org.fmi.spi.RecoveryPolicy.Global;
import org.fmi.spi.RecoveryPolicy.Local;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the user types, sets and writes into files, and what becomes of it. */
final class OptionsTest {
  private static final RecoveryPolicy.Log OF_STATE = new RecoveryPolicy.Log.OfState();

  @TempDir private Path directory;
  private final Map<String, String> environment = new TreeMap<>();

  @Test
  void anOptionForOneRankIsNotForTheOthers() throws UsageException {
    RunOptions.Processes processes =
        options("-n 2 -J -Xmx1g -J 1:-Xint -J 1:-Da=0:1 app.jar").processes();
    assertThat(processes.jvmOptions()).containsExactly("-Xmx1g");
    assertThat(processes.jvmOptionsOf()).isEqualTo(Map.of(1, List.of("-Xint", "-Da=0:1")));
    assertThat(refusal("-n 2 -J 2:-Xint app.jar"))
        .isEqualTo("-J 2:-Xint: no such rank; ranks are numbered from 0 to 1");
  }

  /** As for java. */
  @Test
  void aWildcardLeavesOutLinksThatLeadNowhere() throws Exception {
    Files.createDirectories(directory.resolve("lib"));
    Files.createSymbolicLink(directory.resolve("lib/gone.jar"), Path.of("nowhere.jar"));
    Files.createSymbolicLink(directory.resolve("lib/there.jar"), directory.resolve("app.jar"));
    assertThat(options("-n 1 -cp classes:lib/* org.example.App").program().classPath())
        .containsExactly(
            directory.resolve("classes").toString(), directory.resolve("lib/there.jar").toString());
  }

  /** The system goes through links one by one; so must a path. */
  @Test
  void aPathThroughALink() throws UsageException, IOException {
    Path real = Files.createDirectories(directory.resolve("elsewhere/work"));
    Files.copy(directory.resolve("app.jar"), directory.resolve("elsewhere/other.jar"));
    Files.createSymbolicLink(directory.resolve("link"), real);
    String jar = options("-n 1 link/../other.jar").program().classPath().getFirst();
    assertThat(Path.of(jar)).isRegularFile();
    Files.move(directory.resolve("classes"), directory.resolve("elsewhere/classes"));
    RunOptions options = options("-n 1 -cp link/../classes org.example.App");
    assertThat(Path.of(options.program().classPath().getFirst())).isDirectory();
  }

  /** Tools make such jars where a class path would be too long. */
  @Test
  void aClassThatAJarLeadsTo() throws UsageException, IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "classes/");
    try (OutputStream out = Files.newOutputStream(directory.resolve("path.jar"))) {
      new JarOutputStream(out, manifest).close();
    }
    assertThat(options("-n 1 -cp path.jar org.example.App").program().mainClass())
        .isEqualTo("org.example.App");
  }

  @BeforeEach
  void files() throws IOException {
    writeJar("app.jar", "org.example.App");
    writeJar("plain.jar", null);
    Files.createDirectories(directory.resolve("a:b"));
    writeJar("a:b/app.jar", "org.example.App");
    Files.writeString(directory.resolve("text.jar"), "no zip");
    Files.createDirectories(directory.resolve("classes/org/example"));
    Files.createFile(directory.resolve("classes/org/example/App.class"));
    Files.writeString(
        directory.resolve("hosts"),
        """
        # the cluster
        h1 slots=2   # a comment
        h2:2

        h3 slots=4 spare
        h4
        """);
    Files.writeString(directory.resolve("twice"), "h1\nh2\nh1 slots=2\n");
    Files.writeString(directory.resolve("badword"), "h1\nh2 slot=2\n");
    Files.writeString(directory.resolve("badslots"), "h1 slots=0\n");
    Files.writeString(directory.resolve("badname"), "-oProxyCommand=evil slots=2\n");
    Files.writeString(directory.resolve("onlyspares"), "h1 slots=4 spare\n");
    Files.writeString(directory.resolve("unknown"), "h1 slots=4\nnowhere\n");
    Files.writeString(directory.resolve("empty"), "# nobody\n");
  }

  private void writeJar(String name, @Nullable String mainClass) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (mainClass != null) {
      manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
    }
    try (OutputStream out = Files.newOutputStream(directory.resolve(name))) {
      new JarOutputStream(out, manifest).close();
    }
  }

  private Settings settings(String line) throws UsageException {
    List<String> words = line.isEmpty() ? List.of() : Arrays.asList(line.strip().split("\\s+"));
    return Settings.read(words, environment, directory.resolve("fmi.conf"));
  }

  private @Nullable String remark(String line) throws UsageException {
    return options(line).remark();
  }

  private RunOptions options(String line) throws UsageException {
    Settings settings = settings(line);
    return RunOptions.of(settings, environment, directory, host -> !host.equals("nowhere"));
  }

  private void configuration(String text) throws IOException {
    Files.writeString(directory.resolve("fmi.conf"), text);
  }

  private String refusal(String line) {
    UsageException e = catchThrowableOfType(UsageException.class, () -> options(line));
    assertThat(e).as(line).isNotNull();
    assertThat(e.getMessage()).as(line).isNotBlank().doesNotContain("\n");
    return String.valueOf(e.getMessage());
  }

  // ---- metrics

  @Test
  void metricsAreForThisMachineUnlessAHostIsGiven() throws UsageException {
    assertThat(options("-n 1 app.jar").metrics().isEmpty()).isTrue();
    InetSocketAddress here =
        Objects.requireNonNull(options("-n 1 --metrics-port 9400 app.jar").metrics().listenAt());
    assertThat(here.getAddress().isLoopbackAddress()).isTrue();
    assertThat(here.getPort()).isEqualTo(9400);
    InetSocketAddress all =
        Objects.requireNonNull(
            options("-n 1 --metrics-port 0.0.0.0:0 app.jar").metrics().listenAt());
    assertThat(all.getAddress().isAnyLocalAddress()).isTrue();
    assertThat(options("-n 1 --metrics-otlp http://c:4318/v1/metrics app.jar").metrics().pushTo())
        .isEqualTo(URI.create("http://c:4318/v1/metrics"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"65536", "-1", "x", "host:", ":9400"})
  void noPortOfMetrics(String text) {
    assertThat(refusal("-n 1 --metrics-port " + text + " app.jar"))
        .startsWith("--metrics-port " + text + ": not a port from 0 to 65535; write 9400");
  }

  @ParameterizedTest
  @ValueSource(strings = {"collector:4318", "ftp://c/", "http:///v1", "http://a b"})
  void noUrlOfMetrics(String text) {
    environment.put("FMI_METRICS_OTLP", text);
    assertThat(refusal("-n 1 app.jar"))
        .startsWith("FMI_METRICS_OTLP " + text + ": not the URL of a receiver; write it as http:");
  }

  @Test
  void anUnknownHostOfMetrics() {
    assertThat(refusal("-n 1 --metrics-port none.invalid:9400 app.jar"))
        .isEqualTo(
            "--metrics-port none.invalid:9400: unknown host none.invalid; name an address of this"
                + " machine");
  }

  @Test
  void rollbackOptionsThatMakeNoSenseTogether() {
    assertThat(refusal("-n 2 --log-limit 8 app.jar"))
        .isEqualTo(
            "--log-limit: no messages are logged if ranks share nodes, or if there is one rank; add"
                + " --rollback local, or run one rank per node (--ppn 1)");
    assertThat(refusal("-n 2 --ppn 1 --rollback global --log-limit 8 app.jar"))
        .isEqualTo(
            "--log-limit: no messages are logged if all ranks roll back; add --rollback local");
    assertThat(refusal("-n 2 --ppn 1 --check --log-limit 8 app.jar"))
        .isEqualTo(
            "--log-limit: no messages are logged if all ranks roll back; add --rollback local");
    assertThat(refusal("-n 2 --rollback local --check app.jar"))
        .isEqualTo(
            "--rollback local: --check repeats iterations of all ranks together; omit one of them");
    assertThat(refusal("-n 2 --rollback some app.jar"))
        .startsWith("--rollback some: not one of auto, global, local, flow");
    assertThat(refusal("-n 2 --rollback local --flow-limit 1 app.jar"))
        .isEqualTo("--flow-limit: there is no flow rollback; add --rollback flow");
    assertThat(refusal("-n 8 --rollback auto --checkpoint overlapped --flow-limit 3 app.jar"))
        .isEqualTo(
            "--flow-limit: there is no flow rollback with --checkpoint overlapped; omit one of"
                + " them");
    assertThat(refusal("-n 2 --rollback flow --check app.jar"))
        .isEqualTo(
            "--rollback flow: --check repeats iterations of all ranks together; omit one of them");
    assertThat(refusal("-n 2 --rollback flow --log-limit 8 app.jar"))
        .isEqualTo(
            "--log-limit: no messages are logged if all ranks roll back; add --rollback local");
    assertThat(refusal("-n 2 --rollback local --log-limit 0 app.jar"))
        .startsWith("--log-limit 0: not a whole number from 1 to");
  }

  @Test
  void howFastIdleCoresRun() throws UsageException {
    assertThat(options("-n 2 app.jar").processes().idleMegahertz()).isZero();
    assertThat(options("-n 2 --idle-frequency off app.jar").processes().idleMegahertz()).isZero();
    assertThat(options("-n 2 --idle-frequency min app.jar").processes().idleMegahertz())
        .isEqualTo(1);
    assertThat(options("-n 2 --idle-frequency 1200 app.jar").processes().idleMegahertz())
        .isEqualTo(1200);
    assertThat(refusal("-n 2 --idle-frequency 1.2GHz app.jar"))
        .isEqualTo(
            "--idle-frequency 1.2GHz: not off, min, or a whole number of MHz from 1 to"
                + " 100000");
    assertThat(refusal("-n 2 --idle-frequency min --bind none app.jar"))
        .isEqualTo(
            "--idle-frequency: ranks that are not bound do not own cores; use --bind" + " core");
  }

  @Test
  void checkpointOptionsThatMakeNoSenseTogether() {
    assertThat(refusal("-n 2 --checkpoint late app.jar"))
        .startsWith("--checkpoint late: not one of blocking, overlapped");
    assertThat(refusal("-n 2 --checkpoint overlapped --rollback flow app.jar"))
        .startsWith("--checkpoint overlapped: flow rollback needs blocking checkpoints")
        .endsWith("use --rollback local or global");
    assertThat(refusal("-n 2 --checkpoint overlapped --check app.jar"))
        .startsWith("--checkpoint overlapped: --check needs blocking checkpoints");
  }

  // ---- what works

  private RecoveryPolicy policy(String line) throws UsageException {
    return options(line + " app.jar").spec().recovery().policy();
  }

  @Test
  void howManyRanksMayComputeAgain() throws UsageException {
    assertThat(policy("-n 8")).isEqualTo(new Flow(7, null, false));
    assertThat(policy("-n 8 --ppn 1")).isEqualTo(new Flow(7, OF_STATE, false));
    assertThat(policy("-n 8 --rollback flow")).isEqualTo(new Flow(7, null, false));
    assertThat(policy("-n 8 --rollback auto --flow-limit 3")).isEqualTo(new Flow(3, null, false));
    assertThat(policy("-n 1")).isEqualTo(RecoveryPolicy.global());
    assertThat(policy("-n 1 --rollback flow")).isEqualTo(RecoveryPolicy.global());
    environment.put("FMI_FLOW_LIMIT", "2");
    assertThat(policy("-n 8")).isEqualTo(new Flow(2, null, false));
    assertThat(policy("-n 8 --rollback global")).isEqualTo(RecoveryPolicy.global());
  }

  @Test
  void whetherRanksWaitAtCheckpoints() throws UsageException {
    String overlapped = " --checkpoint overlapped";
    String files = " --l2-dir ckpt --l2-every 5";
    assertThat(policy("-n 2" + overlapped)).isEqualTo(new Global(true, false));
    assertThat(policy("-n 2" + overlapped + files)).isEqualTo(new Global(true, true));
    assertThat(policy("-n 2 --l2-dir ckpt --l2-every auto")).isEqualTo(new Flow(1, null, true));
    assertThat(policy("-n 2 --rollback local" + overlapped + files))
        .isEqualTo(new Local(OF_STATE, true, true));
    for (String mode : List.of("", " --rollback local", " --rollback auto")) {
      assertThat(policy("-n 2 --ppn 1" + overlapped + mode))
          .isEqualTo(new Local(OF_STATE, true, false));
    }
  }

  @Test
  void aSiteWhoseRanksDoNotWaitAtCheckpoints() throws IOException, UsageException {
    String why = " overlapped: checkpoints are blocking, because --rollback flow needs that";
    environment.put("FMI_CHECKPOINT", "overlapped");
    assertThat(policy("-n 2 --rollback flow")).isEqualTo(new Flow(1, null, false));
    assertThat(remark("-n 2 --rollback flow app.jar")).isEqualTo("FMI_CHECKPOINT" + why);
    assertThat(policy("-n 2 --rollback local")).isEqualTo(new Local(OF_STATE, true, false));
    assertThat(remark("-n 2 --rollback local app.jar")).isNull();
    assertThat(remark("-n 2 --rollback flow --checkpoint blocking app.jar")).isNull();

    environment.remove("FMI_CHECKPOINT");
    configuration("checkpoint = overlapped\n");
    assertThat(policy("-n 2 --rollback flow")).isEqualTo(new Flow(1, null, false));
    assertThat(remark("-n 2 --rollback flow app.jar"))
        .isEqualTo(directory.resolve("fmi.conf") + ":1: checkpoint" + why);
  }

  @Test
  void whoGoesBack() throws UsageException {
    for (String mode : List.of("", "--rollback auto ")) {
      assertThat(policy(mode + "-n 2").log()).isNull();
      assertThat(policy(mode + "-n 1").log()).isNull();
      assertThat(policy(mode + "-n 1 --ppn 1").log()).isNull();
      assertThat(policy(mode + "-n 3 --hosts a:2,b:2 --prefix /opt/fmi").log()).isNull();
      assertThat(policy(mode + "-n 2 --hosts a,b --prefix /opt/fmi").log()).isEqualTo(OF_STATE);
      assertThat(policy(mode + "-n 2 --ppn 1").log()).isEqualTo(OF_STATE);
      assertThat(policy(mode + "-n 2 --ppn 1 --check")).isEqualTo(new Checked(false));
    }
    assertThat(policy("--rollback global -n 2 --ppn 1")).isEqualTo(RecoveryPolicy.global());
    assertThat(policy("--rollback local -n 2")).isEqualTo(new Local(OF_STATE, false, false));
    environment.put("FMI_LOG_LIMIT", "8");
    RecoveryPolicy.Log given = new RecoveryPolicy.Log.OfBytes(8 << 20);
    assertThat(policy("-n 2").log()).isNull();
    assertThat(policy("-n 2 --ppn 1").log()).isEqualTo(given);
    assertThat(policy("--rollback local -n 2").log()).isEqualTo(given);
  }

  @Test
  void whatAutoMeansIsSaidToThoseWhoAskForIt() throws UsageException {
    assertThat(remark("-n 2 app.jar")).isNull();
    assertThat(remark("-n 2 --check app.jar")).isNull();
    assertThat(remark("-n 2 --ppn 1 --rollback auto app.jar")).isNull();
    assertThat(remark("-n 1 --rollback auto app.jar")).isNull();
    assertThat(remark("-n 2 --rollback auto app.jar"))
        .startsWith("--rollback auto: all ranks roll back, except in a flowLoop, because ranks");
    assertThat(remark("-n 2 --ppn 1 --rollback auto --check app.jar"))
        .startsWith("--rollback auto: all ranks roll back, because --check");
  }

  @Test
  void aJarWithItsArguments() throws UsageException {
    RunOptions options = options("-n 4 app.jar --grid XS -n 7");
    assertThat(options.program())
        .isEqualTo(
            new Program(
                List.of(directory.resolve("app.jar").toString()),
                "org.example.App",
                List.of("--grid", "XS", "-n", "7")));
    assertThat(options.spec())
        .isEqualTo(
            new JobSpec(
                4,
                new JobSpec.Room(List.of(new Node("node0", 4, false)), 0, OnNoSpare.SHARE),
                new JobSpec.Grouping(16, 1),
                new JobSpec.Recovery(Integer.MAX_VALUE, 5, new Flow(3, null, false)),
                List.of()));
    assertThat(options.where().isLocal()).isTrue();
    assertThat(options.processes().bind()).isTrue();
    assertThat(options.job().transports()).isEmpty();
    assertThat(options.job().interval()).isEqualTo(new CheckpointInterval.Mtbf(3600));
    assertThat(options.job().heartbeatMillis()).isEqualTo(5000);
    assertThat(options.patience().startMillis()).isEqualTo(60_000);
    assertThat(options("-n 4 --heartbeat 90 app.jar").patience().startMillis())
        .as("as long as silence may last")
        .isEqualTo(90_000);
    assertThat(options.job().logRingBase()).isEqualTo(2);
    assertThat(options.job().detection()).isEqualTo(Detection.byLogRing(5000));
    assertThat(options.job().sendBufferBytes()).isEqualTo(JobSettings.SEND_BUFFER_OF_HEAP);
    assertThat(options.output().verbosity()).isEqualTo(Verbosity.NORMAL);
  }

  /** An argument that begins with @ is not replaced by what is in a file of that name. */
  @Test
  void argumentsThatNameAFile() throws IOException, UsageException {
    String file = "@" + Files.writeString(directory.resolve("params"), "--grid XS");
    RunOptions options = options("-n 1 -J " + file + " app.jar " + file + " @" + file);
    assertThat(options.processes().jvmOptions()).containsExactly(file);
    assertThat(options.program().args()).containsExactly(file, "@" + file);
  }

  /** Where a link leads on another host is not known here. */
  @Test
  void theDirectoryIsNamedAsTheUserNamesIt() throws IOException {
    Path classes = directory.resolve("classes");
    Path link = Files.createSymbolicLink(directory.resolve("link"), classes);
    assertThat(RunOptions.asNamed(classes, Map.of("PWD", link.toString()))).isEqualTo(link);
    for (String other : List.of("", ".", directory.toString(), directory + "/none")) {
      assertThat(RunOptions.asNamed(classes, Map.of("PWD", other))).isEqualTo(classes);
    }
    assertThat(RunOptions.asNamed(classes, Map.of())).isEqualTo(classes);
  }

  @Test
  void aClassOnAPath() throws UsageException {
    assertThat(options("-n 1 -cp classes:app.jar org.example.App x").program())
        .isEqualTo(
            new Program(
                List.of(
                    directory.resolve("classes").toString(),
                    directory.resolve("app.jar").toString()),
                "org.example.App",
                List.of("x")));
  }

  @Test
  void localNodes() throws UsageException {
    assertThat(options("-n 5 --ppn 2 --spares 1 app.jar").spec().nodes())
        .containsExactly(
            new Node("node0", 2, false),
            new Node("node1", 2, false),
            new Node("node2", 2, false),
            new Node("node3", 2, true));
  }

  @Test
  void hostsOnTheCommandLine() throws UsageException {
    RunOptions options = options("-n 3 --hosts a,b:2,user@c,[fe80::1]:4 app.jar");
    assertThat(options.where().isLocal()).isFalse();
    assertThat(options.spec().nodes())
        .containsExactly(
            new Node("a", 1, false),
            new Node("b", 2, false),
            new Node("user@c", 1, false),
            new Node("fe80::1", 4, false));
  }

  @Test
  void aHostFile() throws UsageException {
    assertThat(options("-n 5 --hostfile hosts app.jar").spec().nodes())
        .containsExactly(
            new Node("h1", 2, false),
            new Node("h2", 2, false),
            new Node("h3", 4, true),
            new Node("h4", 1, false));
  }

  @Test
  void ranksPerNodeAreTheSlotsOfHostsWithoutAny() throws UsageException {
    assertThat(options("-n 6 --ppn 2 --hosts a,b,c,d app.jar").spec().nodes())
        .extracting(Node::slots)
        .containsExactly(2, 2, 2, 2);
  }

  @Test
  void failuresToInject() throws UsageException {
    assertThat(
            options("-n 4 --ppn 2 --kill rank3@40 --kill node1@50:encode app.jar").spec().faults())
        .containsExactly(
            new FaultSpec(false, 3, false, FaultPoint.ITERATION, 40),
            new FaultSpec(true, 1, false, FaultPoint.ENCODE, 50));
    environment.put("FMI_KILL", "rank2@rebuild, node1@close,daemon0@30");
    assertThat(options("-n 4 --ppn 2 app.jar").spec().faults())
        .containsExactly(
            new FaultSpec(false, 2, false, FaultPoint.REBUILD, -1),
            new FaultSpec(true, 1, false, FaultPoint.CLOSE, -1),
            new FaultSpec(true, 0, true, FaultPoint.ITERATION, 30));
  }

  /** As of {@code -J "$OPTIONS"} where it is not set. */
  @Test
  void anEmptyJvmOptionIsNone() throws UsageException {
    environment.put("FMI_JVM_OPTIONS", " ");
    assertThat(options("-n 1 app.jar").processes().jvmOptions()).isEmpty();
    List<String> words = List.of("-n", "1", "-J", "", "app.jar");
    Settings settings = Settings.read(words, environment, directory.resolve("fmi.conf"));
    assertThat(RunOptions.of(settings, environment, directory, _ -> true).processes().jvmOptions())
        .isEmpty();
  }

  @Test
  void allTheRest() throws UsageException {
    environment.put("HERE", "now");
    RunOptions options =
        options(
            "-n 2 --transport tcp --group-size 4 --group-losses 0 --interval 10 --on-no-spare wait"
                + " --max-recoveries 3 --no-progress 4 --events e.jsonl --quiet --tag-output -x"
                + " HERE -x THERE=then=x -J -Xmx2g -J -Dkey=value --check --heartbeat 0.5"
                + " --logring-base 4 --start-timeout 600 --bind none --send-buffer 3 app.jar");
    assertThat(options.processes().bind()).isFalse();
    assertThat(options.spec().recovery().policy()).isEqualTo(new Checked(false));
    assertThat(options.job().transports()).containsExactly("tcp");
    assertThat(options.spec().grouping().size()).isEqualTo(4);
    assertThat(options.spec().grouping().losses()).isZero();
    assertThat(options.job().interval()).isEqualTo(new CheckpointInterval.Every(10));
    assertThat(options.spec().room().onNoSpare()).isEqualTo(OnNoSpare.WAIT);
    assertThat(options.spec().recovery().most()).isEqualTo(3);
    assertThat(options.spec().recovery().mostWithoutProgress()).isEqualTo(4);
    assertThat(options.output().events()).isEqualTo(directory.resolve("e.jsonl"));
    assertThat(options.output().verbosity()).isEqualTo(Verbosity.QUIET);
    assertThat(options.output().tagged()).isTrue();
    assertThat(options.processes().environment())
        .isEqualTo(Map.of("HERE", "now", "THERE", "then=x"));
    assertThat(options.processes().jvmOptions()).containsExactly("-Xmx2g", "-Dkey=value");
    assertThat(options.job().heartbeatMillis()).isEqualTo(500);
    assertThat(options.patience().startMillis()).isEqualTo(600_000);
    assertThat(options.job().logRingBase()).isEqualTo(4);
    assertThat(options.job().sendBufferBytes()).isEqualTo(3 << 20);
  }

  @Test
  void theHeartRing() throws UsageException, IOException {
    assertThat(options("-n 2 --detector heartring app.jar").job().detection())
        .isEqualTo(new Detection(Detection.Overlay.HEARTRING, 1250, true));
    assertThat(
            options(
                    "-n 2 --detector heartring --ring-shuffle off --heartbeat 0.4"
                        + " --heartbeat-period 0.004 app.jar")
                .job()
                .detection())
        .isEqualTo(new Detection(Detection.Overlay.HEARTRING, 4, false));
    configuration("ring-shuffle = off\nlogring-base = 3\n");
    assertThat(options("-n 2 app.jar").job().detection().shuffled()).isFalse();
    assertThat(options("-n 2 --detector heartring app.jar").job().detection().shuffled()).isFalse();
  }

  @Test
  void theGroupLossesOfASiteAreForJobsThatCanCarryThem() throws UsageException, IOException {
    configuration("group-losses = 2\n");
    assertThat(options("-n 4 app.jar").spec().grouping().losses()).isEqualTo(2);
    environment.put("FMI_GROUP_LOSSES", "2");
    assertThat(refusal("-n 4 --ppn 2 app.jar"))
        .isEqualTo(
            "FMI_GROUP_LOSSES 2: needs groups of at least 3 ranks on different nodes; place the"
                + " ranks on more nodes (--ppn, --hosts), or use --group-losses 1");
    assertThat(options("-n 6 --ppn 2 app.jar").spec().grouping().losses()).isEqualTo(2);
  }

  // ---- which one wins

  @Test
  void aFlagGoesBeforeAVariableBeforeTheFileBeforeTheDefault() throws UsageException, IOException {
    configuration("# site\n\n group-size = 5\nmtbf-sec=100\n");
    assertThat(options("-n 1 app.jar").spec().grouping().size()).isEqualTo(5);
    assertThat(options("-n 1 app.jar").job().interval())
        .isEqualTo(new CheckpointInterval.Mtbf(100));
    environment.put("FMI_GROUP_SIZE", "6");
    environment.put("FMI_MTBF_SEC", "200");
    assertThat(options("-n 1 app.jar").spec().grouping().size()).isEqualTo(6);
    assertThat(options("-n 1 app.jar").job().interval())
        .isEqualTo(new CheckpointInterval.Mtbf(200));
    assertThat(options("-n 1 --group-size 7 app.jar").spec().grouping().size()).isEqualTo(7);
    assertThat(options("-n 1 --mtbf 300 app.jar").job().interval())
        .isEqualTo(new CheckpointInterval.Mtbf(300));
  }

  @ParameterizedTest
  @CsvSource({"500ms, 0.5", "30s, 30", "1.5s, 1.5", "2min, 120", "1h, 3600"})
  void anIntervalMayBeATime(String text, double seconds) throws UsageException {
    assertThat(options("-n 1 --interval " + text + " app.jar").job().interval())
        .isEqualTo(new CheckpointInterval.ByTime(seconds));
  }

  @Test
  void ofTwoThatExcludeEachOtherTheStrongerSourceWins() throws UsageException, IOException {
    configuration("mtbf-sec = 100\nquiet = true");
    environment.put("FMI_INTERVAL", "8");
    assertThat(options("-n 1 app.jar").job().interval()).isEqualTo(new CheckpointInterval.Every(8));
    assertThat(options("-n 1 --mtbf 9 app.jar").job().interval())
        .isEqualTo(new CheckpointInterval.Mtbf(9));
    assertThat(options("-n 1 --interval-model young app.jar").job().interval())
        .as("the model says that the interval follows from the file's MTBF")
        .isEqualTo(new CheckpointInterval.Mtbf(100, IntervalModel.YOUNG));
    assertThat(options("-n 1 app.jar").output().verbosity()).isEqualTo(Verbosity.QUIET);
    assertThat(options("-n 1 --verbose app.jar").output().verbosity()).isEqualTo(Verbosity.VERBOSE);
  }

  /** What a site's file says of jobs on hosts is not in the way of one on this machine. */
  @Test
  void settingsOfHostsDoNotForbidLocalNodes() throws UsageException, IOException {
    configuration("hosts = a:4,b:4\nprefix = /opt/fmi");
    RunOptions onHosts = options("-n 4 app.jar");
    assertThat(onHosts.where()).isEqualTo(new Where.Ssh("/opt/fmi"));
    RunOptions here = options("-n 4 --launcher local --spares 1 app.jar");
    assertThat(here.where()).isEqualTo(new Where.Local());
    assertThat(here.spec().nodes()).hasSize(2);
    configuration("launcher = local\nspares = 2");
    assertThat(options("-n 4 --hosts a:4 app.jar").where()).isEqualTo(new Where.Ssh(null));
    assertThat(options("-n 4 app.jar").spec().nodes()).hasSize(3);
    configuration("hosts = a:4\nlauncher = local");
    assertThat(refusal("-n 4 app.jar")).contains("fmi.conf:2").contains("fmi.conf:1");
  }

  @Test
  void listsAndSwitchesInVariables() throws UsageException {
    environment.put("FMI_JVM_OPTIONS", "-Xmx1g  -Da=b");
    environment.put("FMI_EXPORT", "A=1, B=2");
    environment.put("FMI_TAG_OUTPUT", "yes");
    environment.put("FMI_VERBOSE", "0");
    RunOptions options = options("-n 1 app.jar");
    assertThat(options.processes().jvmOptions()).containsExactly("-Xmx1g", "-Da=b");
    assertThat(options.processes().environment()).isEqualTo(Map.of("A", "1", "B", "2"));
    assertThat(options.output().tagged()).isTrue();
    assertThat(options.output().verbosity()).isEqualTo(Verbosity.NORMAL);
  }

  @Test
  void theVerbsProviderReachesTheRanks() throws Exception {
    assertThat(options("-n 2 app.jar").processes().environment()).isEmpty();
    environment.put("FMI_VERBS", "disni");
    assertThat(options("-n 2 app.jar").processes().environment())
        .isEqualTo(Map.of("FMI_VERBS", "disni"));
    assertThat(options("-n 2 --verbs native app.jar").processes().environment())
        .isEqualTo(Map.of("FMI_VERBS", "native"));
    environment.put("FMI_VERBS", "disny");
    assertThat(refusal("-n 2 app.jar"))
        .isEqualTo("FMI_VERBS disny: not one of native, disni; did you mean disni?");
  }

  @Test
  void theConfigurationThatIsShippedIsValid() throws IOException, UsageException {
    String shipped = Files.readString(Path.of("../conf/fmi.conf"));
    configuration(shipped);
    assertThat(options("-n 1 app.jar").job().interval())
        .isEqualTo(new CheckpointInterval.Mtbf(3600));
    // With every line that shows a default put in force.
    String inForce = shipped.replaceAll("(?m)^#([a-z-]+ = [a-z0-9]+)", "$1");
    assertThat(inForce).contains("\ngroup-size = 16\n").contains("\nspares = 0  ");
    configuration(inForce);
    RunOptions options = options("-n 1 app.jar");
    configuration("");
    assertThat(options).isEqualTo(options("-n 1 app.jar"));
  }

  // ---- what is refused

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          app.jar                              | -n is missing | -n 4
          -n 0 app.jar                         | -n 0 | from 1
          -n -3 app.jar                        | -n -3 | from 1
          -n four app.jar                      | -n four | whole number
          -n 4.5 app.jar                       | -n 4.5 | whole number
          -n 99999999999 app.jar               | -n 99999999999 | to 65536
          -n                                   | -n | value is missing
          -n 1 -n 2 app.jar                    | -n | more than once
          -n 4                                 | no program | app.jar
          -n 4 -cp classes                     | no main class | main.Class
          --np 4 app.jar                       | --np | -n
          -np 4 app.jar                        | -np | -n
          -n 4 --interva 10 app.jar            | --interva | --interval
          -n 4 --group_size=3 app.jar          | --group_size | --group-size
          -n 4 --verbosee app.jar              | --verbosee | --verbose
          -n 4 missing.jar                     | missing.jar | no such file
          -n 4 classes                         | classes | not a file
          -n 4 plain.jar                       | plain.jar | Main-Class
          -n 4 text.jar                        | text.jar | readable jar
          -n 4 -cp classes org.example.Ap      | org.example.Ap | no such class
          -n 4 -cp nope org.example.App        | -cp nope | no such file
          -n 4 -Xmx2g app.jar                  | -Xmx2g | write -J -Xmx2g
          -n 4 -Dname=value app.jar            | an option of the JVM | write -J -Dname=value
          -n 4 --interval 0 app.jar            | --interval 0 | at least 1
          -n 4 --interval often app.jar        | --interval often | whole number
          -n 4 --interval 0s app.jar           | --interval 0s | at least 1ms
          -n 4 --interval 1.5 app.jar          | --interval 1.5 | or --interval 30s
          -n 4 --interval 30sec app.jar        | --interval 30sec | (ms, s, min, h)
          -n 4 --interval 2147483648 app.jar   | --interval 2147483648 | whole number
          -n 4 --interval 9s --mtbf 9 app.jar  | --interval and --mtbf | omit one
          -n 4 --mtbf 0 app.jar                | --mtbf 0 | seconds
          -n 4 --mtbf soon app.jar             | --mtbf soon | --mtbf 60
          -n 4 --mtbf NaN app.jar              | --mtbf NaN | --mtbf 60
          -n 4 --mtbf 60 --interval 9 app.jar  | --interval and --mtbf | omit one
          -n 4 --interval 9 --interval-model daly app.jar | --interval and --interval-model | omit one
          -n 4 --interval-model dally app.jar  | --interval-model dally | did you mean daly?
          -n 4 --quiet --verbose app.jar       | --quiet and --verbose | omit one
          -n 4 --ppn 0 app.jar                 | --ppn 0 | from 1
          -n 4 --spares -1 app.jar             | --spares -1 | from 0
          -n 4 --group-size 0 app.jar          | --group-size 0 | from 1
          -n 8 --ppn 1 --group-losses 4 app.jar | --group-losses 4 | from 0 to 3
          -n 4 --group-losses 1 app.jar        | --group-losses 1 | or use --group-losses 0
          -n 6 --ppn 2 --group-losses 3 app.jar | --group-losses 3 | or use --group-losses 2
          -n 6 --ppn 1 --group-size 3 --group-losses 3 app.jar | --group-losses 3 | larger groups (--group-size), or use --group-losses 2
          -n 80 --ppn 1 --group-size 80 --group-losses 3 app.jar | --group-losses 3 | use --group-size 67
          -n 4 --max-recoveries -1 app.jar     | --max-recoveries -1 | at least 0
          -n 4 --heartbeat 0 app.jar           | --heartbeat 0 | 0.1
          -n 4 --logring-base 1 app.jar        | --logring-base 1 | from 2
          -n 4 --detector hearring app.jar     | --detector hearring | did you mean heartring?
          -n 4 --ring-shuffle off app.jar      | --ring-shuffle off | add --detector heartring
          -n 4 --detector heartring --logring-base 3 app.jar | --logring-base 3 | add --detector logring
          -n 4 --heartbeat-period 4 app.jar    | --heartbeat-period 4 | 2.5
          -n 4 --start-timeout 0.5 app.jar     | --start-timeout 0.5 | from 1.0
          -n 4 --send-buffer -1 app.jar        | --send-buffer -1 | from 0
          -n 4 --launcher slum app.jar        | --launcher slum | local, ssh, slurm
          -n 4 --launcher ssh app.jar          | --launcher ssh | --hosts
          -n 4 --launcher local --hosts a:4 app.jar | --launcher local | --ppn
          -n 4 --ppn 2 --transport shm app.jar | --transport shm | use auto, or one node
          -n 4 --transport rdam app.jar        | --transport rdam | did you mean rdma
          -n 4 --transport tpc app.jar         | --transport tpc | did you mean tcp
          -n 4 --transport TCP app.jar         | --transport TCP | did you mean tcp
          -n 4 --oversubscribe app.jar         | --oversubscribe: no such option (fmirun --help) | --help
          -n 4 Bad.class                       | a class, not a jar | -cp DIR Bad
          -n 4 src/Bad.java                    | a source file | -cp DIR Bad
          -n 4 -cp classes org/example/App     | org/example/App: not the name of a class | org.example.Main
          -n 4 -cp classes org.example.App.class | not the name of a class | org.example.Main
          -n 4 --bind foo app.jar              | --bind foo | not one of core, none
          -n 4 --on-no-spare shar app.jar      | --on-no-spare shar | did you mean share
          -n 4 --prefix /opt app.jar           | --prefix | this machine
          -n 4 --hosts a:4 --prefix opt app.jar | --prefix opt | absolute
          -n 4 --hosts a,b app.jar             | only 2 slots | a:4
          -n 4 --hosts a:2,b:2,a app.jar       | a is listed twice | slots=K
          -n 4 --hosts a:4,nowhere app.jar     | unknown host nowhere | correct its name
          -n 4 --hosts a:4,,b app.jar          | '' is not a host name | NAME:SLOTS
          -n 4 --hosts a:x app.jar             | 'x' is not a number of slots | at least 1
          -n 4 --hosts -oProxyCommand=x app.jar | not a host name | NAME
          -n 4 --hosts a:4 --hostfile hosts app.jar | --hosts and --hostfile | omit one
          -n 4 --hosts a:4 --spares 1 app.jar  | --spares | spare
          -n 4 --hostfile nofile app.jar       | nofile | no such file
          -n 4 --hostfile empty app.jar        | empty | no host
          -n 4 --hostfile twice app.jar        | twice:3: host h1 | listed twice
          -n 4 --hostfile badword app.jar      | badword:2: 'slot=2' | [slots=K]
          -n 4 --hostfile badslots app.jar     | badslots:1: '0' | at least 1
          -n 4 --hostfile badname app.jar      | badname:1: '-oProxyCommand=evil' | not a host name
          -n 4 --hostfile onlyspares app.jar   | only 0 slots | not spares
          -n 4 --hostfile unknown app.jar      | unknown host nowhere | correct its name
          -n 6 --hostfile hosts app.jar        | only 5 slots | smaller -n
          -n 9 --ppn 1 --hostfile hosts app.jar | only 3 slots | --ppn
          -n 4 --kill rank4@10 app.jar         | rank4@10 | 0 to 3
          -n 4 --kill node1@10 app.jar         | node1@10 | 0 to 0
          -n 4 --kill daemon1@10 app.jar       | daemon1@10 | no such node as 1
          -n 4 --kill rank1 app.jar            | rank1 | node1@40
          -n 4 --kill all@10 app.jar           | all@10 | rankR@I
          -n 4 --kill rank1@10:encod app.jar   | encod | did you mean encode
          -n 4 --kill node0@10:close app.jar   | outside of loops | node0@close
          -n 4 a:b/app.jar                     | a:b/app.jar | a link to it
          -n 4 -cp a:b/* org.example.App       | -cp a: no such file | correct the path
          -n 4 -x =v app.jar                   | -x =v | NAME
          -n 4 -x NOT_SET app.jar              | -x NOT_SET | NOT_SET=VALUE
          """)
  void isRefusedInOneLineWithTheWayOut(String line, String what, String wayOut) {
    assertThat(refusal(line)).contains(what).contains(wayOut);
  }

  @ParameterizedTest
  @CsvSource({
    "FMI_INTERVALL, 10, FMI_INTERVAL",
    "FMI_MTBF, 10, FMI_MTBF_SEC",
    "FMI_INTERVAL, abc, whole number",
    "FMI_VERBOSE, perhaps, 'true, false'",
    "FMI_KILL, rank9@1, 0 to 3",
    "FMI_ABCDEFGH, 1, correct its name",
    "FMI_EXPORT, 'A=1,2', 'FMI_EXPORT 2: ''2'' is not'",
    "FMI_EXPORT, NOT_SET, write NOT_SET=VALUE",
    "FMI_JVM_OPTIONS, 4:-Xint, FMI_JVM_OPTIONS 4:-Xint: no such rank",
    "FMI_TRANSPORT, ib, 'rdma'"
  })
  void aBadVariableIsRefusedByItsName(String name, String value, String wayOut) {
    environment.put(name, value);
    assertThat(refusal("-n 4 app.jar")).contains(name).contains(wayOut);
  }

  /** In place of each there is a question mark in a box by then. */
  @ParameterizedTest
  @CsvSource({
    "-n 1 app.jar gr\u00fc\u00df, an argument of the program",
    "-n 1 -x A=gr\u00fc\u00df app.jar, -x",
    "-n 1 -J -Da=gr\u00fc\u00df app.jar, -J",
    "-n 1 -J 0:-Da=gr\u00fc\u00df app.jar, -J"
  })
  void charactersThatTheLocaleDoesNotHave(String line, String what) throws UsageException {
    RunOptions options = options(line);
    options.checkTexts(StandardCharsets.UTF_8);
    options.checkTexts(StandardCharsets.ISO_8859_1);
    UsageException e =
        catchThrowableOfType(
            UsageException.class, () -> options.checkTexts(StandardCharsets.US_ASCII));
    assertThat(e).hasMessageStartingWith(what).hasMessageEndingWith("LC_ALL=C.UTF-8");
  }

  /** What names no valid one is not near to any. */
  @Test
  void aNameThatIsFarFromAllIsNotGuessed() {
    environment.put("FMI_TRANSPORT", "infiniband");
    assertThat(refusal("-n 4 app.jar"))
        .isEqualTo("FMI_TRANSPORT infiniband: not one of auto, shm, tcp, rdma");
    environment.put("FMI_TRANSPORT", "shm");
    assertThat(refusal("-n 4 --ppn 2 app.jar"))
        .startsWith("FMI_TRANSPORT shm: works within one node");
    assertThat(Nearest.question("--np", List.of("--ppn", "-n"))).isEqualTo("; did you mean -n?");
    assertThat(Nearest.question("", List.of("-n"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "intervall = 10, fmi.conf:2: intervall, did you mean interval",
    "interval = x, fmi.conf:2: interval x, whole number",
    "interval 10, fmi.conf:2: 'interval 10', key = value",
    "'export = A=1,b c', 'fmi.conf:2: export b c:', a value with a comma in it needs -x",
    "transport = TCP, fmi.conf:2: transport TCP, did you mean tcp"
  })
  void aBadLineOfTheFileIsRefusedByItsPlace(String line, String what, String wayOut)
      throws IOException {
    configuration("# comment\n" + line + "\n");
    assertThat(refusal("-n 4 app.jar")).contains(what).contains(wayOut);
  }

  @ParameterizedTest
  @CsvSource({
    "--help, HELP",
    "-h, HELP",
    "-n 4 --help, HELP",
    "-n 4 --verbose -h app.jar, HELP",
    "--version, VERSION",
    "-n 4 --version, VERSION",
    "-n 4 app.jar --help, RUN",
    "-n 4 app.jar --version, RUN"
  })
  void helpMayBeAskedForWhereverAnOptionMayStand(String line, Settings.Request request)
      throws UsageException {
    if (request != Settings.Request.RUN) {
      environment.put("FMI_INTERVALL", "wrong, but that can wait");
    }
    assertThat(
            Settings.read(
                    Arrays.asList(line.split(" ")), environment, directory.resolve("fmi.conf"))
                .request())
        .isEqualTo(request);
  }

  @ParameterizedTest
  @ValueSource(strings = {"FMI_JAVA_HOME", "FMI_DISNI_LIB", "FMI_VM_SECONDS", "FMI_VM_PAIR"})
  void variablesOfFmisOtherToolsAreNotRefused(String name) throws UsageException {
    environment.put(name, "x");
    assertThat(options("-n 1 app.jar").spec().size()).isEqualTo(1);
  }

  @Test
  void aJobMayHaveAName() throws UsageException {
    assertThat(options("-n 2 app.jar").output().name()).isEmpty();
    assertThat(options("-n 2 --name heat_2.b-1 app.jar").output().name()).isEqualTo("heat_2.b-1");
    assertThat(refusal("-n 2 --name .heat app.jar")).startsWith("--name .heat: ");
    assertThat(refusal("-n 2 --name a/b app.jar"))
        .startsWith("--name a/b: use a letter or digit followed");
  }

  @Test
  void helpNamesEverySetting() {
    String help = Settings.help();
    for (Setting setting : Setting.values()) {
      assertThat(help).contains(setting.flag());
    }
  }
}
