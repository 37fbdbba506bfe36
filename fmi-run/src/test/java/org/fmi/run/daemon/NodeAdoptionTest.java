package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.fmi.job.control.Bootstrap;
import org.fmi.testkit.support.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeAdoptionTest {
  private static final byte[] SECRET = new byte[32];
  private static final int NODE = 3;

  private final String job = UUID.randomUUID().toString().replace("-", "").substring(0, 12);

  @TempDir private Path disk;

  @AfterEach
  void nothingStays() throws IOException {
    NodeFence.fence(bootstrap(9, 9, ""));
  }

  private Bootstrap bootstrap(int generation, int memory, String pieces) {
    return new Bootstrap(
        job, NODE, generation, memory, SECRET, List.of(), 0, pieces, 1000, 1000, 1000);
  }

  /** What a daemon of another process leaves that was killed. */
  private Path dead(int generation) throws Exception {
    Process daemon =
        JavaProcess.of(
                NodeDirectoryTest.Holder.class,
                job,
                Integer.toString(generation),
                Integer.toString(NODE))
            .start();
    try (var out = daemon.inputReader()) {
      return Path.of(String.valueOf(out.readLine()));
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  private static List<String> content(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void takesCheckpointsAloneAndEndsWhatIsLeft() throws Exception {
    Path old = dead(0);
    for (String name : List.of("ckpt-r0-0", "ckpt-r11-1", "l2-r0-e0-v1-0", "addresses-0")) {
      Files.writeString(old.resolve(name), name);
    }
    Files.createDirectory(old.resolve("warm-17"));
    ProcessBuilder left = new ProcessBuilder("setsid", "sleep", "1000");
    left.environment().put(NodeDirectory.SOCKET_VARIABLE, old + "/daemon.sock");
    Process rank = left.start();
    NodeDirectory next = NodeDirectory.create(job, NODE, 1, SECRET);
    try {
      NodeAdoption.adopt(bootstrap(1, 0, ""), next);
      assertThat(rank.isAlive()).isFalse();
      assertThat(old).doesNotExist();
      assertThat(content(next.path())).containsExactly("ckpt-r0-0", "ckpt-r11-1", "lock");
      assertThat(next.path().resolve("ckpt-r11-1")).hasContent("ckpt-r11-1");
    } finally {
      rank.destroyForcibly();
      next.destroy();
    }
  }

  /** As after the death of a daemon that was taking them. */
  @Test
  void findsCheckpointsOfSeveralDaemons() throws Exception {
    Files.writeString(dead(0).resolve("ckpt-r2-0"), "of another memory of the node");
    Files.writeString(dead(1).resolve("ckpt-r0-0"), "x");
    Files.writeString(dead(2).resolve("ckpt-r1-0"), "x");
    NodeDirectory next = NodeDirectory.create(job, NODE, 3, SECRET);
    try {
      NodeAdoption.adopt(bootstrap(3, 1, ""), next);
      assertThat(content(next.path())).containsExactly("ckpt-r0-0", "ckpt-r1-0", "lock");
      assertThat(NodePaths.of(job, NODE, 0, SECRET)).doesNotExist();
    } finally {
      next.destroy();
    }
  }

  /** The machine has been started again: what is on a disk may be older than the daemon. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutTheDirectoryInMemoryAllIsLost(boolean onDisk) throws Exception {
    String pieces = onDisk ? disk.toString() : "";
    if (onDisk) {
      NodeDirectory old = NodeDirectory.createOnDisk(bootstrap(0, 0, pieces));
      Files.writeString(old.path().resolve("ckpt-r0-0"), "x");
    }
    NodeDirectory next = NodeDirectory.create(job, NODE, 1, SECRET);
    try {
      assertThatIOException()
          .isThrownBy(() -> NodeAdoption.adopt(bootstrap(1, 0, pieces), next))
          .withMessage("the memory of its last daemon is gone");
    } finally {
      next.destroy();
    }
  }

  @Test
  void takesThemOnADisk() throws Exception {
    Path memory = dead(0);
    NodeDirectory old = NodeDirectory.createOnDisk(bootstrap(0, 0, disk.toString()));
    Files.writeString(old.path().resolve("ckpt-r0-0"), "x");
    NodeDirectory next = NodeDirectory.createOnDisk(bootstrap(1, 0, disk.toString()));
    try {
      NodeAdoption.adopt(bootstrap(1, 0, disk.toString()), next);
      assertThat(content(next.path())).containsExactly("ckpt-r0-0", "lock");
      assertThat(old.path()).doesNotExist();
      assertThat(memory).doesNotExist();
    } finally {
      next.delete();
    }
  }
}
