package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.fmi.job.control.CoreList;
import org.fmi.testkit.turns.Variants;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Starts and ends real processes of a program that does not use the library: what they print and
 * read, how they end, and that nothing of them stays behind.
 */
@Execution(ExecutionMode.CONCURRENT)
final class LaunchIT {
  private static final Path FMIRUN = Path.of("target/fmi/bin/fmirun").toAbsolutePath();

  @TempDir private Path directory;

  private final Traces traces = new Traces();

  /** What fmirun is started by, if by anything. */
  private List<String> wrapper = List.of();

  /** Where its standard output goes, if not into a file that is read here. */
  private Path output = Path.of("out");

  private Process start(List<String> options, String... program) throws IOException {
    // Whoever runs the tests may ignore signals, which processes inherit.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
    command.addAll(wrapper);
    command.add(FMIRUN.toString());
    command.addAll(options);
    command.addAll(
        List.of(
            "-cp",
            Path.of("target/test-classes").toAbsolutePath().toString(),
            PlainProgram.class.getName()));
    command.addAll(List.of(program));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(directory.resolve(output).toFile())
            .redirectError(directory.resolve("err").toFile());
    if (Files.exists(in())) {
      builder.redirectInput(in().toFile());
    }
    traces.mark(builder.environment());
    return builder.start();
  }

  private int run(List<String> options, String... program) throws Exception {
    return await(start(options, program));
  }

  private int await(Process process) throws Exception {
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("%s%s", texts()).isTrue();
    return process.exitValue();
  }

  private Path in() {
    return directory.resolve("in");
  }

  private Path out() {
    return directory.resolve("out");
  }

  private long count(String line) throws IOException {
    return Files.readAllLines(out()).stream().filter(line::equals).count();
  }

  private String err() throws IOException {
    return Files.readString(directory.resolve("err"));
  }

  private Object[] texts() throws IOException {
    return new Object[] {Files.readString(out()), err()};
  }

