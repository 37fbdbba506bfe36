package org.fmi.testkit.contract;

import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.spi.Transport;

/** Runs ranks on the transport under test. */
public interface TransportRanks {
  /** A rank under test. Its transport is open and not started, and closed afterwards. */
  interface Member {
    int rank();

    Transport transport();

    /** The endpoints of all ranks. */
    byte[][] endpoints();

    /** Waits until all members have called this; polls no transport meanwhile. */
    void meet() throws Exception;

    /** The number of times that members, all together, have received everything. */
    AtomicInteger arrivals();

    /** Runs an action soon, on another thread. */
    void elsewhere(Runnable action);
  }

  /** A rank's part of a test. */
  interface Body {
    void run(Member member) throws Exception;
  }

  /** Runs {@code body} for each of {@code ranks} ranks, all at the same time. */
  void run(int ranks, Body body) throws Exception;

  /** Whether a rank may have several threads. */
  default boolean hasThreads() {
    return true;
  }

  /** Whether a rank can read its peers' memory. */
  default boolean hasRemoteMemory() {
    return false;
  }

  /** A size whose read takes so long that a rank can stop meanwhile. */
  default long longRead() {
    return 4 << 20;
  }

  /** Whether it can read remote memory into arrays. */
  default boolean readsIntoArrays() {
    return false;
  }
}
