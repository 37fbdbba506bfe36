package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.fmi.run.program.ProgramCopy;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeProgramTest {
  private static final byte[] SECRET = new byte[32];

  @TempDir private Path directory;

  /** Where the node keeps what is large. */
  private Path disk = directory;

  private Path jar = directory;

  private final String job =
      HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()).substring(4);

  @BeforeEach
  void files() throws IOException {
    disk = Files.createDirectory(directory.resolve("disk"));
    jar = Files.writeString(directory.resolve("app.jar"), "the program");
  }

  private NodeProgram keep(ProgramEntry... entries) throws IOException {
    NodeSetup setup =
        NodeSetup.builder()
            .job(RankConfigs.job(1).heartbeatMillis(1000).build())
            .mainClass("Program")
            .classPath(List.of(entries))
            .workDirectory(directory.toString())
            .build();
    return NodeProgram.keep(
        setup,
        new Bootstrap(job, 3, 0, 0, SECRET, List.of(), 0, disk.toString(), 1000, 1000, 1000));
  }

  /** As fmirun has found it. */
  private ProgramEntry found(Kind kind) throws IOException {
    ProgramEntry entry = new ProgramEntry(jar.toString(), kind, Files.size(jar), "");
    return entry.with(ProgramCopy.digest(entry));
  }

  @Test
  void aNodeKeepsWhatTheJobBeganWith() throws IOException {
    ProgramEntry other = ProgramEntry.inPlace("/nowhere");
    try (NodeProgram program = keep(found(Kind.COPIED), ProgramEntry.inPlace("/"))) {
      Files.delete(jar);
      program.requireUnchanged();
      assertThat(program.classPath()).hasSize(2).last().isEqualTo("/");
      assertThat(Path.of(program.classPath().getFirst()))
          .hasContent("the program")
          .startsWith(disk);
    }
    assertThat(disk).isEmptyDirectory();
    assertThatIOException()
        .isThrownBy(() -> keep(other))
        .withMessageStartingWith("/nowhere does not exist");
  }

  @Test
  void aNodeWithAnotherProgramIsRefusedAndKeepsNothing() throws IOException {
    ProgramEntry found = found(Kind.COPIED);
    Files.writeString(jar, "the Program");
    assertThatIOException()
        .isThrownBy(() -> keep(found))
        .withMessageContaining(
            jar + " differs from the file that fmirun found when the job started (SHA-256 ")
        .withMessageContaining("not " + found.digest().substring(0, 12));
    Files.writeString(jar, "a program");
    assertThatIOException()
        .isThrownBy(() -> keep(found))
        .withMessageContaining("(9 bytes, not 11)");
    Files.delete(jar);
    assertThatIOException()
        .isThrownBy(() -> keep(found))
        .withMessageContaining(jar + " does not exist or cannot be read");
    assertThat(disk).isEmptyDirectory();
  }

  @Test
  void whatIsUsedWhereItIsMustStayAsItWas() throws IOException {
    try (NodeProgram program = keep(found(Kind.IN_PLACE))) {
      assertThat(program.classPath()).containsExactly(jar.toString());
      assertThat(disk).as("nothing is copied").isEmptyDirectory();
      program.requireUnchanged();
      Files.writeString(jar, "another program");
      assertThatIOException()
          .isThrownBy(program::requireUnchanged)
          .withMessageContaining(jar + " has changed since the job started");
      Files.delete(jar);
      assertThatIOException().isThrownBy(program::requireUnchanged);
    }
  }

  @Test
  void aSmallProgramIsKeptInMemoryAndALargeOneOnADisk() throws IOException {
    NodeDirectory small = NodeDirectory.createForProgram(job, 3, 0, SECRET, "", 1);
    NodeDirectory large =
        NodeDirectory.createForProgram(
            job, 4, 0, SECRET, "", NodeDirectory.PROGRAM_IN_MEMORY_BYTES + 1);
    assertThat(small.path().getParent()).isEqualTo(NodePaths.of(job, 3, 0, SECRET).getParent());
    assertThat(large.path().getParent()).isEqualTo(Path.of(System.getProperty("java.io.tmpdir")));
    for (int node : List.of(3, 4)) {
      NodeFence.fence(new Bootstrap(job, node, 0, 0, SECRET, List.of(), 0, "", 1000, 1000, 1000));
    }
    assertThat(small.path()).doesNotExist();
    assertThat(large.path()).doesNotExist();
  }
}
