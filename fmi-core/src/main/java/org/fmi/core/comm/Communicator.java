package org.fmi.core.comm;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.coll.Channel;
import org.fmi.core.coll.Collectives;
import org.fmi.core.coll.Location;
import org.fmi.core.coll.Reducer;
import org.fmi.core.coll.Reductions;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.StatusCache;
import org.jspecify.annotations.Nullable;

/**
 * A communicator: checks arguments, translates between its ranks and the world's, and hands
 * messages to the data path and collectives to their algorithms.
 *
 * <p>It holds nothing that changes with a message or an epoch, so it goes on working after a
 * rollback. A communicator made after the checkpoint that a rollback goes back to is refused from
 * then on: the program makes it again, with the same id.
 */
public final class Communicator implements Comm {
  private final PointToPoint p2p;
  private final ContextIds ids;
  private final IntConsumer abort;
  private final int id;
  private final int context;
  private final RankGroup group;
  private final int rank;
  private final int size;

  /** The members' world ranks; null where ranks here and in the world are the same. */
  private final int @Nullable [] worldRanks;

  private final StatusCache statuses = new StatusCache();
  private final Channel channel;
  private int restores;
  private boolean freed;

  private Communicator(
      PointToPoint p2p, ContextIds ids, IntConsumer abort, int id, RankGroup group) {
    this.p2p = p2p;
    this.ids = ids;
    this.abort = abort;
    this.id = id;
    this.context = 2 * id;
    this.group = group;
    this.rank = group.rank();
    this.size = group.size();
    this.worldRanks = isIdentity(group.worldRanks()) ? null : group.worldRanks();
    this.channel = new Channel(p2p, 2 * id + 1, worldRanks, rank, size);
    this.restores = ids.restores();
  }

  /**
   * The communicator of all ranks.
   *
   * @param ids of this process, shared by all its communicators
   * @param abort ends the job with a status; called by {@link #abort}
   */
  public static Communicator world(PointToPoint p2p, ContextIds ids, IntConsumer abort) {
    return ofAll(p2p, ids, abort, ContextIds.WORLD);
  }

  /** A communicator of all ranks for the runtime's own messages. */
  public static Communicator system(PointToPoint p2p, ContextIds ids, IntConsumer abort) {
    return ofAll(p2p, ids, abort, ContextIds.SYSTEM);
  }

  private static Communicator ofAll(PointToPoint p2p, ContextIds ids, IntConsumer abort, int id) {
    return new Communicator(p2p, ids, abort, id, RankGroup.world(p2p.size(), p2p.rank()));
  }