  /** Polls for what other processes bring about. */
  private void until(Callable<Boolean> condition, String what) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("waits for %s%n%s%s", what, out(), err()).isLessThan(limit);
      Thread.sleep(50); // what is asked may have to look at all processes
    }
  }

  /**
   * What the surroundings refuse is named, with the way out, and no spare, which they refuse too.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          unshare -m --map-root-user | mount -t tmpfs -o nr_inodes=1 none /dev/shm | 70 | /dev/shm: cannot be used (/dev/shm/
          unshare -n --map-root-user | : | 70 | ip link set lo up
          env | ulimit -n 12 | 70 | raise it (ulimit -n
          env | ulimit -n 20 | 70 | raise it (ulimit -n
          env LC_ALL=C | set -- "$@" "$(printf '\\303\\244')" | 64 | an argument of the program, '
          """)
  void whatTheSurroundingsRefuse(String by, String before, int status, String expected)
      throws Exception {
    wrapper = new ArrayList<>(List.of(by.split(" ")));
    wrapper.addAll(List.of("sh", "-c", before + " && exec \"$@\"", "sh"));
    assertThat(run(List.of("-n", "2"), "args")).as("%s%s", texts()).isEqualTo(status);
    assertThat(err()).contains(expected).doesNotContain("spare", "\tat ");
    assertThat(err().lines().filter(line -> line.startsWith("fmirun: "))).hasSize(1);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    try {
      until(traces::gone, "the end of all processes and node directories");
    } finally {
      traces.kill();
    }
  }

  @Test
  void forwardsWholeLinesOfAllRanks() throws Exception {
    int status = run(List.of("-n", "3", "--ppn", "2", "--tag-output"), "lines", "500");
    assertThat(status).as("%s%s", texts()).isZero();
    List<String> lines = Files.readAllLines(out());
    for (int rank = 0; rank < 3; rank++) {
      String tag = "[" + rank + "] ";
      List<String> expected =
          Stream.iterate(0, i -> i < 500, i -> i + 1).map(i -> tag + "line " + i).toList();
      assertThat(lines.stream().filter(line -> line.startsWith(tag))).isEqualTo(expected);
      assertThat(err().lines().filter(line -> line.startsWith(tag))).hasSize(500);
    }
    assertThat(lines).hasSize(1500);
  }

  /** Of ranks on one node and on another, to a file that progress is written to as well. */
  @Test
  void aLineOfAnyLengthIsWhole() throws Exception {
    wrapper = List.of("bash", "-c", "exec \"$@\" 2>&1", "bash");
    int status = run(List.of("-n", "3", "--ppn", "2", "--verbose"), "long", "40");
    assertThat(status).as(err()).isZero();
    assertThat(Files.readAllLines(out()).stream().filter(line -> line.length() > 1000).sorted())
        .usingElementComparator((a, b) -> a.equals(b) ? 0 : 1)
        .containsExactly("a".repeat(40 << 16), "b".repeat(40 << 16), "c".repeat(40 << 16));
  }

  @Test
  void passesArgumentsVariablesAndOptionsAsTheyAre() throws Exception {
    int status =
        run(
            List.of("-n", "1", "-x", "GIVEN=a b=c", "-J", "-Dgiven=yes, this"),
            "arguments",
            "with blank",
            "",
            "'\"\\$HOME*",
            "--help");
    assertThat(status).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out()))
        .containsExactly(
            "<arguments>",
            "<with blank>",
            "<>",
            "<'\"\\$HOME*>",
            "<--help>",
            "variable a b=c",
            "property yes, this");
  }

  /** Less than a rank would begin with, and another collector. */
  @Test
  void aHeapOfTheUsersChoice() throws Exception {
    List<String> options =
        List.of("-n", "1", "-x", "JAVA_TOOL_OPTIONS=-XX:+UseG1GC", "-J", "-Xmx64m");
    assertThat(run(options, "heap")).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).containsExactly("64 MiB, G1");
  }

  /** A variable that many sites set, and that holds for the JVMs of fmirun and its daemons too. */
  @Wide
  @Test
  void aCollectorOfTheSitesChoice() throws Exception {
    wrapper = List.of("env", "JAVA_TOOL_OPTIONS=-XX:+UseG1GC");
    assertThat(run(List.of("-n", "1", "-J", "-Xmx64m"), "heap")).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).containsExactly("64 MiB, G1");
  }

  @Wide
  @ParameterizedTest
  @ValueSource(strings = {"-Xms300m", "-Xms1g -Xmx4g"})
  void aHeapOfTheSitesChoice(String options) throws Exception {
    wrapper = List.of("env", "JAVA_TOOL_OPTIONS=" + options);
    assertThat(run(List.of("-n", "1"), "exit", "0")).as("%s%s", texts()).isZero();
  }

  /** It is of no interest, and this character set cannot express it. */
  @Wide
  @Test
  void aPathWithAnotherAlphabet() throws Exception {
    wrapper =
        List.of("bash", "-c", "export LC_ALL=C PATH=$'/tmp/\\xc3\\xbc':$PATH; exec \"$@\"", "bash");
    assertThat(run(List.of("-n", "1"), "exit", "0")).as("%s%s", texts()).isZero();
  }

  @Test
  void givesInputToRank0() throws Exception {
    StringBuilder text = new StringBuilder();
    CRC32 sum = new CRC32();
    for (int i = 0; i < 200_000; i++) {
      String line = "line " + i * 31L;
      text.append(line).append('\n');
      sum.update(line.getBytes(StandardCharsets.UTF_8));
    }
    Files.writeString(in(), text);
    int status = run(List.of("-n", "2", "--tag-output"), "input");
    assertThat(status).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out()))
        .containsExactlyInAnyOrder(
            "[0] read 200000 lines, sum " + sum.getValue(), "[1] read 0 lines, sum 0");
  }

  /** Not only by System.in. */
  @Test
  void givesInputToWhoOpensItAsAFile() throws Exception {
    Files.writeString(in(), "a\nb\n");
    assertThat(run(List.of("-n", "1"), "input", "/dev/stdin")).as("%s%s", texts()).isZero();
    assertThat(Files.readString(out())).startsWith("read 2 lines");
  }

  /** Nor only in the thread of main, or in this process. */
  @ParameterizedTest
  @ValueSource(strings = {"cat-in-a-thread", "cat"})
  void givesInputToWhateverTheProgramHasStarted(String how) throws Exception {
    Files.writeString(in(), "a\nb\n");
    assertThat(run(List.of("-n", "1"), how)).as("%s%s", texts()).isZero();
    assertThat(Files.readString(out())).isEqualTo("a\nb\n");
  }

  /** It is also that of the script, which may have more to do. */
  @Test
  void leavesInputThatNobodyReadsToOthers() throws Exception {
    Files.writeString(in(), "a\nb\n");
    wrapper = List.of("bash", "-c", "\"$@\" && cat >rest", "bash");
    assertThat(run(List.of("-n", "2"), "exit", "0")).as("%s%s", texts()).isZero();
    assertThat(directory.resolve("rest")).hasSameTextualContentAs(in());
    assertThat(run(List.of("-n", "1", "--stdin", "none"), "input")).as("%s%s", texts()).isZero();
    assertThat(Files.readString(out())).startsWith("read 0 lines");
    assertThat(directory.resolve("rest")).hasSameTextualContentAs(in());
  }

  @Test
  void saysThatInputCannotBeRead() throws Exception {
    wrapper = List.of("bash", "-c", "exec \"$@\" <.", "bash");
    assertThat(run(List.of("-n", "1"), "input")).as("%s%s", texts()).isZero();
    assertThat(Files.readString(out())).startsWith("read 0 lines");
    assertThat(err()).contains("standard input cannot be read (Is a directory)");
  }

  /**
   * An interactive shell that does not let jobs in its background write. The first one does not
   * read from the terminal, and runs long enough to have shown how far it is.
   */
  @Test
  void runsInTheBackgroundOfATerminal() throws Exception {
    String session =
        """
        printf -v command '%q ' "$@"
        {
          echo stty tostop
          echo "sleep 3 | $command &"
          echo "$command &"
          echo wait
          echo exit
        } | TERM=xterm script -qec 'bash --norc --noediting -i' /dev/null
        """;
    wrapper = List.of("bash", "-c", session, "bash");
    run(List.of("-n", "1"), "input");
    String terminal = Files.readString(out());
    assertThat(terminal.split("read 0 lines, sum 0", -1)).as(terminal).hasSize(3);
    assertThat(terminal)
        .containsOnlyOnce("in the background of its terminal")
        .doesNotContain("\u001b[Kfmi:")
        .doesNotContain("Stopped");
  }

  /** The JVM of fmirun opens a file in its place. */
  @Wide
  @Test
  void closedInputIsEmpty() throws Exception {
    wrapper = List.of("bash", "-c", "exec \"$@\" <&-", "bash");
    assertThat(run(List.of("-n", "1"), "input")).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).containsExactly("read 0 lines, sum 0");
  }

  /** As on a host whose sshd sets no locale. */
  @Test
  void anArgumentThatTheLocaleCannotExpressIsRefused() throws Exception {
    wrapper = List.of("bash", "-c", "LC_ALL=C exec \"$@\" $'J\\xc3\\xbcrgen'", "bash");
    assertThat(run(List.of("-n", "1"), "arguments")).isEqualTo(64);
    assertThat(err()).contains("LC_ALL=C.UTF-8").hasLineCount(1);
  }

  @Test
  void aDirectoryThatTheLocaleCannotExpressIsRefused() throws Exception {
    String cd = "mkdir $'\\xc3\\xbc' && cd $'\\xc3\\xbc' && ";
    wrapper = List.of("bash", "-c", cd + "LC_ALL=C exec \"$@\"", "bash");
    assertThat(run(List.of("-n", "1"), "arguments")).isEqualTo(64);
    assertThat(err()).contains("LC_ALL=C.UTF-8").hasLineCount(1);
  }

  /** The cores that processes of a job may use, as far as they can be kept busy. */
  static int[] usableCores() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("Cpus_allowed_list:")) {
        int[] cores = CoreList.parse(line.replaceFirst(".*\\s", ""));
        return Runtime.getRuntime().availableProcessors() < cores.length ? new int[0] : cores;
      }
    }
    return new int[0];
  }

  /** As Linux shows it: a process of one rank has all its threads on its share. */
  @Test
  void bindsTheProcessToAShareOfTwoCores() throws Exception {
    int[] usable = usableCores();
    assumeThat(usable).hasSizeGreaterThanOrEqualTo(2);
    int[] two = Arrays.copyOf(usable, 2);
    // What is bound beforehand by whoever starts the job.
    wrapper = List.of("taskset", "-c", CoreList.format(two));
    assertThat(run(List.of("-n", "1", "--verbose"), "cores")).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).containsExactly(CoreList.format(two));
    assertThat(err())
        .contains("node0: rank 0 on cores " + CoreList.format(two))
        .containsPattern("fmi: shm: ranks (can|cannot) read long messages from each other's");
  }

  @Wide
  @Test
  void runsInACpusetOfOneCore() throws Exception {
    int[] usable = usableCores();
    assumeThat(usable).isNotEmpty();
    String one = Integer.toString(usable[usable.length - 1]);
    wrapper = List.of("taskset", "-c", one);
    assertThat(run(List.of("-n", "1", "--verbose"), "cores")).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).containsExactly(one);
    assertThat(err()).contains("node0: the thread of rank 0 on core " + one);
  }

  @Test
  void bindsNoMoreRanksThanThereAreCores() throws Exception {
    int[] usable = usableCores();
    assumeThat(usable).isNotEmpty();
    int cores = Math.min(2, usable.length);
    String list = CoreList.format(Arrays.copyOf(usable, cores));
    wrapper = List.of("taskset", "-c", list);
    int status =
        run(List.of("-n", Integer.toString(cores + 1), "--bind", "core", "--verbose"), "cores");
    assertThat(status).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).hasSize(cores + 1).containsOnly(list);
    assertThat(err())
        .containsPattern("node0: ranks not bound: " + (cores + 1) + " ranks, " + cores + " core");
  }

  @Wide
  @Test
  void bindsNoRanksIfTold() throws Exception {
    int[] usable = usableCores();
    assumeThat(usable).isNotEmpty();
    int status = run(List.of("-n", "2", "--bind", "none"), "cores");
    assertThat(status).as("%s%s", texts()).isZero();
    assertThat(Files.readAllLines(out())).hasSize(2).containsOnly(CoreList.format(usable));
  }

  @Variants
  @ParameterizedTest
  @CsvSource({"0", "1", "7", "255"})
  void endsWithTheStatusOfTheProgram(int status) throws Exception {
    assertThat(run(List.of("-n", "2"), "exit", Integer.toString(status)))
        .as("%s%s", texts())
        .isEqualTo(status);
  }

  @Wide
  @Test
  void saysWhyItEndsThoughItsEventsCannotBeWritten() throws Exception {
    Path events = directory.resolve("events");
    assertThat(new ProcessBuilder("mkfifo", events.toString()).start().waitFor()).isZero();
    // Opened both ways, it waits for nobody; and there is no room in it.
    try (RandomAccessFile full = new RandomAccessFile(events.toFile(), "rw")) {
      full.write(new byte[1 << 16]);
      assertThat(run(List.of("-n", "1", "--events", events.toString()), "exit", "7")).isEqualTo(7);
    }
    assertThat(err()).contains("rank 0 ended by itself with status 7, before Fmi.init");
  }

  @Test
  void showsTheStackTraceOfAProgramThatFails() throws Exception {
    assertThat(run(List.of("-n", "1"), "throw")).isEqualTo(1);
    assertThat(err())
        .contains("java.lang.IllegalStateException: thrown on purpose")
        .contains("PlainProgram.main");
  }

  @Test
  void killsWhatAProgramLeavesBehind() throws Exception {
    assertThat(run(List.of("-n", "2"), "child")).as("%s%s", texts()).isZero();
  }

  @Variants
  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
  void endsEverythingWhenItIsTold(String signal, int status) throws Exception {
    Process fmirun = sleeping();
    Traces.signal(signal, fmirun.pid());
    assertThat(await(fmirun)).as("%s%s", texts()).isEqualTo(status);
    traces.assertGone(err());
  }

  @Test
  void eachRankKnowsWhoItIsAndHasFilesOfItsOwn() throws Exception {
    assertThat(
            run(
                List.of("-n", "3", "--ppn", "2", "--output", "ranks", "-J", "2:-Dgiven=two"),
                "who"))
        .as("%s%s", texts())
        .isZero();
    Set<String> groups = new HashSet<>();
    for (int rank = 0; rank < 3; rank++) {
      List<String> lines = Files.readAllLines(directory.resolve("ranks/rank-" + rank + ".out"));
      assertThat(lines.subList(0, 4))
          .containsExactly(
              "fmi.rank=" + rank,
              "fmi.local.rank=" + rank % 2,
              "fmi.size=3",
              "given=" + (rank == 2 ? "two" : null));
      groups.addAll(lines.subList(4, lines.size()));
      assertThat(directory.resolve("ranks/rank-" + rank + ".err"))
          .content()
          .matches("[0-9a-f]{12}\n");
    }
    // The system may schedule sessions as units: then a rank could not yield to another's.
    assertThat(groups).singleElement().asString().startsWith("leads a group in session ");
    assertThat(out()).isEmptyFile();
  }

  @Wide
  @Test
  void aFileThatIsFullEndsTheJob() throws Exception {
    Path ranks = Files.createDirectory(directory.resolve("ranks"));
    Files.createSymbolicLink(ranks.resolve("rank-1.out"), Path.of("/dev/full"));
    assertThat(run(List.of("-n", "2", "--output", "ranks"), "lines", "5")).isEqualTo(70);
    assertThat(err())
        .containsPattern("fmirun: --output: .*/rank-1.out cannot be written: No space left");
  }

  @Test
  void filesThatCannotBeMadeAreRefused() throws Exception {
    Files.writeString(directory.resolve("file"), "");
    assertThat(run(List.of("-n", "1", "--output", "file"), "who")).isEqualTo(64);
    assertThat(err()).startsWith("fmirun: --output ").contains("name a writable directory");
  }

  /** Ctrl-Z does not pause it: its nodes would count it as dead. */
  @Test
  void shutdownHooksRunWhenItIsTold() throws Exception {
    wrapper = List.of("setsid");
    Process fmirun = start(List.of("-n", "2"), "hook");
    until(() -> count("sleeps") == 2, "both ranks");
    Traces.signal("TSTP", -fmirun.pid());
    until(() -> err().contains("cannot be suspended"), "word of it");
    Traces.signal("TERM", fmirun.pid());
    assertThat(await(fmirun)).as("%s%s", texts()).isEqualTo(143);
    assertThat(count("hook ran")).as("%s%s", texts()).isEqualTo(2);
  }

  @Wide
  @Test
  void hooksThatDoNotEndDoNotKeepIt() throws Exception {
    Process fmirun = start(List.of("-n", "2"), "endless");
    until(() -> count("sleeps") == 2, "both ranks");
    Traces.signal("TERM", fmirun.pid());
    assertThat(await(fmirun)).as("%s%s", texts()).isEqualTo(143);
  }

  /** A terminal sends the signal to all that is in the foreground, not only to fmirun. */
  @Wide
  @Test
  void ctrlCWhileDaemonsStart() throws Exception {
    wrapper = List.of("setsid");
    Process fmirun = start(List.of("-n", "4", "--ppn", "1"), "sleep");
    // The script is there for a moment only, which this may miss.
    until(
        () ->
            !traces.processes("bin/fmi-daemon").isEmpty()
                || !traces.processes("DaemonMain").isEmpty(),
        "a daemon that starts");
    Traces.signal("INT", -fmirun.pid());
    assertThat(await(fmirun)).as("%s%s", texts()).isEqualTo(130);
    traces.assertGone(err());
  }

  @Test
  void ctrlCWhileRanksRun() throws Exception {
    wrapper = List.of("setsid");
    Process fmirun = sleeping();
    Traces.signal("INT", -fmirun.pid());
    assertThat(await(fmirun)).as("%s%s", texts()).isEqualTo(130);
    traces.assertGone(err());
  }

  @Test
  void nothingOutlivesAFmirunThatIsKilled() throws Exception {
    Process fmirun = sleeping();
    Traces.signal("KILL", fmirun.pid());
    assertThat(await(fmirun)).isEqualTo(137);
    // Its own directory is deleted by the next job of the user. The rest: see nothingIsLeft.
    assertThat(run(List.of("-n", "1"), "exit", "0")).as("%s%s", texts()).isZero();
  }

  @Wide
  @Test
  void nothingOutlivesADaemonThatIsKilled() throws Exception {
    Process fmirun = sleeping();
    Traces.signal("KILL", traces.processes("DaemonMain").getFirst());
    until(() -> err().contains("lost"), "word of it");
    Traces.signal("TERM", fmirun.pid());
    await(fmirun);
  }

  @Test
  void endsWhenNobodyReadsItsOutput() throws Exception {
    wrapper = pipedInto("head -n 5");
    assertThat(run(List.of("-n", "2"), "chatter")).as("%s%s", texts()).isEqualTo(128 + 13);
    assertThat(Files.readAllLines(out())).hasSize(5).containsOnly("chatter");
  }

  @Wide
  @Test
  void endsWhenItsOutputCannotBeWritten() throws Exception {
    output = Path.of("/dev/full");
    Files.createFile(out());
    assertThat(run(List.of("-n", "2"), "chatter")).as(err()).isEqualTo(70);
    assertThat(err())
        .containsOnlyOnce("fmirun: standard output cannot be written: No space left on device");
    traces.assertGone(err());
  }

  /** The last of it, when the program has ended well. */
  @Wide
  @Test
  void outputThatIsLostIsNoSuccess() throws Exception {
    output = Path.of("/dev/full");
    Files.createFile(out());
    assertThat(run(List.of("-n", "1"), "exit", "0")).as(err()).isZero();
    assertThat(run(List.of("-n", "1"), "lines", "1")).as(err()).isEqualTo(70);
  }

  @Wide
  @Test
  void saysOnceThatEventsCannotBeWritten() throws Exception {
    assertThat(run(List.of("-n", "2", "--events", "/dev/full"), "exit", "0"))
        .as("%s%s", texts())
        .isZero();
    assertThat(err())
        .containsOnlyOnce(
            "--events: writing failed; no more events are written: No space left on device");
  }

  /** More than may be on its way, read long after the program's end. */
  @Wide
  @Test
  void nothingIsLostWhenItsOutputIsReadLate() throws Exception {
    wrapper = pipedInto("(sleep 8; cat)");
    assertThat(run(List.of("-n", "1"), "long", "7")).as("%s", err()).isZero();
    assertThat(Files.size(out())).isEqualTo(7 << 16);
  }

  private static List<String> pipedInto(String reader) {
    return List.of("bash", "-c", "set -o pipefail; \"$0\" \"$@\" | " + reader);
  }

  /** Two ranks on one node and one on another that sleep, with children that sleep too. */
  private Process sleeping() throws Exception {
    Process fmirun = start(List.of("-n", "3", "--ppn", "2"), "sleep");
    until(() -> Files.readAllLines(out()).size() == 3, "three ranks");
    // A process that is changing its program is nobody's for a moment.
    until(() -> traces.processes("sleep\u0000" + "1000").size() == 3, "their children");
    assertThat(traces.processes("RankMain")).hasSize(3);
    // Those of two nodes and of fmirun: what leaves one behind is found.
    assertThat(traces.directories()).hasSizeGreaterThanOrEqualTo(3);
    return fmirun;
  }

  @Test
  void aTransportThatCannotBeUsedHereEndsTheJob() throws IOException, InterruptedException {
    assumeThat(Path.of("/sys/class/infiniband")).doesNotExist();
    Fmirun.Result result =
        new Fmirun(directory, "-n", "2", "--transport", "rdma", Fmirun.example("hello")).run();
    assertThat(result.status()).as(result.err()).isEqualTo(70);
    assertThat(result.err()).contains("no RDMA device on this machine");
  }
}
