package org.fmi.transport.rdma;

import java.nio.file.Path;
import org.fmi.testkit.contract.TransportContract;
import org.fmi.testkit.contract.TransportThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("rdma")
class RdmaContractTest extends TransportContract {
  @TempDir Path directory = Path.of("");

  @Override
  public void run(int ranks, Body body) throws Exception {
    TransportThreads.run(new RdmaTransportProvider(), directory, ranks, body);
  }

  @Override
  public boolean hasRemoteMemory() {
    return true;
  }
}
