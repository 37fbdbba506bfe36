package org.fmi.testkit;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where a simulated process takes connections of {@link SimStream}s. */
public final class SimPort {
  private final SimProcess process;
  private final Acceptor acceptor;
  private final int number;
  private boolean open = true;

  SimPort(SimProcess process, int number, Acceptor acceptor) {
    this.process = process;
    this.number = number;
    this.acceptor = acceptor;
  }

  /** Decides who gets a connection. On the process' background thread. */
  public interface Acceptor {
    /**
     * Somebody asks for a connection.
     *
     * @return who serves it; null to refuse
     */
    SimStream.@Nullable Handler accept(byte[] identity);
  }

  /** What others need to reach it. */
  public byte[] endpoint() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** Takes no connections any more; those that stand go on. */
  public void close() {
    open = false;
  }

  SimProcess process() {
    return process;
  }

  boolean isOpen() {
    return open && process.alive();
  }

  SimStream.@Nullable Handler accept(byte[] identity) {
    return acceptor.accept(identity);
  }
}
