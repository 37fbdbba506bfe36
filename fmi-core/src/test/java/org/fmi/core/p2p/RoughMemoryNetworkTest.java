package org.fmi.core.p2p;

import org.fmi.core.p2p.MemoryNetwork.Options;

/** As {@link MemoryNetworkTest}, of one that refuses and delays, and whose ranks read memory. */
class RoughMemoryNetworkTest extends MemoryNetworkTest {
  @Override
  Options options() {
    return Options.ROUGH.reading();
  }
}
