package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.testkit.turns.Variants;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link SoakProgram} with a recorded seed and recorded kills gives the recorded checksum, whoever
 * goes back, however checkpoints are taken, and over whichever transport.
 */
@Isolated("its ranks keep two cores busy by themselves")
final class RecordedSoakIT {
  private static final String SEED = "4719";
  private static final String ITERATIONS = "60";

  /** Of four ranks. Changes with the program, and with nothing else. */
  private static final String CHECKSUM = "903c6aa6c6773f27";

  private static final List<String> MODES =
      List.of(
          "--rollback local",
          "--rollback global",
          "--rollback local --checkpoint overlapped",
          "--rollback global --checkpoint overlapped");

  private static final String SEVERAL_NODES = "--ppn 2 --spares 1 --kill rank3@25 --kill node0@45";

  private static final List<String> TRANSPORTS =
      List.of(
          "--transport tcp " + SEVERAL_NODES,
          SEVERAL_NODES,
          "--transport shm --kill rank3@25 --kill rank0@45");

  @TempDir private Path directory;

  static Stream<Arguments> modesAndTransports() {
    return MODES.stream().flatMap(m -> TRANSPORTS.stream().map(t -> Arguments.of(m, t)));
  }

  @Variants
  @ParameterizedTest
  @MethodSource("modesAndTransports")
  void givesTheRecordedChecksum(String mode, String transport)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "4", "--interval", "10"));
    all.addAll(List.of(mode.split(" ")));
    all.addAll(List.of(transport.split(" ")));
    all.addAll(List.of("-cp", "target/test-classes", SoakProgram.class.getName()));
    all.addAll(List.of(SEED, ITERATIONS));
    Fmirun.Result result = new Fmirun(directory, all.toArray(String[]::new)).run().succeeded();
    assertThat(result.value("checksum")).as(result.err()).isEqualTo(CHECKSUM);
    assertThat(result.value("recoveries")).as(result.err()).isEqualTo("2");
    // With overlapped ones all go back where the loss finds a line just before its commit.
    if (!mode.contains("overlapped")) {
      assertThat(result.events("Continued").isEmpty()).isEqualTo(mode.contains("global"));
    }
  }

  /**
   * In a virtual machine, which stands still for seconds now and then: {@code dev/rdma-vm/test}.
   */
  @Tag("rdma")
  @ParameterizedTest
  @ValueSource(strings = {"--rollback local", "--rollback global"})
  void givesItOverRdma(String mode) throws IOException, InterruptedException {
    givesTheRecordedChecksum(mode, "--transport rdma --heartbeat 60 " + SEVERAL_NODES);
  }
}
