package org.fmi.core.comm;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BinaryOperator;
import org.fmi.Comm;
import org.fmi.CommState;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.Message;
import org.fmi.ObjectRequest;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.comm.Creation.Agreed;
import org.fmi.core.log.StateRequests;
import org.fmi.core.object.StandIns;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.FlowPart;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.jspecify.annotations.Nullable;

/**
 * A communicator: delegates each call. {@link Membership} knows its members, {@link MessageCalls}
 * sends and receives, {@link Plans} make a {@link Plan} of a collective, which runs here, and
 * {@link Creation} agrees on new communicators.
 *
 * <p>It holds no state that changes with a message or an epoch, so it still works after a rollback.
 * A rollback to a checkpoint invalidates the communicators made after it: the program makes them
 * again, with the same ids. A communicator in a loop's state is restored with the state, in any
 * process ({@link Communicators}).
 */
public final class Communicator implements Comm {
  private final PointToPoint p2p;
  final Membership members;
  private final MessageCalls messages;
  private final ObjectCalls objects;
  private final ObjectCollectives objectCollectives;
  private final UnsizedCalls unsized;
  private final Plans plans;
  private final Communicators all;
  private final Creation creation;

  /** Called by {@link Communicators}. */
  Communicator(PointToPoint p2p, ContextIds ids, Communicators all, int id, RankGroup group) {
    this.p2p = p2p;
    this.members = new Membership(p2p, ids, id, group);
    this.messages = new MessageCalls(p2p, members);
    this.objects = new ObjectCalls(p2p, messages, this);
    this.objectCollectives = new ObjectCollectives(this);
    this.unsized = new UnsizedCalls(p2p, messages, objects, this);
    this.plans = new Plans(members.rank, members.size);
    this.all = all;
    this.creation = new Creation(members.channel, ids, group, p2p.rank());
  }

  /**
   * The communicator of all ranks.
   *
   * @param ids the ids of this process, shared by all its communicators
   * @param job what communicators ask of the job
   */
  public static Communicator world(PointToPoint p2p, ContextIds ids, JobCalls job) {
    return ofAll(p2p, ids, job, Contexts.WORLD);
  }

  /** A communicator of all ranks for the runtime's own messages. */
  public static Communicator system(PointToPoint p2p, ContextIds ids, JobCalls job) {
    return ofAll(p2p, ids, job, Contexts.SYSTEM);
  }

  private static Communicator ofAll(PointToPoint p2p, ContextIds ids, JobCalls job, int id) {
    return new Communicators(p2p, ids, job).make(id, RankGroup.world(p2p.size(), p2p.rank()));
  }

  /** The stand-ins for communicators in the state of a loop. */
  public StandIns standIns() {
    return all;
  }

  /** The same, and what stands for requests of theirs. */
  public StandIns standIns(StateRequests requests) {
    return new StateStandIns(all, requests);
  }

  // ---- identity

  @Override
  public int rank() {
    members.checkExists();
    return members.rank;
  }

  @Override
  public int size() {
    members.checkExists();
    return members.size;
  }

  @Override
  public Group group() {
    members.checkExists();
    return members.group;
  }

  @Override
  public Group.Comparison compare(Comm other) {
    members.checkExists();
    if (other == this) {
      return Group.Comparison.IDENT;
    }
    if (!(other instanceof Communicator o)) {
      throw new FmiException(
          ErrorClass.COMM,
          (other == null ? "null" : other.getClass().getName())
              + " is not a communicator of this library");
    }
    o.members.checkExists();
    Group.Comparison groups = members.group.compare(o.members.group);
    return groups == Group.Comparison.IDENT ? Group.Comparison.CONGRUENT : groups;
  }

  // ---- messages

  @Override
  public void send(Object buffer, int dest, int tag) {
    messages.send(buffer, dest, tag, Mode.STANDARD);
  }

  @Override
  public void ssend(Object buffer, int dest, int tag) {
    messages.send(buffer, dest, tag, Mode.SYNCHRONOUS);
  }

  @Override
  public void bsend(Object buffer, int dest, int tag) {
    messages.send(buffer, dest, tag, Mode.BUFFERED);
  }

  @Override
  public void rsend(Object buffer, int dest, int tag) {
    messages.send(buffer, dest, tag, Mode.STANDARD);
  }

  @Override
  public Request isend(Object buffer, int dest, int tag) {
    return messages.isend(buffer, dest, tag, Mode.STANDARD);
  }

