package org.fmi.transport.shm;

import java.nio.file.Path;
import org.fmi.testkit.contract.TransportContract;
import org.fmi.testkit.contract.TransportThreads;
import org.junit.jupiter.api.io.TempDir;

class ShmContractTest extends TransportContract {
  @TempDir Path directory = Path.of("");

  @Override
  public boolean hasRemoteMemory() {
    return true;
  }

  @Override
  public boolean readsIntoArrays() {
    return true;
  }

  @Override
  public void run(int ranks, Body body) throws Exception {
    TransportThreads.run(new ShmTransportProvider(), directory, ranks, body);
  }
}
