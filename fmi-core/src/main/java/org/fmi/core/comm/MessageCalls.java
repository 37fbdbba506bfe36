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
 * The calls of a communicator that send and receive: checks their arguments, and passes the
 * messages to the data path with world ranks.
 */
final class MessageCalls {
  private final PointToPoint p2p;
  final int context;
  private final Membership members;

  /**
   * Creates the calls for messages between the members, identified by their ranks in the
   * communicator.
   */
  MessageCalls(PointToPoint p2p, Membership members) {
    this.p2p = p2p;
    this.context = Contexts.pointToPoint(members.id);
    this.members = members;
  }

  void send(Object data, int dest, int tag, Mode mode) {
    Object buffer = Buffers.plain(data);
    Predefined type = Buffers.type(buffer);
    long bytes = checkSend(buffer, dest, tag);
    FlowPart reach = p2p.reach();
    if (sendsTo(dest, reach)) {
      p2p.send(
          Buffers.memory(buffer),
          Buffers.byteOffset(buffer),
          bytes,
          members.world(dest),
          context,
          tag(type, tag, reach),
          mode);
    }
  }

  Request isend(Object data, int dest, int tag, Mode mode) {
    Object buffer = Buffers.plain(data);
    Predefined type = Buffers.type(buffer);
    long bytes = checkSend(buffer, dest, tag);
    FlowPart reach = p2p.reach();
    if (!sendsTo(dest, reach)) {
      return new CompletedRequest(Status.EMPTY);
    }
    return p2p.isend(
        Buffers.memory(buffer),
        Buffers.byteOffset(buffer),
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

  Status recv(Object data, int source, int tag) {
    Object buffer = Buffers.plain(data);
    Predefined type = Buffers.type(buffer);
    long bytes = checkRecv(buffer, source, tag);
    FlowPart reach = p2p.reach();
    if (!receivesFrom(source, reach)) {
      return Status.PROC_NULL;
    }
    return members.local(
        p2p.recv(
            Buffers.memory(buffer),
            Buffers.byteOffset(buffer),
            bytes,
            members.world(source),
            context,
            tag(type, tag, reach)));
  }

  /** Starts a receive; the source in its status is a world rank. */
  Request irecv(Object data, int source, int tag) {
    Object buffer = Buffers.plain(data);
    Predefined type = Buffers.type(buffer);
    long bytes = checkRecv(buffer, source, tag);
    FlowPart reach = p2p.reach();
    if (!receivesFrom(source, reach)) {
      return new CompletedRequest(Status.PROC_NULL);
    }
    return p2p.irecv(
        Buffers.memory(buffer),
        Buffers.byteOffset(buffer),
        bytes,
        members.world(source),
        context,
        tag(type, tag, reach));
  }

  Status sendRecv(Object out, int dest, int sendTag, Object in, int source, int recvTag) {
    Object send = Buffers.plain(out);
    Object recv = Buffers.plain(in);
    Predefined sendType = Buffers.type(send);
    Predefined recvType = Buffers.type(recv);
    long sendBytes = checkSend(send, dest, sendTag);
    long recvBytes = checkRecv(recv, source, recvTag);
    FlowPart reach = p2p.reach();
    if (!sendsTo(dest, reach)) {
      return recv(recv, source, recvTag);
    }
    if (!receivesFrom(source, reach)) {
      send(send, dest, sendTag, Mode.STANDARD);
      return Status.PROC_NULL;
    }
    return members.local(
        p2p.sendRecv(
            Buffers.memory(send),
            Buffers.byteOffset(send),
            sendBytes,
            members.world(dest),
            tag(sendType, sendTag, reach),
            Buffers.memory(recv),
            Buffers.byteOffset(recv),
            recvBytes,
            members.world(source),
            tag(recvType, recvTag, reach),
            context));
  }

  Status probe(int source, int tag) {
    checkProbe(source, tag);
    return receivesFrom(source, p2p.reach())
        ? members.local(p2p.probe(members.world(source), context, tag))
        : Status.PROC_NULL;
  }

  @Nullable Status iprobe(int source, int tag) {
    checkProbe(source, tag);
    if (!receivesFrom(source, p2p.reach())) {
      return Status.PROC_NULL;
    }
    Status status = p2p.iprobe(members.world(source), context, tag);
    return status == null ? null : members.local(status);
  }

  /** Whether the call sends a message: its destination is a process, and in the flow part. */
  boolean sendsTo(int dest, @Nullable FlowPart reach) {
    return dest != Comm.PROC_NULL && (reach == null || reach.sendsTo(members.world(dest)));
  }

  /**
   * Whether the call receives a message: its source is neither PROC_NULL nor outside of the flow
   * part.
   */
  private boolean receivesFrom(int source, @Nullable FlowPart reach) {
    return source != Comm.PROC_NULL && (reach == null || reach.receivesFrom(members.world(source)));
  }

  /** Does the same as {@link #receivesFrom}, for a message of unknown length. */
  boolean receivesUnsized(int source, @Nullable FlowPart reach) {
    if (reach != null && source != Comm.PROC_NULL) {
      reach.unsized();
    }
    return receivesFrom(source, reach);
  }

  /** The tag that a message and its receive carry. */
  static long tag(Predefined type, int tag, @Nullable FlowPart reach) {
    long own = MessageTag.of(type, tag);
    return reach == null ? own : reach.tag(own);
  }

  private long checkSend(Object buffer, int dest, int tag) {
    checkDest(dest, tag);
    return Buffers.checkRead(buffer);
  }

  void checkDest(int dest, int tag) {
    members.checkUsable();
    Arguments.checkDest(dest, members.size);
    Arguments.checkSendTag(tag);
  }

  private long checkRecv(Object buffer, int source, int tag) {
    checkProbe(source, tag);
    return Buffers.checkWrite(buffer);
  }

  void checkProbe(int source, int tag) {
    members.checkUsable();
    Arguments.checkSource(source, members.size);
    Arguments.checkReceiveTag(tag);
  }
}
