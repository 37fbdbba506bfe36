package org.fmi.core.spi;

/** Makes transports; found through {@link java.util.ServiceLoader}. */
public interface TransportProvider {
  /** Short name, as in {@code --transport}. */
  String name();

  /**
   * Transports are tried for a peer in the order of this number, lowest first: 10 shared memory, 20
   * RDMA, 30 TCP.
   */
  int order();

  /**
   * Opens a transport for one epoch of one rank.
   *
   * @throws java.io.IOException if it cannot work here; the message says why and what would help
   */
  Transport open(RankConfig config, int epoch) throws java.io.IOException;
}
