package org.fmi.run.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.fmi.job.JobSpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which nodes can be added to a job; those of Slurm are tried with Slurm's other options. */
final class AddedNodeTest {
  @TempDir private Path directory;

  @BeforeEach
  void aProgram() throws IOException {
    Files.createDirectories(directory.resolve("classes"));
    Files.createFile(directory.resolve("classes/App.class"));
  }

  private RunOptions options(String line) throws UsageException {
    List<String> words = Arrays.asList((line + " -cp classes App").split("\\s+"));
    Settings settings = Settings.read(words, Map.of(), directory.resolve("fmi.conf"));
    return RunOptions.of(settings, Map.of(), directory, _ -> true);
  }

  private String refusal(String job, String added) throws UsageException {
    RunOptions options = options(job);
    UsageException e =
        catchThrowableOfType(UsageException.class, () -> AddedNode.read(added, 2, options));
    assertThat(e).as(added).isNotNull();
    return String.valueOf(e.getMessage());
  }

  @Test
  void aLocalJobGetsOneMoreLocalNode() throws Exception {
    assertThat(AddedNode.read("", 2, options("-n 4 --ppn 2")))
        .isEqualTo(new JobSpec.Node("node2", 2, true));
    assertThat(refusal("-n 4 --ppn 2", "b"))
        .isEqualTo("add: the nodes of the job are on this machine; omit b");
  }

  @Test
  void aHostHasTheSlotsThatAreGivenOrThoseOfTheFirstOne() throws Exception {
    assertThat(AddedNode.read("c:3", 2, options("-n 4 --hosts a:2,b:2")))
        .isEqualTo(new JobSpec.Node("c", 3, true));
    assertThat(AddedNode.read("me@c", 2, options("-n 4 --hosts a:2,b:2")))
        .isEqualTo(new JobSpec.Node("me@c", 2, true));
  }

  @Test
  void whatIsNoHostIsRefused() throws Exception {
    String job = "-n 2 --hosts a,b";
    assertThat(refusal(job, "")).startsWith("add: no host given");
    assertThat(refusal(job, "-oProxyCommand=x")).contains("is not a host name");
    assertThat(refusal(job, "c:0")).contains("is not a number of slots");
    assertThat(refusal(job, "c,d")).isEqualTo("add: one host at a time, not c,d");
    assertThat(refusal("-n 2 --transport shm", "")).contains("--transport shm");
  }
}
