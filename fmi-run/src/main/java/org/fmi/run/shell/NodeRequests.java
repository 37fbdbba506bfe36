package org.fmi.run.shell;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.run.slurm.LentNodes;
import org.jspecify.annotations.Nullable;

/**
 * Requests nodes from Slurm for the decision maker, and forwards the answers. Belongs to the loop's
 * thread.
 */
final class NodeRequests {
  /** Time limit for Slurm to take lent nodes back at the end. */
  private static final int END_MILLIS = 5000;

  /** Null if nodes cannot be requested. */
  private final @Nullable LentNodes source;

  private final Consumer<JobEvent> job;
  private final Executor post;

  /** Unanswered requests that are still wanted. */
  private final Set<Request> open = new LinkedHashSet<>();

  /**
   * @param post runs tasks on the loop's thread
   */
  NodeRequests(@Nullable LentNodes source, Consumer<JobEvent> job, Executor post) {
    this.source = source;
    this.job = job;
    this.post = post;
  }

  /** Requests one more node, for this many ranks. */
  void ask(int slots) {
    Request request = new Request(slots);
    open.add(request);
    if (source == null) {
      request.refused("nodes can be requested from Slurm only");
    } else {
      request.lease = source.request(slots, request);
    }
  }

  /** Withdraws all unanswered requests. */
  void withdraw() {
    open.forEach(Request::giveBack);
    open.clear();
  }

  /** Returns all lent nodes. Any thread but the loop's. */
  void close() {
    if (source != null) {
      source.close(END_MILLIS);
    }
  }

  /** One request. */
  private final class Request implements LentNodes.Answer {
    private final int slots;
    private LentNodes.@Nullable Lease lease;

    Request(int slots) {
      this.slots = slots;
    }

    @Override
    public void granted(String node, String rack) {
      post.execute(
          () -> answered(new JobEvent.NodeGranted(new JobSpec.Node(node, slots, true, rack))));
    }

    @Override
    public void refused(String reason) {
      post.execute(() -> answered(new JobEvent.NodeRefused(reason)));
    }

    /** Forwards an answer, unless the request was withdrawn. */
    private void answered(JobEvent event) {
      if (open.remove(this)) {
        job.accept(event);
      }
    }

    private void giveBack() {
      if (lease != null) {
        lease.giveBack();
      }
    }
  }
}
