package org.fmi.net;

import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Records the calls of a connection's handler, for tests. */
final class Recorder implements ConnectionHandler {
  /** A recorded call, with its frame or reason if it has one. */
  record Event(Connection connection, byte @Nullable [] frame, @Nullable Closed closed) {
    Closed end() {
      if (closed == null) {
        throw new AssertionError("open, not closed: " + connection);
      }
      return closed;
    }

    byte[] bytes() {
      if (frame == null) {
        throw new AssertionError("not a frame: " + this);
      }
      return frame;
    }
  }

  private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();

  Event next() throws InterruptedException {
    Event event = events.poll(60, TimeUnit.SECONDS);
    if (event == null) {
      throw new AssertionError("nothing happened within 60 s");
    }
    return event;
  }

  boolean quiet() {
    return events.isEmpty();
  }

  @Override
  public void onOpen(Connection connection) {
    events.add(new Event(connection, null, null));
  }

  @Override
  public void onFrame(Connection connection, ByteBuffer frame) {
    byte[] copy = new byte[frame.remaining()];
    frame.get(copy);
    events.add(new Event(connection, copy, null));
  }

  @Override
  public void onClosed(Connection connection, Closed closed) {
    events.add(new Event(connection, null, closed));
  }
}
