package org.fmi.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

  /** Speaks for whoever asks for a connection, before there is one. */
  public interface Caller {
    /** The first bytes it sends. */
    byte[] start();

    /** What it answers, possibly nothing. */
    byte[] answer(byte[] bytes);
  }

  /** Decides who gets a connection. On the process' background thread. */
  public interface Acceptor {
    /**
     * Somebody asks for a connection.
     *
     * @return who serves it; null to refuse
     */
    SimStream.@Nullable Handler accept(Caller caller);

    /** Somebody who knows all that is asked for, but for the job's secret. */
    Caller stranger();
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

  SimStream.@Nullable Handler accept(Caller caller) {
    return acceptor.accept(caller);
  }

  /** A stranger asks for a connection: says what it got, beyond a closed one. Null for nothing. */
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
