package org.fmi.run.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.fmi.net.NetLoop;
import org.fmi.run.daemon.FmirunDirectory;
import org.fmi.run.status.Answer;
import org.fmi.run.status.JobSocket;
import org.fmi.run.status.Question;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code fmi jobs} shows of jobs that answer, and of others. */
final class JobTableTest {
  private static final int FOREVER_MILLIS = 60_000;

  @TempDir private Path base;

  private FmirunDirectory job(String id, String name) throws IOException {
    Path path =
        Files.createDirectory(
            base.resolve(id),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    if (!name.isEmpty()) {
      Files.writeString(path.resolve("name"), name);
    }
    return new FmirunDirectory(id, path, ProcessHandle.current());
  }

  private static void answer(Question question, Answer answer) {
    answer.part("Heat  4 ranks  running\n".getBytes(StandardCharsets.UTF_8));
    answer.end();
  }

  @Test
  void aJobIsShownWithItsNameProcessAndDirectory() throws Exception {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    NetLoop loop = NetLoop.open("test", secret, NetLoop.MAX_FRAME, warning -> {});
    try {
      FmirunDirectory job = job("aaaaaaaaaaaa", "heat");
      JobSocket.listen(loop, job.path(), JobTableTest::answer);
      List<String> row = JobTable.rows(List.of(job), FOREVER_MILLIS).getFirst();
      assertThat(row)
          .startsWith("aaaaaaaaaaaa", "heat", Long.toString(ProcessHandle.current().pid()))
          .endsWith(Path.of("").toAbsolutePath().toString(), "Heat  4 ranks  running");
    } finally {
      loop.close();
    }
  }

  /** Ten times the patience would be the time of the test, were they asked one after the other. */
  @Test
  void jobsThatAreSilentAreWaitedForTogether() throws Exception {
    List<ServerSocketChannel> silent = new ArrayList<>();
    List<FmirunDirectory> jobs = new ArrayList<>();
    try {
      for (int i = 0; i < 10; i++) {
        FmirunDirectory job = job("aaaaaaaaaaa" + i, "");
        jobs.add(job);
        silent.add(
            ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(job.path().resolve("fmi.sock"))));
      }
      assertThat(JobTable.rows(jobs, 50))
          .hasSize(10)
          .allSatisfy(
              row -> assertThat(row.getLast()).isEqualTo("its fmirun did not answer within 1 s"));
      // All have been asked, though none has answered.
      for (ServerSocketChannel each : silent) {
        each.accept().close();
      }
    } finally {
      for (ServerSocketChannel each : silent) {
        each.close();
      }
    }
  }

  @Test
  void aDeadOneSaysWhatIsLeft() throws Exception {
    FmirunDirectory dead = new FmirunDirectory("aaaaaaaaaaaa", base, null);
    assertThat(JobTable.rows(List.of(dead), 0).getFirst())
        .containsExactly(
            "aaaaaaaaaaaa",
            "-",
            "-",
            "-",
            "-",
            "its fmirun has died; the next job on this machine deletes its leftovers: " + base);
  }

  @Test
  void columnsAreAligned() {
    List<String> row = IntStream.range(0, 6).mapToObj(i -> "x".repeat(3 * i + 1)).toList();
    assertThat(JobTable.text(List.of(row)))
        .isEqualTo(
            """
            JOB  NAME  PID      AGE         DIRECTORY      PROGRAM
            x    xxxx  xxxxxxx  xxxxxxxxxx  xxxxxxxxxxxxx  xxxxxxxxxxxxxxxx
            """);
  }

  @Test
  void aJobIsMeantByItsNameOrTheBeginningOfItsId() throws IOException {
    FmirunDirectory heat = job("aaaaaaaaaaaa", "heat");
    FmirunDirectory other = job("abbbbbbbbbbb", "aaaa");
    List<FmirunDirectory> jobs = List.of(heat, other);
    assertThat(JobTable.meant("heat", jobs)).containsExactly(heat);
    assertThat(JobTable.meant("ab", jobs)).containsExactly(other);
    assertThat(JobTable.meant("a", jobs)).containsExactly(heat, other);
    assertThat(JobTable.meant("aaaa", jobs)).as("a name").containsExactly(other);
    assertThat(JobTable.meant("heats", jobs)).isEmpty();
  }
}
