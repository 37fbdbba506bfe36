package org.fmi.core.checkpoint;

import java.util.concurrent.atomic.AtomicReference;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.RankMessage;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Messenger;
import org.jspecify.annotations.Nullable;

/**
 * Leads this rank to the place where all ranks take a requested checkpoint. The place is not known
 * in advance, as no rank knows how far the others are.
 *
 * <pre>
 *   idle --Hold--> report the first place to stop; wait there --Meet--> continue to the place that the
 *    ^                          |                                        job has chosen, take a checkpoint
 *    +----------Resume----------+                                                    |
 *    +-------------------------------------------------------------------------------+
 * </pre>
 *
 * <p>Where checkpoints are asynchronous the job tells ranks to begin one ({@link
 * JobMessage.Begin}), which they do at the next place.
 *
 * <p>A rank reports where it can stop as it gets there, or earlier, while it waits in a call: the
 * message that it waits for may come from a rank that has stopped and continues only after all
 * reports. So a stopped rank never keeps another one from reporting. The exception are ranks that
 * still repeat iterations after a failure: each reports that it has caught up ({@link
 * JobMessage.Settle}) before any rank is told to stop.
 */
public final class RequestedCheckpoint {
  private static final long NONE = -1;

  private final JobLink link;
  private final Messenger messenger;

  /** The job's current order; null if there is none. Set by the link's thread. */
  private final AtomicReference<@Nullable JobMessage> order = new AtomicReference<>();

  /** Whether the next checkpoint is to be written to files. */
  private volatile boolean toFiles;

  /** The last request that this rank has answered. */
  private long answered = NONE;

  /** The newest version committed when the checkpoint was requested. */
  private long committedBefore = NONE;

  /**
   * The earliest place for the checkpoint that this rank's program has asked for; null if it has
   * not.
   */
  private @Nullable LoopPoint wanted;

  /**
   * The epoch in which the program asked; {@link #wantedAfter} is the newest version begun then.
   */
  private int wantedIn;

  private long wantedAfter;

  /** The epoch in which this rank has asked for a checkpoint to files. */
  private int askedForFilesIn = -1;

  public RequestedCheckpoint(JobLink link, Messenger messenger) {
    this.link = link;
    this.messenger = messenger;
  }

  /** Sets the job's order. Runs on the link's thread, which wakes the rank up afterwards. */
  public void order(JobMessage message) {
    switch (message) {
      case JobMessage.WriteNext _ -> toFiles(true);
      case JobMessage.Resume goOn -> {
        if (request(order.get()) == goOn.request()) {
          order.set(null);
        }
      }
      default -> order.set(message);
    }
  }

  /** The number of a request that can still be cancelled. */
  private static long request(@Nullable JobMessage order) {
    return switch (order) {
      case JobMessage.Settle settle -> settle.request();
      case JobMessage.Hold hold -> hold.request();
      case JobMessage.Begin begin -> begin.request();
      case null, default -> NONE;
    };
  }

  /** Whether there is an order. The only check in each iteration. */
  public boolean isAsked() {
    return order.get() != null;
  }

  /** Sets whether the next checkpoint is to be written to files. Any thread may call it. */
  void toFiles(boolean wanted) {
    toFiles = wanted;
  }

  /** Whether the next checkpoint is to be written to files. */
  boolean isToFiles() {
    return toFiles;
  }

  /**
   * Answers while the program waits in a call.
   *
   * @param next the first place where it can stop then
   */
  public void waits(LoopPoint next, int epoch) {
    switch (order.get()) {
      case JobMessage.Settle settle when settle.epoch() == epoch ->
          answer(epoch, settle.request(), next);
      case JobMessage.Hold hold when hold.epoch() == epoch -> answer(epoch, hold.request(), next);
      case null, default -> {}
    }
  }

  private void answer(int epoch, long request, LoopPoint first) {
    if (answered != request) {
      answered = request;
      link.send(new RankMessage.Stops(epoch, request, first));
    }
  }

  /**
   * Obeys at a place where the program can stop. Returns when it may continue.
   *
   * @return whether to take a checkpoint here
   * @throws org.fmi.Rollback if the epoch ends meanwhile
   */
  public boolean stop(LoopPoint here, int epoch) {
    while (true) {
      switch (order.get()) {
        case null -> {
          return false;
        }
        case JobMessage.Settle settle when settle.epoch() == epoch -> {
          answer(epoch, settle.request(), here);
          return false;
        }
        case JobMessage.Hold hold when hold.epoch() == epoch -> {
          answer(epoch, hold.request(), here);
          messenger.park();
        }
        case JobMessage.Meet meet when meet.epoch() == epoch -> {
          if (!here.reaches(meet.at())) {
            return false;
          }
          order.compareAndSet(meet, null);
          toFiles |= meet.files();
          return true;
        }
        case JobMessage.Begin begin when begin.epoch() == epoch -> {
          return false;
        }
        case JobMessage old -> order.compareAndSet(old, null);
      }
    }
  }

  /**
   * Whether this rank is to begin an asynchronous checkpoint; true until one is committed.
   *
   * @param committed the newest committed version
   */
  public boolean isToBegin(int epoch, long committed) {
    if (!(order.get() instanceof JobMessage.Begin begin)) {
      return false;
    }
    if (answered != begin.request()) {
      answered = begin.request();
      committedBefore = begin.newest() < 0 ? committed : begin.newest();
    }
    if (begin.epoch() != epoch || committed > committedBefore) {
      order.compareAndSet(begin, null);
      return false;
    }
    return true;
  }

  /**
   * A checkpoint was skipped on all ranks. The job answers the requests that it would have served.
   */
  void skipped() {
    JobMessage now = order.get();
    if (now instanceof JobMessage.Begin) {
      order.compareAndSet(now, null);
    }
  }

  // ---- requests of the program

  /**
   * Asks the job for a checkpoint.
   *
   * @param least the earliest place
   * @param begun the newest version that this rank has begun
   */
  public void want(LoopPoint least, int epoch, long begun) {
    wanted = least;
    wantedIn = epoch;
    wantedAfter = begun;
    link.send(new RankMessage.CheckpointWanted(epoch, least, true));
  }

  /**
   * Asks again at a place where a checkpoint can be taken, if the epoch has changed. The job
   * forgets requests at the end of an epoch, and a rank that has continued does not repeat its
   * call.
   *
   * @param committed the newest committed version
   * @param begun the newest version that this rank has begun
   */
  public void passes(Loop loop, int epoch, long committed, long begun) {
    LoopPoint asked = wanted;
    if (asked == null || (wantedIn == epoch && committed <= wantedAfter)) {
      return;
    }
    wanted = null;
    boolean goneOn = loop.number == asked.loop() && loop.iteration >= asked.iteration();
    if (committed <= wantedAfter && goneOn) {
      want(asked, epoch, begun);
    }
  }

  /** Whether rank 0 has to ask for a checkpoint to files; true once per epoch. */
  public boolean asksForFiles(int epoch) {
    if (!toFiles || askedForFilesIn == epoch) {
      return false;
    }
    askedForFilesIn = epoch;
    return true;
  }
}
