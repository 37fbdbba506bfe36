package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job runs the program that it began with, on all nodes and in each process. */
final class ProgramIT {
  private static final Path CLASSES = Path.of("target", "test-classes");

  /** What ranks come to with the numbers 1 and 10, two of them. */
  private static final String SUM =
      "has " + VersionedProgram.ITERATIONS * 2 * (1 + 10) + System.lineSeparator();

  @TempDir private Path directory;

  /** Writes the program's jar with its number, into the file that is there if there is one. */
  private static Path jar(Path jar, int number) throws IOException {
    String name = VersionedProgram.class.getName().replace('.', '/');
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String file : List.of(name + ".class", name + "$Numbers.class")) {
        out.putNextEntry(entry(file));
        Files.copy(CLASSES.resolve(file), out);
      }
      out.putNextEntry(entry("number-of-jar"));
      out.write(Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
    }
    return jar;
  }

  /** Jars that are written at different times are the same. */
  private static JarEntry entry(String name) {
    JarEntry entry = new JarEntry(name);
    entry.setTimeLocal(LocalDateTime.of(2000, 1, 1, 0, 0));
    return entry;
  }

  private Path numberOfDirectory() throws IOException {
    Path resources = Files.createDirectories(directory.resolve("resources"));
    Files.writeString(resources.resolve("number-of-directory"), "10");
    return resources;
  }

  /**
   * The replacement of a process, the standby that follows, and a node that comes back: none finds
   * the program where it was.
   */
  @Test
  void whatIsDoneToTheFilesOfAProgramDoesNotMatterToAJob() throws Exception {
    Path jar = jar(directory.resolve("app.jar"), 1);
    Path resources = numberOfDirectory();
    Path go = directory.resolve("go");
    Fmirun fmirun =
        new Fmirun(
            directory,
            "-n",
            "2",
            "--ppn",
            "1",
            "--interval",
            "5",
            "--on-no-spare",
            "wait",
            "--kill",
            "rank1@" + (VersionedProgram.PAUSE + 10),
            "--kill",
            "node0@" + (VersionedProgram.PAUSE + 30),
            "-cp",
            jar + ":" + resources,
            VersionedProgram.class.getName(),
            go.toString());
    try (Fmirun.Running running = fmirun.start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      jar(jar, 1000);
      Files.delete(resources.resolve("number-of-directory"));
      Files.delete(resources);
      Files.createFile(go);
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.out().lines())
          .as(result.err())
          .hasSize(2)
          .allMatch(line -> (line + System.lineSeparator()).endsWith(SUM));
      assertThat(result.count("RecoveryBegun")).isEqualTo(2);
      assertThat(result.events("NodeFailed")).isNotEmpty();
    }
  }

  /**
   * What ssh would do for three hosts, each with its own file system; as far as a program sees that
   * only knows its current directory. The hosts are slow when a node is removed: {@code fmirun}
   * must wait for that, as its traces show.
   */
  private String hosts() throws IOException {
    return FakeSsh.path(
        directory,
        """
        case $3 in *--fence*) sleep 3 ;; esac
        cd '%s/'"$2" && exec sh -c "$3"
        """
            .formatted(directory));
  }

  private Fmirun.Result over(String... hosts) throws Exception {
    Path go = directory.resolve("go");
    Files.createFile(go);
    Fmirun fmirun =
        new Fmirun(
            directory,
            "-n",
            "2",
            "--ppn",
            "1",
            "--launcher",
            "ssh",
            "--hosts",
            String.join(",", hosts),
            "-cp",
            "/proc/self/cwd/app.jar:" + numberOfDirectory(),
            VersionedProgram.class.getName(),
            go.toString());
    return fmirun
        .within(List.of("env", "-C", directory.resolve(hosts[0]).toString()))
        .env("PATH", hosts())
        .run();
  }

  private void host(String name, int number) throws IOException {
    jar(Files.createDirectory(directory.resolve(name)).resolve("app.jar"), number);
  }

  @Test
  void aSpareTakesThePlaceOfAHostThatHasAnotherProgram() throws Exception {
    host("127.0.0.1", 1);
    host("127.0.0.2", 2);
    host("127.0.0.3", 1);
    Fmirun.Result result = over("127.0.0.1", "127.0.0.2", "127.0.0.3").succeeded();
    assertThat(result.out().lines()).as(result.err()).hasSize(2);
    assertThat(result.out()).contains("rank 0 " + SUM, "rank 1 " + SUM);
    assertThat(result.err())
        .contains("node1 (127.0.0.2) lost")
        .contains("app.jar differs from the file that fmirun found when the job started (SHA-256 ");
  }

  @Test
  void withoutASpareNoRankIsStarted() throws Exception {
    host("127.0.0.1", 1);
    Files.createDirectory(directory.resolve("127.0.0.2"));
    Fmirun.Result result = over("127.0.0.1", "127.0.0.2");
    assertThat(result.status()).as(result.err()).isEqualTo(64);
    assertThat(result.err())
        .contains("fmirun: cannot start on 127.0.0.2: /proc/self/cwd/app.jar does not exist");
    assertThat(result.events("Spawned")).isEmpty();
  }
}
