package org.fmi.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest {
  @TempDir Path directory = Path.of("");

  private void port(String device, String number, String state) throws IOException {
    Path port = directory.resolve(device).resolve("ports").resolve(number);
    Files.createDirectories(port);
    Files.writeString(port.resolve("state"), state + "\n");
    type(device, "1: CA");
  }

  private void type(String device, String type) throws IOException {
    Files.writeString(directory.resolve(device).resolve("node_type"), type + "\n");
  }

  @Test
  void iWarpIsLeftOut() throws Exception {
    port("siw0", "1", "4: ACTIVE");
    type("siw0", "4: RNIC");
    Devices devices = new Devices(directory);
    assertThat(devices.ports()).isEmpty();
    assertThat(devices.active("siw0", 1)).isFalse();
    assertThatThrownBy(devices::check)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no InfiniBand or RoCE device")
        .hasMessageContaining("siw0 (4: RNIC)");
    port("mlx5_0", "1", "4: ACTIVE");
    devices.check();
    assertThat(devices.ports())
        .extracting(Devices.Port::toString)
        .containsExactly("mlx5_0 port 1 (4: ACTIVE)");
  }

  @Test
  void aMachineWithoutDevicesIsSaid() throws Exception {
    Devices none = new Devices(directory.resolve("missing"));
    assertThat(none.ports()).isEmpty();
    assertThatThrownBy(none::check)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no RDMA device");
  }

  @Test
  void aPortThatIsDownIsSaid() throws Exception {
    port("mlx5_0", "1", "1: DOWN");
    port("mlx5_0", "2", "2: INIT");
    Devices devices = new Devices(directory);
    assertThatThrownBy(devices::check)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no active port")
        .hasMessageContaining("mlx5_0 port 1 (1: DOWN)");
    assertThat(devices.active("mlx5_0", 1)).isFalse();
  }

  @Test
  void aPortThatIsUpIsFound() throws Exception {
    port("mlx5_0", "1", "1: DOWN");
    port("mlx5_1", "1", "4: ACTIVE");
    Devices devices = new Devices(directory);
    devices.check();
    assertThat(devices.active("mlx5_0", 1)).isFalse();
    assertThat(devices.active("mlx5_1", 1)).isTrue();
    assertThat(devices.active("mlx5_1", 2)).isFalse();
  }

  @Test
  void aPortsAddressesAreThoseInUse() throws Exception {
    port("mlx5_0", "1", "4: ACTIVE");
    Path port = directory.resolve("mlx5_0/ports/1");
    Files.writeString(port.resolve("link_layer"), "Ethernet\n");
    Path gids = Files.createDirectory(port.resolve("gids"));
    Files.writeString(gids.resolve("0"), "fe80:0000:0000:0000:5054:00ff:fe12:3456\n");
    Files.writeString(gids.resolve("1"), "0000:0000:0000:0000:0000:ffff:0a09:0001\n");
    Files.writeString(gids.resolve("2"), "0000:0000:0000:0000:0000:ffff:0a09:0001\n");
    Files.writeString(gids.resolve("3"), "0000:0000:0000:0000:0000:0000:0000:0000\n");
    Devices devices = new Devices(directory);
    Devices.Port found = devices.ports().getFirst();
    assertThat(devices.linkLayer(found)).isEqualTo("Ethernet");
    assertThat(devices.gids(found))
        .containsExactly(
            "fe80:0000:0000:0000:5054:00ff:fe12:3456", "0000:0000:0000:0000:0000:ffff:0a09:0001");
  }
}