  @Override
  public Request issend(Object buffer, int dest, int tag) {
    return messages.isend(buffer, dest, tag, Mode.SYNCHRONOUS);
  }

  @Override
  public Request ibsend(Object buffer, int dest, int tag) {
    return messages.isend(buffer, dest, tag, Mode.BUFFERED);
  }

  @Override
  public Request irsend(Object buffer, int dest, int tag) {
    return messages.isend(buffer, dest, tag, Mode.STANDARD);
  }

  @Override
  public void attachBuffer(long bytes) {
    messages.attachBuffer(bytes);
  }

  @Override
  public Status recv(Object buffer, int source, int tag) {
    return messages.recv(buffer, source, tag);
  }

  @Override
  public Request irecv(Object buffer, int source, int tag) {
    Request request = messages.irecv(buffer, source, tag);
    return members.worldRanks == null || request instanceof CompletedRequest
        ? request
        : new TranslatedRequest(request, this);
  }

  @Override
  public Status sendRecv(Object send, int dest, int sendTag, Object recv, int source, int recvTag) {
    return messages.sendRecv(send, dest, sendTag, recv, source, recvTag);
  }

  @Override
  public Status probe(int source, int tag) {
    return messages.probe(source, tag);
  }

  @Override
  public @Nullable Status iprobe(int source, int tag) {
    return messages.iprobe(source, tag);
  }

  @Override
  public Message mprobe(int source, int tag) {
    return unsized.mprobe(source, tag);
  }

  @Override
  public @Nullable Message improbe(int source, int tag) {
    return unsized.improbe(source, tag);
  }

  @Override
  public <T> T recv(Class<T> arrayType, int source, int tag) {
    return unsized.recv(arrayType, source, tag);
  }

  @Override
  public void sendObject(@Nullable Object object, int dest, int tag) {
    objects.send(object, dest, tag);
  }

  @Override
  public Request isendObject(@Nullable Object object, int dest, int tag) {
    return objects.isend(object, dest, tag);
  }

  @Override
  public <T> @Nullable T recvObject(Class<T> type, int source, int tag) {
    return objects.recv(type, source, tag);
  }

  @Override
  public <T> ObjectRequest<T> irecvObject(Class<T> type, int source, int tag) {
    return objects.irecv(type, source, tag);
  }

  @Override
  public <T> @Nullable T bcastObject(@Nullable T object, int root) {
    return objectCollectives.bcast(object, root);
  }

  @Override
  public <T> List<@Nullable T> gatherObjects(@Nullable T object, int root) {
    return objectCollectives.gather(object, root);
  }

  @Override
  public <T> List<@Nullable T> allGatherObjects(@Nullable T object) {
    return objectCollectives.allGather(object);
  }

  @Override
  public <T> @Nullable T scatterObjects(@Nullable List<? extends @Nullable T> list, int root) {
    return objectCollectives.scatter(list, root);
  }

  @Override
  public <T> @Nullable T reduceObject(T object, BinaryOperator<T> op, int root) {
    return objectCollectives.reduce(object, op, root);
  }

  @Override
  public <T> @Nullable T allReduceObject(T object, BinaryOperator<T> op) {
    return objectCollectives.allReduce(object, op);
  }

  // ---- collectives that move data

  @Override
  public void barrier() {
    run(plans().barrier());
  }

  @Override
  public void bcast(Object buffer, int root) {
    run(plans().bcast(buffer, root));
  }

  @Override
  public void gather(Object send, @Nullable Object recv, int root) {
    run(plans().gather(send, recv, root));
  }

  @Override
  public void gatherv(
      Object send,
      @Nullable Object recv,
      long @Nullable [] counts,
      long @Nullable [] displs,
      int root) {
    run(plans().gatherv(send, recv, counts, displs, root));
  }

  @Override
  public void scatter(@Nullable Object send, Object recv, int root) {
    run(plans().scatter(send, recv, root));
  }

  @Override
  public void scatterv(
      @Nullable Object send,
      long @Nullable [] counts,
      long @Nullable [] displs,
      Object recv,
      int root) {
    run(plans().scatterv(send, counts, displs, recv, root));
  }

  @Override
  public void allGather(Object send, Object recv) {
    run(plans().allGather(send, recv));
  }

  @Override
  public void allGatherv(Object send, Object recv, long[] counts, long[] displs) {
    run(plans().allGatherv(send, recv, counts, displs));
  }

  @Override
  public void allToAll(Object send, Object recv) {
    run(plans().allToAll(send, recv));
  }