  private static boolean isIdentity(int[] worldRanks) {
    for (int r = 0; r < worldRanks.length; r++) {
      if (worldRanks[r] != r) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int rank() {
    checkUsable();
    return rank;
  }

  @Override
  public int size() {
    checkUsable();
    return size;
  }

  // ---- point to point

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
    long bytes = checkRecv(buffer, offset, count, source, tag);
    if (source == PROC_NULL) {
      return Status.PROC_NULL;
    }
    return local(
        p2p.recv(
            Buffers.memory(buffer), startOf(buffer, offset), bytes, world(source), context, tag));
  }

  @Override
  public Status recv(Object buffer, int source, int tag) {
    return recv(buffer, Buffers.wholeOffset(buffer), Buffers.wholeCount(buffer), source, tag);
  }

  @Override
  public Request irecv(Object buffer, long offset, long count, int source, int tag) {
    long bytes = checkRecv(buffer, offset, count, source, tag);
    if (source == PROC_NULL) {
      return new CompletedRequest(Status.PROC_NULL);
    }
    Request request =
        p2p.irecv(
            Buffers.memory(buffer), startOf(buffer, offset), bytes, world(source), context, tag);
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
    long sendBytes = checkSend(sendBuffer, sendOffset, sendCount, dest, sendTag);
    long recvBytes = checkRecv(recvBuffer, recvOffset, recvCount, source, recvTag);
    if (dest == PROC_NULL) {
      return recv(recvBuffer, recvOffset, recvCount, source, recvTag);
    }
    if (source == PROC_NULL) {
      send(sendBuffer, sendOffset, sendCount, dest, sendTag);
      return Status.PROC_NULL;
    }
    return local(
        p2p.sendRecv(
            Buffers.memory(sendBuffer),
            startOf(sendBuffer, sendOffset),
            sendBytes,
            world(dest),
            sendTag,
            Buffers.memory(recvBuffer),
            startOf(recvBuffer, recvOffset),
            recvBytes,
            world(source),
            recvTag,
            context));
  }

  @Override
  public Status probe(int source, int tag) {
    checkProbe(source, tag);
    return source == PROC_NULL ? Status.PROC_NULL : local(p2p.probe(world(source), context, tag));
  }

  @Override
  public @Nullable Status iprobe(int source, int tag) {
    checkProbe(source, tag);
    if (source == PROC_NULL) {
      return Status.PROC_NULL;
    }
    Status status = p2p.iprobe(world(source), context, tag);
    return status == null ? null : local(status);
  }

  private void send(Object buffer, long offset, long count, int dest, int tag, Mode mode) {
    long bytes = checkSend(buffer, offset, count, dest, tag);
    if (dest != PROC_NULL) {
      p2p.send(
          Buffers.memory(buffer), startOf(buffer, offset), bytes, world(dest), context, tag, mode);
    }
  }

  private Request isend(Object buffer, long offset, long count, int dest, int tag, Mode mode) {
    long bytes = checkSend(buffer, offset, count, dest, tag);
    if (dest == PROC_NULL) {
      return new CompletedRequest(Status.EMPTY);
    }
    return p2p.isend(
        Buffers.memory(buffer), startOf(buffer, offset), bytes, world(dest), context, tag, mode);
  }

  private long checkSend(Object buffer, long offset, long count, int dest, int tag) {
    checkUsable();
    Arguments.checkDest(dest, size);
    Arguments.checkSendTag(tag);
    return Buffers.checkRead(buffer, offset, count, Buffers.typeOf(buffer));
  }

  private long checkRecv(Object buffer, long offset, long count, int source, int tag) {
    checkProbe(source, tag);
    return Buffers.checkWrite(buffer, offset, count, Buffers.typeOf(buffer));
  }

  private void checkProbe(int source, int tag) {
    checkUsable();
    Arguments.checkSource(source, size);
    Arguments.checkReceiveTag(tag);
  }

  private static long startOf(Object buffer, long offset) {
    return Buffers.byteOffset(buffer, offset, Buffers.typeOf(buffer));
  }

  /** The world rank of a rank here; ANY_SOURCE stays what it is. */
  private int world(int r) {
    return worldRanks == null || r < 0 ? r : worldRanks[r];
  }

  /** A status whose source is the rank here, from one with its world rank. */
  Status local(Status status) {
    return worldRanks == null || status.source() < 0
        ? status
        : statuses.of(group.rankOf(status.source()), status.tag(), status.bytes());
  }

  // ---- collectives that move data

  @Override
  public void barrier() {
    checkUsable();
    channel.begin();
    Collectives.barrier(channel);
    channel.end();
  }

  @Override
  public void bcast(Object buffer, long offset, long count, int root) {
    checkRooted(root);
    Datatype type = Buffers.typeOf(buffer);
    long bytes =
        rank == root
            ? Buffers.checkRead(buffer, offset, count, type)
            : Buffers.checkWrite(buffer, offset, count, type);
    channel.begin();
    Collectives.bcast(channel, Buffers.region(buffer, offset, type), bytes, root);
    channel.end();
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
    checkRooted(root);
    if (rank != root) {
      Data mine = toRead(sendBuffer, sendOffset, sendCount);
      channel.begin();
      Collectives.gather(channel, mine.region, mine.bytes, null, root);
      channel.end();
    } else if (Buffers.isInPlace(sendBuffer)) {
      Data all = blocksToWrite(recvBuffer, recvOffset, sendCount);
      channel.begin();
      Collectives.gather(channel, null, all.bytes, all.region, root);
      channel.end();
    } else {
      Data mine = toRead(sendBuffer, sendOffset, sendCount);
      Data all = blocksToWrite(recvBuffer, recvOffset, mine);
      channel.begin();
      Collectives.gather(channel, mine.region, mine.bytes, all.region, root);
      channel.end();
    }
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
    checkRooted(root);
    boolean inPlace = rank == root && Buffers.isInPlace(sendBuffer);
    Data mine = inPlace ? null : toRead(sendBuffer, sendOffset, sendCount);
    if (rank != root) {
      Data own = required(mine);
      channel.begin();
      Collectives.gatherv(channel, own.region, own.bytes, null, null, null, root);
      channel.end();
      return;
    }
    Blocks all =
        Blocks.toWrite(
            present(recvBuffer), recvOffset, recvCounts, displs, "recvCounts", "displs", size);
    long bytes = all.lengths()[root];
    if (mine != null) {
      Arguments.checkOwn(mine.bytes, bytes);
    }
    channel.begin();
    Collectives.gatherv(
        channel, regionOf(mine), bytes, all.region(), all.starts(), all.lengths(), root);
    channel.end();
  }

  @Override
  public void scatter(
      @Nullable Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root) {
    checkRooted(root);
    if (rank != root) {
      Data mine = toWrite(recvBuffer, recvOffset, recvCount);
      channel.begin();
      Collectives.scatter(channel, null, mine.region, mine.bytes, root);
      channel.end();
    } else if (Buffers.isInPlace(recvBuffer)) {
      Data all = blocksToRead(sendBuffer, sendOffset, recvCount);
      channel.begin();
      Collectives.scatter(channel, all.region, null, all.bytes, root);
      channel.end();
    } else {
      Data mine = toWrite(recvBuffer, recvOffset, recvCount);
      Data all = blocksToRead(sendBuffer, sendOffset, mine);
      channel.begin();
      Collectives.scatter(channel, all.region, mine.region, mine.bytes, root);
      channel.end();
    }
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
    checkRooted(root);
    boolean inPlace = rank == root && Buffers.isInPlace(recvBuffer);
    Data mine = inPlace ? null : toWrite(recvBuffer, recvOffset, recvCount);
    if (rank != root) {
      Data own = required(mine);
      channel.begin();
      Collectives.scatterv(channel, null, null, null, own.region, own.bytes, root);
      channel.end();
      return;
    }
    Blocks all =
        Blocks.toRead(
            present(sendBuffer), sendOffset, sendCounts, displs, "sendCounts", "displs", size);
    long bytes = all.lengths()[root];
    if (mine != null) {
      Arguments.checkOwn(bytes, mine.bytes);
    }
    channel.begin();
    Collectives.scatterv(
        channel, all.region(), all.starts(), all.lengths(), regionOf(mine), bytes, root);
    channel.end();
  }

  @Override
  public void allGather(
      Object sendBuffer, long sendOffset, long sendCount, Object recvBuffer, long recvOffset) {
    checkUsable();
    if (Buffers.isInPlace(sendBuffer)) {
      Data all = blocksToWrite(recvBuffer, recvOffset, sendCount);
      channel.begin();
      Collectives.allGather(channel, null, all.bytes, all.region);
      channel.end();
    } else {
      Data mine = toRead(sendBuffer, sendOffset, sendCount);
      Data all = blocksToWrite(recvBuffer, recvOffset, mine);
      channel.begin();
      Collectives.allGather(channel, mine.region, mine.bytes, all.region);
      channel.end();
    }
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
    checkUsable();
    Data mine = Buffers.isInPlace(sendBuffer) ? null : toRead(sendBuffer, sendOffset, sendCount);
    Blocks all =
        Blocks.toWrite(recvBuffer, recvOffset, recvCounts, displs, "recvCounts", "displs", size);
    if (mine != null) {
      Arguments.checkOwn(mine.bytes, all.lengths()[rank]);
    }
    channel.begin();
    Collectives.allGatherv(channel, regionOf(mine), all.region(), all.starts(), all.lengths());
    channel.end();
  }

  @Override
  public void allToAll(
      Object sendBuffer, long sendOffset, long count, Object recvBuffer, long recvOffset) {
    checkUsable();
    if (Buffers.isInPlace(sendBuffer)) {
      Data in = blocksToWrite(recvBuffer, recvOffset, count);
      channel.begin();
      Collectives.allToAll(channel, null, in.region, in.bytes);
      channel.end();
    } else {
      Data out = blocksToRead(sendBuffer, sendOffset, count);
      Data in = blocksToWrite(recvBuffer, recvOffset, out);
      channel.begin();
      Collectives.allToAll(channel, out.region, in.region, in.bytes);
      channel.end();
    }
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
    checkUsable();
    Blocks in =
        Blocks.toWrite(
            recvBuffer, recvOffset, recvCounts, recvDispls, "recvCounts", "recvDispls", size);
    Blocks out =
        Buffers.isInPlace(sendBuffer)
            ? null
            : Blocks.toRead(
                sendBuffer, sendOffset, sendCounts, sendDispls, "sendCounts", "sendDispls", size);
    if (out == null) {
      channel.begin();
      Collectives.allToAllv(
          channel, null, in.starts(), in.lengths(), in.region(), in.starts(), in.lengths());
      channel.end();
    } else {
      Arguments.checkOwn(out.lengths()[rank], in.lengths()[rank]);
      Arguments.checkApart(out.region(), in.region(), in.lengths()[rank]);
      channel.begin();
      Collectives.allToAllv(
          channel,
          out.region(),
          out.starts(),
          out.lengths(),
          in.region(),
          in.starts(),
          in.lengths());
      channel.end();
    }
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
    checkRooted(root);
    Datatype type =
        Buffers.arrayType(rank == root && Buffers.isInPlace(sendBuffer) ? recvBuffer : sendBuffer);
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
    checkRooted(root);
    Reducer reducer = reducer(op, type, count);
    if (rank == root) {
      Location result = operandToWrite(present(recvBuffer), recvOffset, count, type);
      Location data = operand(sendBuffer, sendOffset, count, type, result);
      channel.begin();
      Reductions.reduce(channel, reducer, data, result, count, root);
      channel.end();
    } else {
      Location data = operandToRead(sendBuffer, sendOffset, count, type);
      channel.begin();
      Reductions.reduce(channel, reducer, data, data, count, root);
      channel.end();
    }
  }

  @Override
  public void allReduce(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op) {
    checkUsable();
    Datatype type = Buffers.arrayType(recvBuffer);
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
    checkUsable();
    Reducer reducer = reducer(op, type, count);
    Location result = operandToWrite(recvBuffer, recvOffset, count, type);
    Location data = operand(sendBuffer, sendOffset, count, type, result);
    channel.begin();
    Reductions.allReduce(channel, reducer, data, result, count);
    channel.end();
  }

  @Override
  public void allReduce(Object array, Op op) {
    checkUsable();
    Datatype type = Buffers.arrayType(array);
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
    checkUsable();
    Datatype type = Buffers.arrayType(recvBuffer);
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
    checkUsable();
    long[] counts = Arguments.onePerRank(recvCounts, "recvCounts", size);
    long total = 0;
    for (long count : counts) {
      Arguments.checkCount(count);
      reducer(op, type, count); // each part must be made of whole pairs
      total = Arguments.add(total, count);
    }
    Reducer reducer = reducer(op, type, total);
    boolean inPlace = Buffers.isInPlace(sendBuffer);
    Location result = operandToWrite(recvBuffer, recvOffset, inPlace ? total : counts[rank], type);
    Location data = operand(sendBuffer, sendOffset, total, type, result);
    channel.begin();
    Reductions.reduceScatter(channel, reducer, data, result, counts.clone());
    channel.end();
  }

  @Override
  public void scan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op) {
    checkUsable();
    Datatype type = Buffers.arrayType(recvBuffer);
    scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, false);
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
    scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, false);
  }

  @Override
  public void exScan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op) {
    checkUsable();
    Datatype type = Buffers.arrayType(recvBuffer);
    scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, true);
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
    scan(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type, op, true);
  }

  private void scan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op,
      boolean exclusive) {
    checkUsable();
    Reducer reducer = reducer(op, type, count);
    Location result = operandToWrite(recvBuffer, recvOffset, count, type);
    Location data = operand(sendBuffer, sendOffset, count, type, result);
    channel.begin();
    Reductions.scan(channel, reducer, data, result, count, exclusive);
    channel.end();
  }

  // ---- communicators

  @Override
  public Comm dup() {
    checkUsable();
    return new Communicator(p2p, ids, abort, agreeOnId(), group);
  }

  @Override
  public @Nullable Comm split(int color, int key) {
    checkUsable();
    if (color < 0 && color != UNDEFINED) {
      throw new FmiException(
          ErrorClass.ARG,
          "colour " + color + " is negative: use 0 or more, or Comm.UNDEFINED for no communicator");
    }
    int[] mine = {color, key, ids.state()};
    int[] all = new int[3 * size];
    channel.begin();
    Collectives.allGather(channel, new Location(mine, 0), 3L * Integer.BYTES, new Location(all, 0));
    channel.end();
    int agreed = 0;
    long[] members = new long[size];
    int n = 0;
    for (int r = 0; r < size; r++) {
      agreed = Math.max(agreed, all[3 * r + 2]);
      if (all[3 * r] == color) {
        members[n++] = ((long) all[3 * r + 1] << Integer.SIZE) | r; // sorts by key, then by rank
      }
    }
    ids.take(agreed);
    if (color == UNDEFINED) {
      return null;
    }
    Arrays.sort(members, 0, n);
    int[] ranks = new int[n];
    for (int i = 0; i < n; i++) {
      ranks[i] = group.worldRanks()[(int) members[i]];
    }
    return new Communicator(p2p, ids, abort, agreed, new RankGroup(ranks, p2p.rank()));
  }

  @Override
  public @Nullable Comm create(Group subset) {
    checkUsable();
    RankGroup members = RankGroup.of(subset);
    if (!group.containsAll(members)) {
      throw new FmiException(
          ErrorClass.GROUP,
          members
              + " is no subset of this communicator's "
              + group
              + ": use Comm.group().incl(...)");
    }
    int agreed = agreeOnId();
    return members.rank() == UNDEFINED ? null : new Communicator(p2p, ids, abort, agreed, members);
  }

  /** Collective: an id that is new to all ranks here. */
  private int agreeOnId() {
    int[] id = {ids.state()};
    Location region = new Location(id, 0);
    channel.begin();
    Reductions.allReduce(channel, Reducer.of(Op.MAX, Datatype.INT), region, region, 1);
    channel.end();
    ids.take(id[0]);
    return id[0];
  }

  @Override
  public Group group() {
    checkUsable();
    return group;
  }

  @Override
  public Group.Comparison compare(Comm other) {
    checkUsable();
    if (other == this) {
      return Group.Comparison.IDENT;
    }
    if (!(other instanceof Communicator o)) {
      throw new FmiException(
          ErrorClass.COMM,
          (other == null ? "null" : other.getClass().getName())
              + " is no communicator of this library");
    }
    o.checkUsable();
    Group.Comparison members = group.compare(o.group);
    return members == Group.Comparison.IDENT ? Group.Comparison.CONGRUENT : members;
  }

  @Override
  public void free() {
    checkUsable();
    if (id == ContextIds.WORLD || id == ContextIds.SYSTEM) {
      throw new FmiException(
          ErrorClass.COMM, "the communicator of all ranks cannot be freed: close Fmi instead");
    }
    freed = true;
    channel.free();
  }

  @Override
  public void abort(int status) {
    checkUsable();
    if (status < 1 || status > 255) {
      throw new FmiException(
          ErrorClass.ARG,
          "status " + status + " cannot be an exit status of failure: use 1 to 255");
    }
    abort.accept(status);
    while (true) {
      LockSupport.park(this);
      Thread.interrupted(); // or the next park returns at once
    }
  }

  // ---- checks

  private void checkUsable() {
    if (freed || restores != ids.restores()) {
      checkUsableAfterChange();
    }
  }

  private void checkUsableAfterChange() {
    if (freed && restores == ids.restores()) {
      throw new FmiException(
          ErrorClass.COMM, "this communicator was freed: use it no more, or make another");
    }
    if (!ids.survives(id, restores)) {
      throw new FmiException(
          ErrorClass.COMM,
          "this communicator was made in an iteration that was rolled back: make it before the"
              + " loop, or again in the iteration");
    }
    // It was freed after what the ranks went back to, or the program would not use it now.
    freed = false;
    restores = ids.restores();
  }

  private void checkRooted(int root) {
    checkUsable();
    Arguments.checkRoot(root, size);
  }

  /** Checked data of a collective: {@code bytes} of it, or a rank. */
  private record Data(Location region, long bytes) {}

  private static Data toRead(Object buffer, long offset, long count) {
    Datatype type = Buffers.typeOf(buffer);
    long bytes = Buffers.checkRead(buffer, offset, count, type);
    return new Data(Buffers.region(buffer, offset, type), bytes);
  }

  private static Data toWrite(Object buffer, long offset, long count) {
    Datatype type = Buffers.typeOf(buffer);
    long bytes = Buffers.checkWrite(buffer, offset, count, type);
    return new Data(Buffers.region(buffer, offset, type), bytes);
  }

  /** {@code count} elements a rank, to be written. */
  private Data blocksToWrite(@Nullable Object buffer, long offset, long count) {
    Object present = present(buffer);
    Arguments.checkCount(count);
    Datatype type = Buffers.typeOf(present);
    long bytes = Buffers.checkWrite(present, offset, Arguments.multiply(count, size), type) / size;
    return new Data(Buffers.region(present, offset, type), bytes);
  }

  /** As many bytes a rank as {@code peer} has, at another place, to be written. */
  private Data blocksToWrite(@Nullable Object buffer, long offset, Data peer) {
    long count = Arguments.blockCount(peer.bytes, Buffers.typeOf(buffer));
    Data blocks = blocksToWrite(buffer, offset, count);
    Arguments.checkApart(peer.region, blocks.region, peer.bytes);
    return blocks;
  }

  /** {@code count} elements a rank, to be read. */
  private Data blocksToRead(@Nullable Object buffer, long offset, long count) {
    Object present = present(buffer);
    Arguments.checkCount(count);
    Datatype type = Buffers.typeOf(present);
    long bytes = Buffers.checkRead(present, offset, Arguments.multiply(count, size), type) / size;
    return new Data(Buffers.region(present, offset, type), bytes);
  }

  /** As many bytes a rank as {@code peer} has, at another place, to be read. */
  private Data blocksToRead(@Nullable Object buffer, long offset, Data peer) {
    long count = Arguments.blockCount(peer.bytes, Buffers.typeOf(buffer));
    Data blocks = blocksToRead(buffer, offset, count);
    Arguments.checkApart(peer.region, blocks.region, peer.bytes);
    return blocks;
  }

  private static Location operandToRead(Object buffer, long offset, long count, Datatype type) {
    Buffers.checkType(buffer, type);
    Buffers.checkRead(buffer, offset, count, type);
    return Buffers.region(buffer, offset, type);
  }

  private static Location operandToWrite(Object buffer, long offset, long count, Datatype type) {
    Buffers.checkType(buffer, type);
    Buffers.checkWrite(buffer, offset, count, type);
    return Buffers.region(buffer, offset, type);
  }

  /** What is reduced: what stands at the result's place if that is said, else what is given. */
  private static Location operand(
      Object sendBuffer, long offset, long count, Datatype type, Location result) {
    if (Buffers.isInPlace(sendBuffer)) {
      return result;
    }
    Location data = operandToRead(sendBuffer, offset, count, type);
    Arguments.checkApart(data, result, count);
    return data;
  }

  private static Reducer reducer(Op op, Datatype type, long count) {
    if (op == null || type == null) {
      throw new FmiException(
          op == null ? ErrorClass.OP : ErrorClass.TYPE,
          "null is no "
              + (op == null ? "operation: use those of Op" : "type: use one of Datatype"));
    }
    Reducer reducer = Reducer.of(op, type);
    Arguments.checkGroups(count, reducer);
    return reducer;
  }

  private static @Nullable Location regionOf(@Nullable Data data) {
    return data == null ? null : data.region;
  }

  private static <T> T required(@Nullable T data) {
    if (data == null) {
      throw new IllegalStateException("data of this rank was not checked");
    }
    return data;
  }

  /** A buffer that this rank must give. */
  private static Object present(@Nullable Object buffer) {
    Buffers.typeOf(buffer);
    return required(buffer);
  }

  @Override
  public String toString() {
    return "Comm[" + id + ", rank " + rank + " of " + size + "]";
  }
}
