package org.fmi.core.rollback;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.checkpoint.Image;
import org.fmi.core.checkpoint.Overlap;
import org.fmi.core.checkpoint.SyncPoint;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.log.InTransitImage;
import org.fmi.core.log.UnexpectedImage;
import org.fmi.core.loop.FlowStates;
import org.fmi.core.loop.Loop;
import org.fmi.core.p2p.Messenger;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.OtherImages;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Restores a checkpoint: agrees with all ranks on which one, and restores its contents: state,
 * messages, context ids, room for buffered sends.
 */
public final class Restorer {
  private final RankConfig config;
  private final Comm system;
  private final Messenger messenger;
  private final ContextIds contexts;
  private final JobLink link;
  private final Checkpoints checkpoints;
  private final FaultInjector faults;
  private final Restoration restoration;

  /** The checkpoint of a job with another number of ranks that this job begins from. */
  private final @Nullable Redistribution redistribution;

  /** Lets only failed ranks roll back; null if all ranks do. */
  private final @Nullable LocalRollback local;

  /** Computations of the program that follow each restore of its state. */
  private final List<Runnable> after = new ArrayList<>();

  /** The checkpoint restored last; {@link #timesRolledBack} counts how often in a row. */
  private @Nullable CheckpointId rolledBackTo;

  private long timesRolledBack;

  /** The situation in which a checkpoint is restored. */
  public enum Situation {
    /** In a loop, in a new epoch in which no message was sent yet. */
    ROLLED_BACK,
    /**
     * All processes are new, and messages that they have sent again before the loop are in the
     * checkpoint too. Or ranks roll back without a failure.
     */
    RESTARTED,
    /** On the way to a later loop, whose own checkpoint has the messages. */
    REPLAYING
  }

  public Restorer(
      RankConfig config,
      Comm system,
      Messenger messenger,
      ContextIds contexts,
      CheckpointStore store,
      CheckpointSource source,
      JobLink link,
      FaultInjector faults,
      Checkpoints checkpoints,
      @Nullable LocalRollback local) {
    this.config = config;
    this.system = system;
    this.messenger = messenger;
    this.contexts = contexts;
    this.link = link;
    this.checkpoints = checkpoints;
    this.local = local;
    this.faults = faults;
    this.restoration = new Restoration(config, system, store, source, link, faults);
    List<OtherImages> others = source.others();
    this.redistribution = others.isEmpty() ? null : new Redistribution(config, system, others);
  }

  /** Runs a computation of the program whenever its state has been restored. */
  public void afterRestore(Runnable computes) {
    after.add(computes);
  }

  private void computeWhatFollows() {
    after.forEach(Runnable::run);
  }

  // ---- agreement

  /**
   * Agrees with all ranks on a recovery line, and restores it; collective over all ranks.
   *
   * @param restart whether all processes are new
   * @return the checkpoints that every rank holds now
   * @throws UnrecoverableException if no recovery line can be restored
   * @throws IOException if there is not enough memory
   */
  public Restoration.Restored recover(boolean restart, int epoch)
      throws IOException, UnrecoverableException {
    checkpoints.leave();
    CheckpointId newest = checkpoints.committed();
    Restoration.Restored found =
        restoration.run(restart, epoch, newest == null ? -1 : newest.version());
    checkpoints.adopt(found.line(), redistribution == null ? 0 : redistribution.version() + 1);
    CheckpointId to = checkpoints.committed();
    timesRolledBack =
        restart ? 1 : agreed(Objects.equals(to, rolledBackTo) ? timesRolledBack + 1 : 1);
    rolledBackTo = to;
    return found;
  }

  /**
   * The largest count of any rank: a new process does not know how often others rolled back here.
   */
  private long agreed(long times) {
    long[] most = {times};
    system.allReduce(most, Op.MAX);
    return most[0];
  }

  /** Reports to the job that no recovery is possible, as checkpoints are lost. */
  public void notRecovered(int epoch, UnrecoverableException e) {
    link.send(new RankMessage.Unrecoverable(epoch, true, String.valueOf(e.getMessage())));
  }

  // ---- restoring

