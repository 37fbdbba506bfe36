package org.fmi.core.comm;

import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Message;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.MessageRequest;
import org.jspecify.annotations.Nullable;

/** A message that a probe has matched. */
final class MatchedMessage implements Message {
  private final UnsizedCalls calls;
  private final Status status;

  /** The receive, without a buffer until the message is received; null for no process. */
  private final @Nullable MessageRequest probed;

  /** Creates the result of a probe. */
  MatchedMessage(UnsizedCalls calls, @Nullable MessageRequest probed, Status status) {
    this.calls = calls;
    this.probed = probed;
    this.status = status;
  }

  @Override
  public Status status() {
    return status;
  }

  @Override
  public Status recv(Object buffer) {
    return irecv(buffer).waitFor();
  }

  @Override
  public Request irecv(Object data) {
    Object buffer = Buffers.plain(data);
    long _ = Buffers.checkWrite(buffer); // before the message is used up
    MessageRequest r = take();
    return r == null
        ? new CompletedRequest(Status.PROC_NULL)
        : calls.receive(r, status.tag(), buffer);
  }

  @Override
  public <T> T recv(Class<T> arrayType) {
    Object empty = UnsizedCalls.empty(arrayType);
    MessageRequest r = take();
    return r == null ? arrayType.cast(empty) : calls.receive(r, status.tag(), arrayType);
  }

  @Override
  public <T> @Nullable T recvObject(Class<T> type) {
    ObjectCalls.checkType(type);
    MessageRequest r = take();
    return r == null ? null : calls.receiveObject(r, type, status);
  }

  /** Returns the receive; null for no process. */
  private @Nullable MessageRequest take() {
    MessageRequest r = probed;
    if (r != null && !r.isClaim()) {
      throw new FmiException(
          ErrorClass.REQUEST,
          "the message of rank "
              + status.source()
              + " with tag "
              + status.tag()
              + " was received already: receive each Message once");
    }
    return r;
  }
}
