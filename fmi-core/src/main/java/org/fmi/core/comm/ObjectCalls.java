package org.fmi.core.comm;

import java.io.Serializable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.ObjectRequest;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.p2p.ArrayRequest;
import org.fmi.core.p2p.FlowPart;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.jspecify.annotations.Nullable;

/** The calls of a communicator that send and receive objects, as bytes with a dedicated type. */
final class ObjectCalls {
  private static final byte[] EMPTY = new byte[0];

  private final PointToPoint p2p;
  private final MessageCalls calls;
  private final Communicator comm;

  ObjectCalls(PointToPoint p2p, MessageCalls calls, Communicator comm) {
    this.p2p = p2p;
    this.calls = calls;
    this.comm = comm;
  }

  void send(@Nullable Object object, int dest, int tag) {
    calls.checkDest(dest, tag);
    FlowPart reach = p2p.reach();
    if (calls.sendsTo(dest, reach)) {
      ObjectCodec.Bytes bytes = bytes(object);
      p2p.send(
          bytes.array(),
          0,
          bytes.length(),
          comm.members.world(dest),
          calls.context,
          tag(tag, reach),
          Mode.STANDARD);
    }
  }

  Request isend(@Nullable Object object, int dest, int tag) {
    calls.checkDest(dest, tag);
    FlowPart reach = p2p.reach();
    if (!calls.sendsTo(dest, reach)) {
      return new CompletedRequest(Status.EMPTY);
    }
    ObjectCodec.Bytes bytes = bytes(object);
    return p2p.isend(
        bytes.array(),
        0,
        bytes.length(),
        comm.members.world(dest),
        calls.context,
        tag(tag, reach),
        Mode.STANDARD);
  }

  <T> @Nullable T recv(Class<T> type, int source, int tag) {
    checkType(type);
    calls.checkProbe(source, tag);
    FlowPart reach = p2p.reach();
    if (!calls.receivesUnsized(source, reach)) {
      return null;
    }
    PointToPoint.NewArray got =
        p2p.recvNew(EMPTY, comm.members.world(source), calls.context, tag(tag, reach));
    return object(got.array(), type, comm.members.local(got.status()));
  }

  <T> ObjectRequest<T> irecv(Class<T> type, int source, int tag) {
    checkType(type);
    calls.checkProbe(source, tag);
    FlowPart reach = p2p.reach();
    ArrayRequest request =
        calls.receivesUnsized(source, reach)
            ? p2p.irecvNew(EMPTY, comm.members.world(source), calls.context, tag(tag, reach))
            : null;
    return new ObjectReceive<>(request, type, comm);
  }

  /** Receives a message that a probe has matched. */
  <T> @Nullable T receive(MessageRequest probed, Class<T> type, Status found) {
    ArrayRequest request =
        p2p.imrecv(probed, EMPTY, 0, PointToPoint.ALLOCATE, tag(found.tag(), p2p.reach()));
    Status _ = request.waitFor();
    return object(request.array(), type, found);
  }

  private static long tag(int tag, @Nullable FlowPart reach) {
    long own = MessageTag.ofObject(tag);
    return reach == null ? own : reach.tag(own);
  }

  static void checkType(@Nullable Class<?> type) {
    if (type == null || type.isPrimitive()) {
      throw new FmiException(
          ErrorClass.TYPE,
          type + " is no class of objects: use that of the object, such as Integer.class");
    }
  }

  /** Returns the message of an object. */
  static ObjectCodec.Bytes bytes(@Nullable Object object) {
    try {
      return ObjectCodec.writeMessage(object);
    } catch (IllegalArgumentException e) {
      String name = object == null ? "null" : object.getClass().getName();
      FmiException refusal =
          new FmiException(
              ErrorClass.TYPE,
              "a "
                  + name
                  + " cannot be sent, as "
                  + (object instanceof Serializable
                      ? e.getMessage()
                          + "; -J -Dsun.io.serialization.extendedDebugInfo=true says where"
                      : "it is not java.io.Serializable"));
      refusal.initCause(e);
      throw refusal;
    }
  }

  /**
   * Returns the object of a message.
   *
   * @param from the status of its receive
   */
  static <T> @Nullable T object(Object bytes, Class<T> type, Status from) {
    Object object;
    try {
      object = ObjectCodec.readMessage((byte[]) bytes);
    } catch (IllegalArgumentException e) {
      FmiException refusal =
          new FmiException(
              ErrorClass.TYPE, describe(from) + " cannot be read and is lost: " + e.getMessage());
      refusal.initCause(e);
      throw refusal;
    }
    if (object != null && !type.isInstance(object)) {
      throw new FmiException(
          ErrorClass.TYPE,
          describe(from)
              + " is a "
              + object.getClass().getName()
              + ", where a "
              + type.getName()
              + " is received: receive it as one, or as Object");
    }
    return type.cast(object);
  }

  private static String describe(Status from) {
    return "the object that rank "
        + from.source()
        + " has sent"
        + (from.tag() == Comm.ANY_TAG ? "" : " with tag " + from.tag());
  }
}