  public void restore(CheckpointId id, Loop loop, Situation how, int epoch) {
    Image image = restoreAllElse(id, loop, how, epoch);
    loop.state().read(image.memory(), image.stateAt(), image.stateEnd());
    computeWhatFollows();
  }

  /**
   * Restores all but the state. Ranks that have a state keep it, and recompute on copies if they
   * take part.
   */
  public void restore(CheckpointId id, Loop loop, FlowRollback.Part way, int epoch) {
    Image image = restoreAllElse(id, loop, Situation.ROLLED_BACK, epoch);
    FlowStates<?> states = way.states();
    if (states != null) {
      states.read(image.memory(), image.stateAt(), image.stateEnd());
    }
    if (way.lost()) {
      computeWhatFollows();
    }
  }

  private Image restoreAllElse(CheckpointId id, Loop loop, Situation how, int epoch) {
    Image image = checkpoints.image(id);
    RecoveryPolicy policy = config.job().policy();
    boolean logs = policy.log() != null;
    switch (how) {
      case ROLLED_BACK -> putMessages(image);
      case RESTARTED -> {
        checkpoints.drain(SyncPoint.at(id), epoch);
        messenger.mailbox().discard();
        if (logs) {
          messenger.ledger().atRecoveryLine(true);
        }
        // No rank may send new messages before all ranks have discarded the old ones.
        system.barrier();
        putMessages(image);
      }
      case REPLAYING -> {}
    }
    contexts.restore(image.contexts());
    messenger.attachBuffer(image.attached());
    checkpoints.tuner().rolledBack(image.interval(), timesRolledBack);
    boolean numbered = policy.numbersMessages(loop.flow != null);
    if (logs && (id.last() || !numbered) && how != Situation.REPLAYING) {
      messenger.ledger().atRecoveryLine(false);
    }
    return image;
  }

  /**
   * Restores the messages of a checkpoint, except those already received; collective over all
   * ranks, if all roll back and checkpoints are asynchronous.
   */
  private void putMessages(Image image) {
    InTransitImage crossing = InTransitImage.EMPTY;
    Overlap overlap = checkpoints.overlap();
    if (overlap != null) {
      crossing = Overlap.inTransitImage(image);
      if (local == null) {
        overlap
            .inTransit()
            .rollBack(
                crossing.notToSend(),
                EarlyMessages.exchange(system, crossing.early()),
                crossing.determinants());
      } else {
        local.rollBack(system, crossing);
      }
    }
    UnexpectedImage.read(messenger.mailbox(), image.unexpected(), crossing);
  }

  /** Rolls back to the last checkpoint, within the epoch; collective over all ranks. */
  public void rollBack(Loop loop, int epoch) {
    CheckpointId id = Objects.requireNonNull(checkpoints.committed());
    long interval = checkpoints.tuner().iterations();
    restore(id, loop, Situation.RESTARTED, epoch);
    // The image's interval is from before the checkpoint was measured.
    checkpoints.repeatsWith(interval);
    loop.moveTo(id.iteration());
  }

  // ---- state of a job with another number of ranks

  /**
   * Gives a new loop the state and the position that it had in a job with another number of ranks,
   * if this job begins from one; collective over all ranks.
   *
   * @return whether the loop had ended there
   */
  public boolean takeOver(Loop loop, int epoch) {
    Redistribution from = redistribution;
    if (from == null) {
      return false;
    }
    String refusal = from.fill(loop.number, loop.state(), this::refused);
    if (refusal != null) {
      throw checkpoints.endJob(
          epoch, restoration.lost() + "cannot continue from " + from.name() + ": " + refusal);
    }
    CheckpointId id = from.of(loop.number);
    if (id == null) {
      return false;
    }
    loop.moveTo(id.iteration());
    computeWhatFollows();
    faults.at(FaultPoint.RESTORED, id.iteration());
    if (config.rank() == 0 && from.isLine(id) && from.isFromFiles()) {
      link.send(new RankMessage.FilesRead(epoch, from.name(), id.loop(), id.iteration(), ""));
    }
    return id.last();
  }

  private void refused(String why) {
    if (config.rank() == 0) {
      link.report(Notice.Degraded.filesRefused(why));
    }
  }
}
