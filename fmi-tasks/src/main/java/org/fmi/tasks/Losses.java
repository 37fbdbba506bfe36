package org.fmi.tasks;

import java.util.function.Function;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.jspecify.annotations.Nullable;

/** The communicators of a graph's ranks, and what happens to a round when one of them is lost. */
final class Losses implements AutoCloseable {
  private final Comm comm;
  private final Comm self;

  /** Makes communicators, so that notes and the program's messages do not mix; all ranks do. */
  Losses(Fmi fmi) {
    comm = fmi.world().dup();
    self = own(comm.split(comm.rank(), 0));
  }

  private static Comm own(@Nullable Comm made) {
    assert made != null; // each rank is a member of its own
    return made;
  }

  /** A communicator of this rank alone. */
  Comm self() {
    return self;
  }

  /** Whether this rank is the lowest living one, as known in the last round. */
  boolean isFirst() {
    return comm.rank() == 0;
  }

  /** Plays a round until all living ranks have ended it; a rollback leaves it. */
  <R extends @Nullable Object> R survive(Function<Comm, R> round) {
    return round.apply(comm);
  }

  @Override
  public void close() {
    self.close();
    comm.close();
  }
}
