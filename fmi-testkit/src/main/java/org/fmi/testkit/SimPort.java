package org.fmi.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A port where a simulated process accepts connections of {@link SimStream}s. */
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

  /** The caller's part of the dialogue before a connection is made. */
  public interface Caller {
    /** The first bytes of the caller. */
    byte[] start();

    /** The caller's answer, possibly empty. */
    byte[] answer(byte[] bytes);
  }

  /** Accepts or refuses connections. Called on the process' background thread. */
  public interface Acceptor {
    /**
     * Decides on a caller's request for a connection.
     *
     * @return the handler that serves the connection; null to refuse
     */
    SimStream.@Nullable Handler accept(Caller caller);

    /** A caller that knows everything but the job's secret. */
    Caller stranger();
  }

  /** The address of this port, for peers. */
  public byte[] endpoint() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** Accepts no more connections; existing connections stay. */
  public void close() {
    open = false;
  }

  SimProcess process() {
    return process;
  }

  boolean isOpen() {
    return open && process.alive();
  }

  SimStream.@Nullable Handler accept(Caller caller) {
    return acceptor.accept(caller);
  }

  /**
   * A stranger asks for a connection. Returns what it got beyond a closed connection; null for
   * nothing.
   */
  @Nullable String intrude() {
    Caller stranger = acceptor.stranger();
    byte[] said = stranger.start();
    List<byte[]> answers = new ArrayList<>();
    SimStream.Handler serving =
        accept(
            new Caller() {
              @Override
              public byte[] start() {
                return said;
              }

              @Override
              public byte[] answer(byte[] bytes) {
                answers.add(bytes.clone());
                return stranger.answer(bytes);
              }
            });
    if (serving != null) {
      return "a connection";
    }
    return answers.size() > 1 ? answers.size() + " answers" : null;
  }
}
