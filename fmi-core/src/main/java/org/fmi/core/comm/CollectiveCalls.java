package org.fmi.core.comm;

import org.fmi.Datatype;
import org.fmi.Op;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Reach;
import org.jspecify.annotations.Nullable;

/** The collective calls of a communicator: each one makes its {@link Plan}, and runs it. */
abstract class CollectiveCalls extends MessageCalls {
  private final Plans plans;

  CollectiveCalls(PointToPoint p2p, ContextIds ids, int id, RankGroup group) {
    super(p2p, ids, id, group);
    this.plans = new Plans(rank, size);
  }

  /** For a call that begins now. */
  private Plans plans() {
    checkCollective();
    return plans;
  }

  /** Refuses a collective call where there may be none. */
  final void checkCollective() {
    checkUsable();
    Reach reach = p2p.reach();
    if (reach != null) {
      reach.collective();
    }
  }

  private void run(Plan plan) {
    channel.begin(plan.call());
    plan.run(channel);
    channel.end();
  }

  // ---- collectives that move data

  @Override
  public void barrier() {
    run(plans().barrier());
  }

  @Override
  public void bcast(Object buffer, long offset, long count, int root) {
    run(plans().bcast(buffer, offset, count, root));
  }

  @Override
  public void bcast(Object buffer, int root) {
    bcast(buffer, Buffers.wholeOffset(buffer), Buffers.wholeCount(buffer), root);
  }

  @Override
  public void gather(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      int root) {
    run(plans().gather(sendBuffer, sendOffset, sendCount, recvBuffer, recvOffset, root));
  }

  @Override
  public void gatherv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      long @Nullable [] recvCounts,
      long @Nullable [] displs,
      int root) {
    run(
        plans()
            .gatherv(
                sendBuffer,
                sendOffset,
                sendCount,
                recvBuffer,
                recvOffset,
                recvCounts,
                displs,
                root));
  }

  @Override
  public void scatter(
      @Nullable Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root) {
    run(plans().scatter(sendBuffer, sendOffset, recvBuffer, recvOffset, recvCount, root));
  }

  @Override
  public void scatterv(
      @Nullable Object sendBuffer,
      long sendOffset,
      long @Nullable [] sendCounts,
      long @Nullable [] displs,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root) {
    run(
        plans()
            .scatterv(
                sendBuffer,
                sendOffset,
                sendCounts,
                displs,
                recvBuffer,
                recvOffset,
                recvCount,
                root));
  }

  @Override
  public void allGather(
      Object sendBuffer, long sendOffset, long sendCount, Object recvBuffer, long recvOffset) {
    run(plans().allGather(sendBuffer, sendOffset, sendCount, recvBuffer, recvOffset));
  }

  @Override
  public void allGatherv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      long[] displs) {
    run(
        plans()
            .allGatherv(
                sendBuffer, sendOffset, sendCount, recvBuffer, recvOffset, recvCounts, displs));
  }

  @Override
  public void allToAll(
      Object sendBuffer, long sendOffset, long count, Object recvBuffer, long recvOffset) {
    run(plans().allToAll(sendBuffer, sendOffset, count, recvBuffer, recvOffset));
  }

  @Override
  public void allToAllv(
      Object sendBuffer,
      long sendOffset,
      long[] sendCounts,
      long[] sendDispls,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      long[] recvDispls) {
    run(
        plans()
            .allToAllv(
                sendBuffer,
                sendOffset,
                sendCounts,
                sendDispls,
                recvBuffer,
                recvOffset,
                recvCounts,
                recvDispls));
  }

  // ---- collectives that reduce

  @Override
  public void reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Op op,
      int root) {
    Datatype type = plans().typeToReduce(sendBuffer, recvBuffer, root);
    reduce(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, root);
  }

  @Override
  public void reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op,
      int root) {
    run(plans().reduce(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, root));
  }

  @Override
  public void allReduce(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op) {
    Datatype type = plans().typeOf(recvBuffer);
    allReduce(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op);
  }

  @Override
  public void allReduce(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op) {
    run(plans().allReduce(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op));
  }

  @Override
  public void allReduce(Object array, Op op) {
    Datatype type = plans().typeOf(array);
    allReduce(IN_PLACE, 0, array, 0, Buffers.wholeCount(array), type, op);
  }

  @Override
  public void reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Op op) {
    Datatype type = plans().typeOf(recvBuffer);
    reduceScatter(sendBuffer, sendOffset, recvBuffer, recvOffset, recvCounts, type, op);
  }

  @Override
  public void reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Datatype type,
      Op op) {
    run(
        plans()
            .reduceScatter(sendBuffer, sendOffset, recvBuffer, recvOffset, recvCounts, type, op));
  }

  @Override
  public void scan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op) {
    Datatype type = plans().typeOf(recvBuffer);
    scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op);
  }

  @Override
  public void scan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op) {
    run(plans().scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, false));
  }

  @Override
  public void exScan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op) {
    Datatype type = plans().typeOf(recvBuffer);
    exScan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op);
  }

  @Override
  public void exScan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op) {
    run(plans().scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, true));
  }
}
