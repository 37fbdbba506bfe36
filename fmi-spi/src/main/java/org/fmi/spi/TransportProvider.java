package org.fmi.spi;

import java.io.IOException;
import java.util.List;

/** Makes transports; found through {@link java.util.ServiceLoader}. */
public interface TransportProvider {
  /** Short name, as in {@code --transport}. */
  String name();

  /**
   * The transport's rank in the order of preference for a peer, lowest first: 10 shared memory, 20
   * RDMA, 30 TCP.
   */
  int order();

  /**
   * Whether this machine appears to have the transport's hardware; a cheap check. If not, the
   * transport is left out silently, unless the user asked for it by name.
   */
  default boolean present() {
    return true;
  }

  /** The transport's requirements and what this machine has of them, for a person who asks. */
  default List<Finding> diagnose() {
    return List.of();
  }

  /**
   * Opens a transport for one epoch of one rank.
   *
   * @param diagnostics receives messages for the user
   * @throws IOException if it cannot work here now; the message says why and what would help. The
   *     rank continues without it in this epoch, unless the user asked for it by name or it is the
   *     last one.
   */
  Transport open(RankConfig config, int epoch, Diagnostics diagnostics) throws IOException;
}
