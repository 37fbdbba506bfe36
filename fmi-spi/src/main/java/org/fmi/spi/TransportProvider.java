package org.fmi.spi;

import java.io.IOException;
import java.util.List;

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
   * Whether this machine has what the transport is for, as far as can be told at no cost. If not,
   * it is left out silently, unless it was asked for by name.
   */
  default boolean present() {
    return true;
  }

  /** What the transport needs of a machine and what this one has of it, for a person who asks. */
  default List<Finding> diagnose() {
    return List.of();
  }

  /**
   * Opens a transport for one epoch of one rank.
   *
   * @param diagnostics shows what the user should know
   * @throws IOException if it cannot work here now; the message says why and what would help. The
   *     rank goes on without it in this epoch, unless it was asked for by name or is the last one.
   */
  Transport open(RankConfig config, int epoch, Diagnostics diagnostics) throws IOException;
}
