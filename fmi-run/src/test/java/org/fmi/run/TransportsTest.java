package org.fmi.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.fmi.spi.TransportProvider;
import org.junit.jupiter.api.Test;

/**
 * The names and the order of transports, which {@code --transport}, the log-ring and documents know
 * too: no compiler holds them together.
 */
final class TransportsTest {
  private static final Path CONTRIBUTING = Path.of("../CONTRIBUTING.md");

  @Test
  void theFasterIsTriedFirst() {
    assertThat(Transports.find())
        .extracting(TransportProvider::name)
        .containsExactly("shm", "rdma", "tcp");
  }

  @Test
  void theOrderIsAsDocumented() throws Exception {
    List<String> order =
        Transports.find().stream().map(each -> each.name() + " is " + each.order()).toList();
    assertThat(order).containsExactly("shm is 10", "rdma is 20", "tcp is 30");
    assertThat(Files.readString(CONTRIBUTING)).contains("shm is 10, rdma 20, tcp 30");
  }
}
