package org.fmi.testkit.contract;

import org.fmi.spi.Transport;

/**
 * What every {@link Transport} must do, by topic. A transport's test extends this class and says in
 * {@link #run} how ranks are run, most likely with {@link TransportThreads}.
 */
public abstract class TransportContract
    implements MessagesContract, WaitingContract, RemoteMemoryContract, EndingContract {
  /** The epoch of the transports under test. */
  public static final int EPOCH = 7;
}
