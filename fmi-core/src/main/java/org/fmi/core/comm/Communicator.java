package org.fmi.core.comm;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.core.comm.Creation.Agreed;
import org.fmi.core.object.StandIns;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.KeptRequests;
import org.fmi.core.p2p.PointToPoint;
import org.jspecify.annotations.Nullable;

/**
 * A communicator: its group, its end, and those made from it. Its other calls stand in {@link
 * MessageCalls} and {@link CollectiveCalls}.
 *
 * <p>It holds nothing that changes with a message or an epoch, so it goes on working after a
 * rollback. A communicator made after the checkpoint that a rollback goes back to is refused from
 * then on: the program makes it again, with the same id. One that is part of a loop's state comes
 * back with it in any process ({@link Communicators}).
 */
public final class Communicator extends CollectiveCalls {
  private final Communicators all;
  private final Creation creation;

  /** Made by {@link Communicators}. */
  Communicator(PointToPoint p2p, ContextIds ids, Communicators all, int id, RankGroup group) {
    super(p2p, ids, id, group);
    this.all = all;
    this.creation = new Creation(channel, ids, group, p2p.rank());
  }

  /**
   * The communicator of all ranks.
   *
   * @param ids of this process, shared by all its communicators
   * @param abort ends the job with a status; called by {@link #abort}
   */
  public static Communicator world(PointToPoint p2p, ContextIds ids, IntConsumer abort) {
    return ofAll(p2p, ids, abort, Contexts.WORLD);
  }

  /** A communicator of all ranks for the runtime's own messages. */
  public static Communicator system(PointToPoint p2p, ContextIds ids, IntConsumer abort) {
    return ofAll(p2p, ids, abort, Contexts.SYSTEM);
  }

  private static Communicator ofAll(PointToPoint p2p, ContextIds ids, IntConsumer abort, int id) {
    return new Communicators(p2p, ids, abort).make(id, RankGroup.world(p2p.size(), p2p.rank()));
  }

  /** What stands for it, and for those made from it, in the state of a loop. */
  public StandIns standIns() {
    return all;
  }

  /** The same, and what stands for requests of theirs. */
  public StandIns standIns(KeptRequests requests) {
    return new StateStandIns(all, requests);
  }

  // ---- others made from it

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

  // ---- identity

  @Override
  public Group group() {
    checkExists();
    return group;
  }

  @Override
  public Group.Comparison compare(Comm other) {
    checkExists();
    if (other == this) {
      return Group.Comparison.IDENT;
    }
    if (!(other instanceof Communicator o)) {
      throw new FmiException(
          ErrorClass.COMM,
          (other == null ? "null" : other.getClass().getName())
              + " is not a communicator of this library");
    }
    o.checkExists();
    Group.Comparison members = group.compare(o.group);
    return members == Group.Comparison.IDENT ? Group.Comparison.CONGRUENT : members;
  }

  // ---- its end

  @Override
  public void free() {
    checkUsable();
    if (id == Contexts.WORLD || id == Contexts.SYSTEM) {
      throw new FmiException(
          ErrorClass.COMM, "the communicator of all ranks cannot be freed: close Fmi instead");
    }
    end();
  }

  @Override
  public void abort(int status) {
    checkUsable();
    if (status < 1 || status > 255) {
      throw new FmiException(
          ErrorClass.ARG,
          "status " + status + " cannot be an exit status of failure: use 1 to 255");
    }
    all.abort(status);
    while (true) {
      LockSupport.park(this);
      Thread.interrupted(); // or the next park returns at once
    }
  }

  @Override
  public String toString() {
    return "Comm[" + id + ", rank " + rank + " of " + size + "]";
  }
}
