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
 * <p>Where no rank waits for checkpoints it is told to begin one ({@link JobMessage.Begin}), and
 * does so at the next place.
 *
 * <p>It says so at the next place where it can stop, or before, while it waits in a call: what it
 * waits for may be sent by a rank that has stopped already, and goes on only when all have said it.
 * So no rank that has stopped keeps another one from answering, but for those that still do again
 * what was done before a failure: they say that they do not any more ({@link JobMessage.Settle})
 * before any rank is told to stop.
 */
public final class RequestedCheckpoint {
  private static final long NONE = -1;

  private final JobLink link;
  private final Messenger messenger;

  /** What the job wants; null while nobody asks. Set by the link's thread. */
  private final AtomicReference<@Nullable JobMessage> order = new AtomicReference<>();

  /** The next checkpoint is to be written to files. */
  private volatile boolean toFiles;

  /** The request to which this rank has said where it can stop, or that it knows of. */
  private long answered = NONE;

  /** The newest version that was committed when somebody asked. */
  private long committedBefore = NONE;

  /**
   * Where the program wants one at the earliest, as far as this rank has asked; null for nowhere.
   */
  private @Nullable LoopPoint wanted;

  /** The epoch in which it has, and the newest version that it had begun then. */
  private int wantedIn;

  private long wantedAfter;

  /** The epoch in which this rank has asked for one to be written to files. */
  private int askedForFilesIn = -1;

  public RequestedCheckpoint(JobLink link, Messenger messenger) {
    this.link = link;
    this.messenger = messenger;
  }

  /** The job wants something. The link's thread; it wakes the rank up afterwards. */
  public void order(JobMessage message) {
    switch (message) {
      case JobMessage.WriteNext _ -> toFiles(true);
      case JobMessage.GoOn goOn -> {
        if (request(order.get()) == goOn.request()) {
          order.set(null);
        }
      }
      default -> order.set(message);
    }
  }

  /** Which request it is that can still be called off. */
  private static long request(@Nullable JobMessage order) {
    return switch (order) {
      case JobMessage.Settle settle -> settle.request();
      case JobMessage.Hold hold -> hold.request();
      case JobMessage.Begin begin -> begin.request();
      case null, default -> NONE;
    };
  }

  /** Whether somebody asks. This is all that is done in each iteration. */
  public boolean isAsked() {
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
   * The program has come to a place where it can stop. Returns when it may go on.
   *
   * @return whether a checkpoint is to be taken here
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
   * Whether this rank is to begin one that no rank waits for; so it is until one is committed.
   *
   * @param committed the newest version that is
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

  // ---- what the program asks for

  /**
   * The program asks for one.
   *
   * @param least where, at the earliest
   * @param begun the newest version that this rank has begun
   */
  public void want(LoopPoint least, int epoch, long begun) {
    wanted = least;
    wantedIn = epoch;
    wantedAfter = begun;
    link.send(new RankMessage.CheckpointWanted(epoch, least, true));
  }

  /**
   * The program has come to a place where one can be taken. The job forgets what was asked for when
   * an epoch is over; a rank that has gone on then asks again, as it does not repeat its call.
   *
   * @param committed the newest version that is committed
   * @param begun the newest one that this rank has begun
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

  /** Whether rank 0 has to ask for one that is to be written to files; once in an epoch. */
  public boolean asksForFiles(int epoch) {
    if (!toFiles || askedForFilesIn == epoch) {
      return false;
    }
    askedForFilesIn = epoch;
    return true;
  }
}