  @Override
  public void allToAllv(
      Object send,
      long @Nullable [] sendCounts,
      long @Nullable [] sendDispls,
      Object recv,
      long[] recvCounts,
      long[] recvDispls) {
    run(plans().allToAllv(send, sendCounts, sendDispls, recv, recvCounts, recvDispls));
  }

  // ---- collectives that reduce

  @Override
  public void reduce(Object send, @Nullable Object recv, Op op, int root) {
    run(plans().reduce(send, recv, op, root));
  }

  @Override
  public void allReduce(Object send, Object recv, Op op) {
    run(plans().allReduce(send, recv, op));
  }

  @Override
  public void reduceScatter(Object send, Object recv, long[] counts, Op op) {
    run(plans().reduceScatter(send, recv, counts, op));
  }

  @Override
  public void scan(Object send, Object recv, Op op) {
    run(plans().scan(send, recv, op, false));
  }

  @Override
  public void exScan(Object send, Object recv, Op op) {
    run(plans().scan(send, recv, op, true));
  }

  /** The plans, for a call that begins now. */
  private Plans plans() {
    checkCollective();
    return plans;
  }

  /** Refuses a collective call where none is allowed. */
  private void checkCollective() {
    p2p.requireCaller();
    members.checkUsable();
    members.requireWhole();
    FlowPart reach = p2p.reach();
    if (reach != null) {
      reach.collective();
    }
  }

  private void run(Plan plan) {
    members.channel.begin(plan.call());
    plan.run(members.channel);
    members.channel.end();
  }

  // ---- derived communicators

  @Override
  public Comm dup() {
    checkCollective();
    return make(creation.dup());
  }

  @Override
  public @Nullable Comm split(int color, int key) {
    checkCollective();
    Agreed agreed = creation.split(color, key);
    return agreed == null ? null : make(agreed);
  }

  @Override
  public @Nullable Comm create(Group subset) {
    checkCollective();
    Agreed agreed = creation.create(subset);
    return agreed == null ? null : make(agreed);
  }

  private Communicator make(Agreed agreed) {
    return all.make(agreed.id(), agreed.group());
  }

  // ---- the loss of ranks

  @Override
  public CommState state() {
    members.checkExists();
    p2p.attend();
    return members.losses.isRevoked()
        ? CommState.REVOKED
        : members.losses.isWhole() ? CommState.VALID : CommState.INVALID;
  }

  @Override
  public Group failed() {
    members.checkExists();
    p2p.attend();
    return new RankGroup(members.losses.dead(), p2p.rank());
  }

  @Override
  public void ackFailed() {
    members.checkExists();
    members.losses.acknowledge();
  }

  @Override
  public long agree(long flags) {
    if (p2p.losses().tracks()) {
      checkMayAgree();
      return agree(false, flags).flags();
    }
    return allReduce(flags, Op.BAND);
  }

  @Override
  public Comm shrink() {
    if (!p2p.losses().tracks()) {
      return dup();
    }
    checkMayAgree();
    JobCalls.Agreed agreed = agree(true, 0);
    return make(creation.shrunk(agreed.id(), members.losses.deadUpTo(agreed.seq())));
  }

  private void checkMayAgree() {
    p2p.requireCaller();
    members.checkMayAgree();
  }

  private JobCalls.Agreed agree(boolean shrink, long flags) {
    return all.job()
        .agree(
            members.id, members.nextAgreement(), shrink, members.bits(), flags, creation.nextId());
  }

  @Override
  public void revoke() {
    checkMayAgree();
    if (!p2p.losses().tracks()) {
      throw new FmiException(
          ErrorClass.OTHER,
          "a communicator cannot be revoked where lost ranks are replaced, as a rollback could not"
              + " undo it: start the job with --on-failure shrink");
    }
    all.job().revoke(members.id, members.bits());
  }

  // ---- end

  @Override
  public void close() {
    if (members.id != Contexts.WORLD && members.id != Contexts.SYSTEM) {
      members.close();
    }
  }

  @Override
  public void abort(int status) {
    members.checkUsable();
    if (status < 1 || status > 255) {
      throw new FmiException(
          ErrorClass.ARG,
          "status " + status + " cannot be an exit status of failure: use 1 to 255");
    }
    all.job().abort(status);
    while (true) {
      LockSupport.park(this);
      Thread.interrupted(); // or the next park returns at once
    }
  }

  @Override
  public String toString() {
    return "Comm[" + members.id + ", rank " + members.rank + " of " + members.size + "]";
  }
}
