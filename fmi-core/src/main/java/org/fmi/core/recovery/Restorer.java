package org.fmi.core.recovery;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.p2p.Messenger;
import org.fmi.rules.IntervalTuner;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/** Puts what a checkpoint holds in place: state, messages, context ids, room for buffered sends. */
final class Restorer {
  private final Checkpoints checkpoints;
  private final Comm system;
  private final Messenger messenger;
  private final ContextIds contexts;
  private final IntervalTuner tuner;
  private final MeetingPlace meetings;
  private final @Nullable Overlap overlap;

  private final RecoveryPolicy policy;

  /** What the program computes from its state, whenever that has been put in place. */
  private final List<Runnable> after = new ArrayList<>();

  /** The situation in which a checkpoint is put in place. */
  enum How {
    /** In a loop, in a new epoch in which nothing was sent yet. */
    ROLLED_BACK,
    /**
     * All processes are new: messages that they have sent again before the loop are in the
     * checkpoint too. Or none is, and it is gone back without a failure.
     */
    RESTARTED,
    /** On the way to a later loop, whose own checkpoint holds the messages. */
    REPLAYING
  }

  Restorer(
      RankConfig config,
      Checkpoints checkpoints,
      Comm system,
      Messenger messenger,
      ContextIds contexts,
      IntervalTuner tuner,
      MeetingPlace meetings,
      @Nullable Overlap overlap) {
    this.policy = config.policy();
    this.checkpoints = checkpoints;
    this.system = system;
    this.messenger = messenger;
    this.contexts = contexts;
    this.tuner = tuner;
    this.meetings = meetings;
    this.overlap = overlap;
  }

  /** Lets the program compute something whenever its state has been put in place. */
  void afterRestore(Runnable computes) {
    after.add(computes);
  }

  /** The state has been put in place. */
  void computeWhatFollows() {
    after.forEach(Runnable::run);
  }

  void restore(CheckpointId id, Loop loop, How how, int epoch) {
    Image image = restoreAllElse(id, loop, how, epoch);
    loop.state().read(image.memory(), image.stateAt(), image.stateEnd());
    computeWhatFollows();
  }

  /**
   * The same, but for the state: ranks that have one keep it, and compute on others if they are to.
   */
  void restore(CheckpointId id, Loop loop, FlowRollback.Way way, int epoch) {
    Image image = restoreAllElse(id, loop, How.ROLLED_BACK, epoch);
    FlowStates<?> states = way.states();
    if (states != null) {
      states.read(image.memory(), image.stateAt(), image.stateEnd());
    }
    if (way.lost()) {
      computeWhatFollows();
    }
  }

  private Image restoreAllElse(CheckpointId id, Loop loop, How how, int epoch) {
    Image image = checkpoints.image(id);
    boolean logs = policy.log() != null;
    switch (how) {
      case ROLLED_BACK -> putMessages(image);
      case RESTARTED -> {
        meetings.drain(Meeting.at(id), epoch);
        messenger.unreceived().discard();
        if (logs) {
          messenger.line(true);
        }
        // Nobody may send anew before all have discarded the old.
        system.barrier();
        putMessages(image);
      }
      case REPLAYING -> {}
    }
    contexts.restore(image.contexts());
    messenger.attachBuffer(image.attached());
    tuner.goneBack(image.interval(), checkpoints.timesGoneBack());
    boolean numbered = policy.numbersMessages(loop.flow != null);
    if (logs && (id.last() || !numbered) && how != How.REPLAYING) {
      messenger.line(false);
    }
    return image;
  }

  private void putMessages(Image image) {
    if (overlap == null) {
      messenger.unreceived().read(image.unexpected(), null);
    } else {
      overlap.goBack(image);
    }
  }
}
