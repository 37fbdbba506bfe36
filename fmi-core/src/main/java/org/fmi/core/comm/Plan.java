package org.fmi.core.comm;

import static org.fmi.core.p2p.CollectiveCall.NONE;

import org.fmi.Datatype.Predefined;
import org.fmi.core.coll.Channel;
import org.fmi.core.coll.Collectives;
import org.fmi.core.coll.Location;
import org.fmi.core.coll.Reducer;
import org.fmi.core.coll.Reductions;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.CollectiveCall.Name;
import org.jspecify.annotations.Nullable;

/**
 * A collective call whose arguments {@link Plans} has checked: can be run now, later or again.
 *
 * <p>A null location of the data that this rank sends (in a scatter, receives) stands for
 * MPI_IN_PLACE. The type is the type of this rank's own data; null if there is none.
 */
sealed interface Plan {
  /** The signature of the call. */
  long call();

  /** Runs the collective with all ranks of the channel. */
  void run(Channel channel);

  /** MPI_Barrier. */
  record Barrier() implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.BARRIER, null, NONE, NONE);
    }

    @Override
    public void run(Channel channel) {
      Collectives.barrier(channel);
    }
  }

  /** MPI_Bcast. */
  record Bcast(Predefined type, Location data, long bytes, int root) implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.BCAST, type, root, bytes);
    }

    @Override
    public void run(Channel channel) {
      Collectives.bcast(channel, data, bytes, root);
    }
  }

  /** MPI_Gather. */
  record Gather(
      Predefined type, @Nullable Location mine, long bytes, @Nullable Location all, int root)
      implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.GATHER, type, root, bytes);
    }

    @Override
    public void run(Channel channel) {
      Collectives.gather(channel, mine, bytes, all, root);
    }
  }

  /** MPI_Gatherv. */
  record Gatherv(
      @Nullable Predefined type,
      @Nullable Location mine,
      long bytes,
      @Nullable Blocks all,
      int root)
      implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.GATHERV, type, root, NONE);
    }

    @Override
    public void run(Channel channel) {
      if (all == null) {
        Collectives.gatherv(channel, mine, bytes, null, null, null, root);
      } else {
        Collectives.gatherv(channel, mine, bytes, all.place(), all.starts(), all.lengths(), root);
      }
    }
  }

  /** MPI_Scatter. */
  record Scatter(
      Predefined type, @Nullable Location all, @Nullable Location mine, long bytes, int root)
      implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.SCATTER, type, root, bytes);
    }

    @Override
    public void run(Channel channel) {
      Collectives.scatter(channel, all, mine, bytes, root);
    }
  }

  /** MPI_Scatterv. */
  record Scatterv(
      @Nullable Predefined type,
      @Nullable Blocks all,
      @Nullable Location mine,
      long bytes,
      int root)
      implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.SCATTERV, type, root, NONE);
    }

    @Override
    public void run(Channel channel) {
      if (all == null) {
        Collectives.scatterv(channel, null, null, null, mine, bytes, root);
      } else {
        Collectives.scatterv(channel, all.place(), all.starts(), all.lengths(), mine, bytes, root);
      }
    }
  }

  /** MPI_Allgather. */
  record AllGather(Predefined type, @Nullable Location mine, long bytes, Location all)
      implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.ALL_GATHER, type, NONE, bytes);
    }

    @Override
    public void run(Channel channel) {
      Collectives.allGather(channel, mine, bytes, all);
    }
  }

  /** MPI_Allgatherv. */
  record AllGatherv(@Nullable Location mine, long bytes, Blocks all) implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.ALL_GATHERV, all.type(), NONE, NONE);
    }

    @Override
    public void run(Channel channel) {
      Collectives.allGatherv(channel, mine, bytes, all.place(), all.starts(), all.lengths());
    }
  }

  /** MPI_Alltoall. */
  record AllToAll(Predefined type, @Nullable Location out, Location in, long bytes)
      implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.ALL_TO_ALL, type, NONE, bytes);
    }

    @Override
    public void run(Channel channel) {
      Collectives.allToAll(channel, out, in, bytes);
    }
  }

  /** MPI_Alltoallv. */
  record AllToAllv(@Nullable Blocks out, Blocks in) implements Plan {
    @Override
    public long call() {
      return CollectiveCall.of(Name.ALL_TO_ALLV, in.type(), NONE, NONE);
    }

    @Override
    public void run(Channel channel) {
      Blocks sent = out == null ? in : out;
      Collectives.allToAllv(
          channel,
          out == null ? null : out.place(),
          sent.starts(),
          sent.lengths(),
          in.place(),
          in.starts(),
          in.lengths());
    }
  }

  /** MPI_Reduce. */
  record Reduce(Reducer reducer, Location data, Location result, long count, int root)
      implements Plan {
    @Override
    public long call() {
      return reducer.call(Name.REDUCE, root, count);
    }

    @Override
    public void run(Channel channel) {
      Reductions.reduce(channel, reducer, data, result, count, root);
    }
  }

  /** MPI_Allreduce. */
  record AllReduce(Reducer reducer, Location data, Location result, long count) implements Plan {
    @Override
    public long call() {
      return reducer.call(Name.ALL_REDUCE, NONE, count);
    }

    @Override
    public void run(Channel channel) {
      Reductions.allReduce(channel, reducer, data, result, count);
    }
  }

  /** MPI_Reduce_scatter. */
  record ReduceScatter(Reducer reducer, Location data, Location result, long[] counts)
      implements Plan {
    @Override
    public long call() {
      long count = 0;
      for (long c : counts) {
        count += c;
      }
      return reducer.call(Name.REDUCE_SCATTER, NONE, count);
    }

    @Override
    public void run(Channel channel) {
      Reductions.reduceScatter(channel, reducer, data, result, counts);
    }
  }

  /** MPI_Scan, or MPI_Exscan if exclusive. */
  record Scan(Reducer reducer, Location data, Location result, long count, boolean exclusive)
      implements Plan {
    @Override
    public long call() {
      return reducer.call(exclusive ? Name.EX_SCAN : Name.SCAN, NONE, count);
    }

    @Override
    public void run(Channel channel) {
      Reductions.scan(channel, reducer, data, result, count, exclusive);
    }
  }
}
