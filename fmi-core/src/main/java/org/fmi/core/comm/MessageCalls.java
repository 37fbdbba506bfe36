package org.fmi.core.comm;

import org.fmi.Comm;
import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.FlowPart;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a communicator that send and receive: checks their arguments, and hands the messages
 * to the data path under world ranks.
 */
final class MessageCalls {
  private final PointToPoint p2p;
  private final int context;
  private final Membership members;

  /** For the messages of the members, between their ranks. */
  MessageCalls(PointToPoint p2p, Membership members) {
    this.p2p = p2p;
    this.context = Contexts.pointToPoint(members.id);
    this.members = members;
  }

  void send(Object buffer, long offset, long count, int dest, int tag, Mode mode) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkSend(buffer, offset, count, type, dest, tag);
    FlowPart reach = p2p.reach();
    if (sendsTo(dest, reach)) {
      p2p.send(
          Buffers.memory(buffer),
          Buffers.byteOffset(buffer, offset, type),
          bytes,
          members.world(dest),
          context,
          tag(type, tag, reach),
          mode);
    }
  }

  Request isend(Object buffer, long offset, long count, int dest, int tag, Mode mode) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkSend(buffer, offset, count, type, dest, tag);
    FlowPart reach = p2p.reach();
    if (!sendsTo(dest, reach)) {
      return new CompletedRequest(Status.EMPTY);
    }
    return p2p.isend(
        Buffers.memory(buffer),
        Buffers.byteOffset(buffer, offset, type),
        bytes,
        members.world(dest),
        context,
        tag(type, tag, reach),
        mode);
  }

  void attachBuffer(long bytes) {
    members.checkUsable();
    if (bytes < 0) {
      throw new FmiException(
          ErrorClass.ARG, "a buffer of " + bytes + " bytes: use 0 to detach, or more");
    }
    p2p.attachBuffer(bytes);
  }

  Status recv(Object buffer, long offset, long count, int source, int tag) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkRecv(buffer, offset, count, type, source, tag);
    FlowPart reach = p2p.reach();
    if (!hears(source, reach)) {
      return Status.PROC_NULL;
    }
    return members.local(
        p2p.recv(
            Buffers.memory(buffer),
            Buffers.byteOffset(buffer, offset, type),
            bytes,
            members.world(source),
            context,
            tag(type, tag, reach)));
  }

  /** Receives later; the source in the status is a world rank. */
  Request irecv(Object buffer, long offset, long count, int source, int tag) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkRecv(buffer, offset, count, type, source, tag);
    FlowPart reach = p2p.reach();
    if (!hears(source, reach)) {
      return new CompletedRequest(Status.PROC_NULL);
    }
    return p2p.irecv(
        Buffers.memory(buffer),
        Buffers.byteOffset(buffer, offset, type),
        bytes,
        members.world(source),
        context,
        tag(type, tag, reach));
  }

  Status sendRecv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      int dest,
      int sendTag,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int source,
      int recvTag) {
    Predefined sendType = Buffers.typeOf(sendBuffer);
    Predefined recvType = Buffers.typeOf(recvBuffer);
    long sendBytes = checkSend(sendBuffer, sendOffset, sendCount, sendType, dest, sendTag);
    long recvBytes = checkRecv(recvBuffer, recvOffset, recvCount, recvType, source, recvTag);
    FlowPart reach = p2p.reach();
    if (!sendsTo(dest, reach)) {
      return recv(recvBuffer, recvOffset, recvCount, source, recvTag);
    }
    if (!hears(source, reach)) {
      send(sendBuffer, sendOffset, sendCount, dest, sendTag, Mode.STANDARD);
      return Status.PROC_NULL;
    }
    return members.local(
        p2p.sendRecv(
            Buffers.memory(sendBuffer),
            Buffers.byteOffset(sendBuffer, sendOffset, sendType),
            sendBytes,
            members.world(dest),
            tag(sendType, sendTag, reach),
            Buffers.memory(recvBuffer),
            Buffers.byteOffset(recvBuffer, recvOffset, recvType),
            recvBytes,
            members.world(source),
            tag(recvType, recvTag, reach),
            context));
  }

  Status probe(int source, int tag) {
    checkProbe(source, tag);
    return hears(source, p2p.reach())
        ? members.local(p2p.probe(members.world(source), context, tag))
        : Status.PROC_NULL;
  }

  @Nullable Status iprobe(int source, int tag) {
    checkProbe(source, tag);
    if (!hears(source, p2p.reach())) {
      return Status.PROC_NULL;
    }
    Status status = p2p.iprobe(members.world(source), context, tag);
    return status == null ? null : members.local(status);
  }

  /** Whether there is anybody to send to. */
  private boolean sendsTo(int dest, @Nullable FlowPart reach) {
    return dest != Comm.PROC_NULL && (reach == null || reach.sendsTo(members.world(dest)));
  }

  /** Whether there is anybody to hear of. */
  private boolean hears(int source, @Nullable FlowPart reach) {
    return source != Comm.PROC_NULL && (reach == null || reach.hears(members.world(source)));
  }

  /** What a message or its receive says of itself. */
  private static long tag(Predefined type, int tag, @Nullable FlowPart reach) {
    long own = MessageTag.of(type, tag);
    return reach == null ? own : reach.tag(own);
  }

  private long checkSend(
      Object buffer, long offset, long count, Predefined type, int dest, int tag) {
    members.checkUsable();
    Arguments.checkDest(dest, members.size);
    Arguments.checkSendTag(tag);
    return Buffers.checkRead(buffer, offset, count, type);
  }

  private long checkRecv(
      Object buffer, long offset, long count, Predefined type, int source, int tag) {
    checkProbe(source, tag);
    return Buffers.checkWrite(buffer, offset, count, type);
  }

  private void checkProbe(int source, int tag) {
    members.checkUsable();
    Arguments.checkSource(source, members.size);
    Arguments.checkReceiveTag(tag);
  }
}
