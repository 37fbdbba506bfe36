package org.fmi.core.comm;

import java.io.InvalidObjectException;
import java.io.Serializable;
import java.util.List;
import org.fmi.Message;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.log.StateRequests;
import org.fmi.core.object.StandIns;

/** The stand-ins for communicators and requests in the state of a loop. */
final class StateStandIns implements StandIns {
  private final Communicators communicators;
  private final StateRequests requests;

  /**
   * The stand-in for a request of a communicator whose ranks differ from the world's.
   *
   * @param request the stand-in for the request and, in {@code communicator}, its communicator
   */
  private record Translated(Object request, Object communicator) implements Serializable {}

  /** The stand-in for a request without an operation. */
  private record Completed(int source, int tag, long bytes) implements Serializable {}

  StateStandIns(Communicators communicators, StateRequests requests) {
    this.communicators = communicators;
    this.requests = requests;
  }

  @Override
  public void writes(List<Object> sections) {
    requests.writes(sections);
  }

  @Override
  public void haveRead(List<Object> sections) {
    requests.haveRead(sections);
  }

  @Override
  public Object of(Object object) {
    return switch (object) {
      case TranslatedRequest t -> new Translated(t.request(), t.communicator());
      case CompletedRequest c -> {
        Status s = c.status();
        yield new Completed(s.source(), s.tag(), s.bytes());
      }
      case Message _ ->
          throw new IllegalArgumentException(
              "it refers to a Message: receive it before the end of an iteration");
      case ObjectReceive<?> _ ->
          throw new IllegalArgumentException(
              "it refers to the receive of an object: get that before the end of an iteration");
      default -> communicators.of(requests.of(object));
    };
  }

  @Override
  public Object find(Object read) throws InvalidObjectException {
    return switch (read) {
      case Translated t ->
          new TranslatedRequest((Request) t.request, (Communicator) t.communicator);
      case Completed c -> new CompletedRequest(new Status(c.source, c.tag, c.bytes));
      default -> communicators.find(requests.find(read));
    };
  }
}
