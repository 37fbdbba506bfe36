package org.fmi.core.recovery;

import java.util.concurrent.atomic.AtomicReference;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.RankMessage;
import org.fmi.core.p2p.Messenger;
import org.jspecify.annotations.Nullable;

/**
 * Brings this rank to the place where all take a checkpoint that somebody has asked for. That place
 * is not known in advance, as no rank knows how far the others are.
 *
 * <pre>
 *   nobody asks --Hold--> says where it can stop first; goes no further --Meet--> goes on to the place that the
 *        ^                                |                                       job has chosen, and takes it
 *        +------------GoOn----------------+                                                    |
 *        +-------------------------------------------------------------------------------------+
 * </pre>
 *
 * <p>It says so at the next place where it can stop, or before, while it waits in a call: what it
 * waits for may be sent by a rank that has stopped already, and goes on only when all have said it.
 * So no rank that has stopped keeps another one from answering.
 */
final class RequestedCheckpoint {
  private static final long NONE = -1;

  private final JobLink link;
  private final Messenger messenger;

  /** What the job wants; null while nobody asks. Set by the link's thread. */
  private final AtomicReference<@Nullable JobMessage> order = new AtomicReference<>();

  /** The next checkpoint is to be written to files. */
  private volatile boolean toFiles;

  /** The request to which this rank has said where it can stop. */
  private long answered = NONE;

  RequestedCheckpoint(JobLink link, Messenger messenger) {
    this.link = link;
    this.messenger = messenger;
  }

  /** The job wants something. The link's thread; it wakes the rank up afterwards. */
  void order(JobMessage message) {
    if (!(message instanceof JobMessage.GoOn goOn)) {
      order.set(message);
    } else if (order.get() instanceof JobMessage.Hold hold && hold.request() == goOn.request()) {
      order.compareAndSet(hold, null);
    }
  }

  /** Whether somebody asks. This is all that is done in each iteration. */
  boolean isAsked() {
    return order.get() != null;
  }

  /** Whether the next checkpoint is to be written to files. Any thread. */
  void toFiles(boolean wanted) {
    toFiles = wanted;
  }

  /** Whether it is. */
  boolean isToFiles() {
    return toFiles;
  }

  /**
   * The program waits in a call.
   *
   * @param next the first place where it can stop then
   */
  void waits(LoopPoint next, int epoch) {
    if (order.get() instanceof JobMessage.Hold hold && hold.epoch() == epoch) {
      answer(hold, next);
    }
  }

  private void answer(JobMessage.Hold hold, LoopPoint first) {
    if (answered != hold.request()) {
      answered = hold.request();
      link.send(new RankMessage.Stops(hold.epoch(), hold.request(), first));
    }
  }

  /**
   * The program has come to a place where it can stop. Returns when it may go on.
   *
   * @return whether a checkpoint is to be taken here
   * @throws org.fmi.Rollback if the epoch ends meanwhile
   */
  boolean stop(LoopPoint here, int epoch) {
    while (true) {
      switch (order.get()) {
        case null -> {
          return false;
        }
        case JobMessage.Hold hold when hold.epoch() == epoch -> {
          answer(hold, here);
          messenger.park();
        }
        case JobMessage.Meet meet when meet.epoch() == epoch -> {
          if (!here.reaches(meet.at())) {
            return false;
          }
          order.compareAndSet(meet, null);
          toFiles = true;
          return true;
        }
        case JobMessage old -> order.compareAndSet(old, null);
      }
    }
  }
}
