package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.spi.Finding;
import org.fmi.verbs.Devices;
import org.fmi.verbs.LockedMemory;
import org.fmi.verbs.VerbsProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiagnosisTest {
  @TempDir Path directory = Path.of("");

  @Test
  void aMachineWithoutDevicesLacksNothingUnlessTheUserAsksForThem() {
    String none =
        "rdma: no RDMA device on this machine ("
            + directory
            + " is empty or missing); is its driver loaded?";
    assertThat(new Diagnosis(new Devices(directory), false).findings())
        .contains(Finding.unused(none))
        .noneMatch(finding -> finding.kind() == Finding.Kind.MISSING);
    assertThat(new Diagnosis(new Devices(directory), true).findings())
        .contains(Finding.missing(none))
        .noneMatch(finding -> finding.kind() == Finding.Kind.UNUSED);
  }

  @Test
  void aPortThatIsDownIsMissingAndSaysWhatItIs() throws IOException {
    Path port = Files.createDirectories(directory.resolve("mlx5_0/ports/1"));
    Files.writeString(port.resolve("state"), "1: DOWN\n");
    Files.writeString(directory.resolve("mlx5_0/node_type"), "1: CA\n");
    Files.writeString(port.resolve("link_layer"), "InfiniBand\n");
    assertThat(new Diagnosis(new Devices(directory), false).findings())
        .contains(
            Finding.missing(
                "rdma: mlx5_0 port 1 (1: DOWN), InfiniBand; is a cable or the subnet manager"
                    + " missing?"));
  }

  private static VerbsProvider provider() throws IOException {
    return VerbsProvider.named(VerbsProvider.NATIVE);
  }

  @Test
  void aLimitTooLowNamesItselfAndTheWayOut() {
    assertThatThrownBy(() -> Diagnosis.lockedMemory(64 << 10, false, provider()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "rdma: locked memory (ulimit -l): 64 KiB; a rank needs 4184 KiB, with 1000 peers"
                + " 119984 KiB; "
                + LockedMemory.WAY_OUT);
  }

  @Test
  void aLimitThatSufficesOrDoesNotHoldIsFine() throws IOException {
    assertThat(Diagnosis.lockedMemory(8 << 20, false, provider())).contains("8192 KiB");
    assertThat(Diagnosis.lockedMemory(64 << 10, true, provider()))
        .contains("64 KiB", "CAP_IPC_LOCK");
    assertThat(Diagnosis.lockedMemory(LockedMemory.UNLIMITED, false, provider()))
        .contains("unlimited");
  }
}
