package org.fmi.core.p2p;

import org.fmi.core.p2p.MemoryNetwork.Options;

/** As {@link MemoryNetworkTest}, with refusals, delays and remote memory. */
class RoughMemoryNetworkTest extends MemoryNetworkTest {
  @Override
  Options options() {
    return Options.ROUGH.reading();
  }
}
