package org.fmi.core.comm;

import java.lang.reflect.Array;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Message;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.PointToPoint;
import org.jspecify.annotations.Nullable;

/** The calls of a communicator that receive messages of unknown length. */
final class UnsizedCalls {
  private final PointToPoint p2p;
  private final MessageCalls calls;
  private final ObjectCalls objects;
  private final Communicator comm;

  UnsizedCalls(PointToPoint p2p, MessageCalls calls, ObjectCalls objects, Communicator comm) {
    this.objects = objects;
    this.p2p = p2p;
    this.calls = calls;
    this.comm = comm;
  }

  Message mprobe(int source, int tag) {
    calls.checkProbe(source, tag);
    return calls.receivesUnsized(source, p2p.reach())
        ? matched(p2p.mprobe(comm.members.world(source), calls.context, tag))
        : new MatchedMessage(this, null, Status.PROC_NULL);
  }

  @Nullable Message improbe(int source, int tag) {
    calls.checkProbe(source, tag);
    if (!calls.receivesUnsized(source, p2p.reach())) {
      return new MatchedMessage(this, null, Status.PROC_NULL);
    }
    MessageRequest found = p2p.improbe(comm.members.world(source), calls.context, tag);
    return found == null ? null : matched(found);
  }

  private Message matched(MessageRequest r) {
    return new MatchedMessage(this, r, comm.members.local(r.probedStatus()));
  }

  <T> T recv(Class<T> arrayType, int source, int tag) {
    Object empty = empty(arrayType);
    calls.checkProbe(source, tag);
    if (!calls.receivesUnsized(source, p2p.reach())) {
      return arrayType.cast(empty);
    }
    return arrayType.cast(
        p2p.recvNew(
                empty,
                comm.members.world(source),
                calls.context,
                MessageCalls.tag(Buffers.type(empty), tag, p2p.reach()))
            .array());
  }

  // ---- a message that a probe has matched

  /** Starts to receive it into a checked, plain buffer. */
  Request receive(MessageRequest probed, int tag, Object buffer) {
    Request request =
        p2p.imrecv(
            probed,
            Buffers.memory(buffer),
            Buffers.byteOffset(buffer),
            Buffers.checkWrite(buffer),
            MessageCalls.tag(Buffers.type(buffer), tag, p2p.reach()));
    return comm.members.worldRanks == null ? request : new TranslatedRequest(request, comm);
  }

  /** Receives it into a new array. */
  <T> T receive(MessageRequest probed, int tag, Class<T> arrayType) {
    Object empty = empty(arrayType);
    var request =
        p2p.imrecv(
            probed,
            empty,
            0,
            PointToPoint.ALLOCATE,
            MessageCalls.tag(Buffers.type(empty), tag, p2p.reach()));
    Status _ = request.waitFor();
    return arrayType.cast(request.array());
  }

  /** Receives it as an object. */
  <T> @Nullable T receiveObject(MessageRequest probed, Class<T> type, Status found) {
    return objects.receive(probed, type, found);
  }

  /** Returns an empty array of this type. */
  static Object empty(@Nullable Class<?> arrayType) {
    Class<?> element = arrayType == null ? null : arrayType.componentType();
    if (element == null || !element.isPrimitive()) {
      throw new FmiException(
          ErrorClass.TYPE,
          (arrayType == null ? "null" : arrayType.getTypeName())
              + " is not an array type that can be received: use double[].class, or the class of"
              + " another array of a primitive type");
    }
    return Array.newInstance(element, 0);
  }
}
