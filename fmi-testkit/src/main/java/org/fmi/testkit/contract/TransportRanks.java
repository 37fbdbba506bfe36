package org.fmi.testkit.contract;

import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.spi.Transport;

/** Runs ranks on the transport under test. */
public interface TransportRanks {
  /** One rank under test. Its transport is open and not started, and closed afterwards. */
  interface Member {
    int rank();

    Transport transport();

    /** Of all ranks. */
    byte[][] endpoints();

    /** Waits until all members have come here; no transport is polled meanwhile. */
    void meet() throws Exception;

    /** How often members have got all that they wait for, of all together. */
    AtomicInteger arrivals();

    /** Runs something soon, on another thread. */
    void elsewhere(Runnable action);
  }

  /** What each rank of a test does. */
  interface Body {
    void run(Member member) throws Exception;
  }

  /** Runs {@code body} for each of {@code ranks} ranks, all at the same time. */
  void run(int ranks, Body body) throws Exception;

  /** Whether a rank may have several threads. */
  default boolean hasThreads() {
    return true;
  }

  /** Whether a rank can read the memory of others. */
  default boolean hasRemoteMemory() {
    return false;
  }

  /** How much memory takes so long to be read that a rank may stop meanwhile. */
  default long longRead() {
    return 4 << 20;
  }

  /** Whether it can read it into arrays. */
  default boolean readsIntoArrays() {
    return false;
  }
}
