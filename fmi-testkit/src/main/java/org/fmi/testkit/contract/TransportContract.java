package org.fmi.testkit.contract;

import org.fmi.spi.Transport;

/**
 * The contract of every {@link Transport}, by topic. A transport's test extends this class and runs
 * ranks in {@link #run}, most likely with {@link TransportThreads}.
 */
public abstract class TransportContract
    implements MessagesContract, WaitingContract, RemoteMemoryContract, EndingContract {
  /** The epoch of the transports under test. */
  public static final int EPOCH = 7;
}
