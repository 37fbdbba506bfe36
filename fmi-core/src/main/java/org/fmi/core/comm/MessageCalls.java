package org.fmi.core.comm;

import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.Reach;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a communicator that send and receive: checks their arguments, and hands the messages
 * to the data path under world ranks.
 */
abstract class MessageCalls extends Membership {
  MessageCalls(PointToPoint p2p, ContextIds ids, int id, RankGroup group) {
    super(p2p, ids, id, group);
  }

  @Override
  public void send(Object buffer, long offset, long count, int dest, int tag) {
    send(buffer, offset, count, dest, tag, Mode.STANDARD);
  }

  @Override
  public void send(Object buffer, int dest, int tag) {
    send(buffer, Buffers.wholeOffset(buffer), Buffers.wholeCount(buffer), dest, tag);
  }

  @Override
  public void ssend(Object buffer, long offset, long count, int dest, int tag) {
    send(buffer, offset, count, dest, tag, Mode.SYNCHRONOUS);
  }

  @Override
  public void bsend(Object buffer, long offset, long count, int dest, int tag) {
    send(buffer, offset, count, dest, tag, Mode.BUFFERED);
  }

  @Override
  public void rsend(Object buffer, long offset, long count, int dest, int tag) {
    send(buffer, offset, count, dest, tag, Mode.STANDARD);
  }

  @Override
  public Request isend(Object buffer, long offset, long count, int dest, int tag) {
    return isend(buffer, offset, count, dest, tag, Mode.STANDARD);
  }

  @Override
  public Request isend(Object buffer, int dest, int tag) {
    return isend(buffer, Buffers.wholeOffset(buffer), Buffers.wholeCount(buffer), dest, tag);
  }

  @Override
  public Request issend(Object buffer, long offset, long count, int dest, int tag) {
    return isend(buffer, offset, count, dest, tag, Mode.SYNCHRONOUS);
  }

  @Override
  public Request ibsend(Object buffer, long offset, long count, int dest, int tag) {
    return isend(buffer, offset, count, dest, tag, Mode.BUFFERED);
  }

  @Override
  public Request irsend(Object buffer, long offset, long count, int dest, int tag) {
    return isend(buffer, offset, count, dest, tag, Mode.STANDARD);
  }

  @Override
  public void attachBuffer(long bytes) {
    checkUsable();
    if (bytes < 0) {
      throw new FmiException(
          ErrorClass.ARG, "a buffer of " + bytes + " bytes: use 0 to detach, or more");
    }
    p2p.attachBuffer(bytes);
  }

  @Override
  public Status recv(Object buffer, long offset, long count, int source, int tag) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkRecv(buffer, offset, count, type, source, tag);
    Reach reach = p2p.reach();
    if (!hears(source, reach)) {
      return Status.PROC_NULL;
    }
    return local(
        p2p.recv(
            Buffers.memory(buffer),
            Buffers.byteOffset(buffer, offset, type),
            bytes,
            world(source),
            context,
            tag(type, tag, reach)));
  }

  @Override
  public Status recv(Object buffer, int source, int tag) {
    return recv(buffer, Buffers.wholeOffset(buffer), Buffers.wholeCount(buffer), source, tag);
  }

  @Override
  public Request irecv(Object buffer, long offset, long count, int source, int tag) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkRecv(buffer, offset, count, type, source, tag);
    Reach reach = p2p.reach();
    if (!hears(source, reach)) {
      return new CompletedRequest(Status.PROC_NULL);
    }
    Request request =
        p2p.irecv(
            Buffers.memory(buffer),
            Buffers.byteOffset(buffer, offset, type),
            bytes,
            world(source),
            context,
            tag(type, tag, reach));
    return worldRanks == null ? request : new TranslatedRequest(request, this);
  }

  @Override
  public Request irecv(Object buffer, int source, int tag) {
    return irecv(buffer, Buffers.wholeOffset(buffer), Buffers.wholeCount(buffer), source, tag);
  }

  @Override
  public Status sendRecv(
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
    Reach reach = p2p.reach();
    if (!sendsTo(dest, reach)) {
      return recv(recvBuffer, recvOffset, recvCount, source, recvTag);
    }
    if (!hears(source, reach)) {
      send(sendBuffer, sendOffset, sendCount, dest, sendTag);
      return Status.PROC_NULL;
    }
    return local(
        p2p.sendRecv(
            Buffers.memory(sendBuffer),
            Buffers.byteOffset(sendBuffer, sendOffset, sendType),
            sendBytes,
            world(dest),
            tag(sendType, sendTag, reach),
            Buffers.memory(recvBuffer),
            Buffers.byteOffset(recvBuffer, recvOffset, recvType),
            recvBytes,
            world(source),
            tag(recvType, recvTag, reach),
            context));
  }

  @Override
  public Status probe(int source, int tag) {
    checkProbe(source, tag);
    return hears(source, p2p.reach())
        ? local(p2p.probe(world(source), context, tag))
        : Status.PROC_NULL;
  }

  @Override
  public @Nullable Status iprobe(int source, int tag) {
    checkProbe(source, tag);
    if (!hears(source, p2p.reach())) {
      return Status.PROC_NULL;
    }
    Status status = p2p.iprobe(world(source), context, tag);
    return status == null ? null : local(status);
  }

  private void send(Object buffer, long offset, long count, int dest, int tag, Mode mode) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkSend(buffer, offset, count, type, dest, tag);
    Reach reach = p2p.reach();
    if (sendsTo(dest, reach)) {
      p2p.send(
          Buffers.memory(buffer),
          Buffers.byteOffset(buffer, offset, type),
          bytes,
          world(dest),
          context,
          tag(type, tag, reach),
          mode);
    }
  }

  private Request isend(Object buffer, long offset, long count, int dest, int tag, Mode mode) {
    Predefined type = Buffers.typeOf(buffer);
    long bytes = checkSend(buffer, offset, count, type, dest, tag);
    Reach reach = p2p.reach();
    if (!sendsTo(dest, reach)) {
      return new CompletedRequest(Status.EMPTY);
    }
    return p2p.isend(
        Buffers.memory(buffer),
        Buffers.byteOffset(buffer, offset, type),
        bytes,
        world(dest),
        context,
        tag(type, tag, reach),
        mode);
  }

  /** Whether there is anybody to send to. */
  private boolean sendsTo(int dest, @Nullable Reach reach) {
    return dest != PROC_NULL && (reach == null || reach.sendsTo(world(dest)));
  }

  /** Whether there is anybody to hear of. */
  private boolean hears(int source, @Nullable Reach reach) {
    return source != PROC_NULL && (reach == null || reach.hears(world(source)));
  }

  /** What a message or its receive says of itself. */
  private static long tag(Predefined type, int tag, @Nullable Reach reach) {
    long own = MessageTag.of(type, tag);
    return reach == null ? own : reach.tag(own);
  }

  private long checkSend(
      Object buffer, long offset, long count, Predefined type, int dest, int tag) {
    checkUsable();
    Arguments.checkDest(dest, size);
    Arguments.checkSendTag(tag);
    return Buffers.checkRead(buffer, offset, count, type);
  }

  private long checkRecv(
      Object buffer, long offset, long count, Predefined type, int source, int tag) {
    checkProbe(source, tag);
    return Buffers.checkWrite(buffer, offset, count, type);
  }

  private void checkProbe(int source, int tag) {
    checkUsable();
    Arguments.checkSource(source, size);
    Arguments.checkReceiveTag(tag);
  }
}
