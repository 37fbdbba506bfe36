package org.fmi.job;

import java.util.Set;

/**
 * The phases of a job, with the transitions that are allowed between them.
 *
 * <pre>
 *  LAUNCHING --all nodes up--> JOINING(e) --all joined, Start(e)--> CONNECTING(e) --all run--> RUNNING(e)
 *                               ^   | |                                |                        |  |
 *                               |   +-+ e was left before it began     |        a failure: e+1  |  | all finished
 *                               +--------------------------------------+------------------------+  v
 *                                                                                            RELEASED --> ENDED
 * </pre>
 *
 * Every phase may become ENDED. In a job that replaces no lost rank, {@link Losses} handles
 * failures from Start on; the table holds for jobs that do, and for all others before Start. The
 * effect of an event, by phase ("epoch": a new one begins; (e): only if the message is of the
 * current epoch). Each {@link JobEvent} has a row, and each {@link org.fmi.control.RankMessage};
 * similar messages share one:
 *
 * <pre>
 *  event             LAUNCHING          JOINING             CONNECTING, RUNNING        RELEASED
 *  NodeUp            start if all up    place waiting ranks one spare more             -
 *  NodeLost          a spare replaces   place its ranks     epoch, place its ranks     end, if ranks ran there
 *  DaemonLost        as NodeLost        as NodeLost, but restart it with its memory              as NodeLost
 *  NodeSilent        wait               replace its ranks    epoch, replace its ranks   -
 *  NodeHeard         start if all up    kill what was replaced, place waiting ranks (all phases)
 *  NodeUnfit         as NodeLost        as NodeLost         as NodeLost                as NodeLost
 *  NodeAdded         launch it          launch it           launch it                  launch it
 *  NodeGranted       launch it          launch it           launch it                  launch it
 *  NodeRefused       report             place waiting ranks report                     report
 *  NodeLeaving       no more ranks      no more ranks       its ranks leave it later   report
 *  NodeStays         a node as before   place waiting ranks place waiting ranks        report
 *  RankKicked        -                  kill it             kill it, epoch             kill it
 *  Continued         -                  continue the start  -                          -
 *  Examined          -                  judge the links     -                          -
 *  ExaminationOver   -                  judge the links     -                          -
 *  RankExited        -                  restart it          epoch, restart it          count it; end when all have
 *  RankNotStarted    -                  move it, or again   -                          -
 *  RankStarted       -                  account             -                          -
 *  RankLate          -                  kill it if all wait -                          -
 *  RankSilent        -                  kill it             kill it, epoch             kill it
 *  RankDying         -                  (its exit follows)  kill it, epoch             (its exit follows)
 *  RankWasDying      -                  account             account                    -
 *  Left              -                  report              report                     report
 *  Notify            -                  report              report                     report
 *  FilesRead         -                  account             account                    account
 *  ChoiceReport      -                  note, answer        note, answer               note, answer
 *  Joined (e)        -                  Start if all have   -                          -
 *  Connected (e)     -                  -                   report if all have         -
 *  Running (e)       -                  -                   RUNNING if all do          -
 *  Suspect (e)       -                  epoch, examine      epoch, examine links       -
 *  LocalImpossible (e) -                noted               epoch, all roll back       end
 *  CheckpointDone (e) -                 account             account, keep standbys     account
 *  CheckpointSkipped (e) -              report              report, answer requests    report
 *  RestartNeeded (e) -                  restart all         epoch, restart all         end
 *  CannotContinue (e) -                 kill it             kill it, epoch             -
 *  Unrecoverable (e) -                  end                 end                        end
 *  ProgramFault (e)  -                  end                 end                        end
 *  Stops (e)         -                  -                   meet if all have           -
 *  CheckpointWanted (e) -               -                   hold                       -
 *  CheckpointAsked   kept               kept                hold if all run            refused
 *  CheckpointWithdrawn forgotten        forgotten           forgotten                  -
 *  Finished (e)      -                  -                   RELEASED if all have       -
 *  Failed            -                  account             account                    account
 *  AtFault           -                  kill                kill                       kill
 *  Agrees            -                  -                   - (Losses)                 -
 *  Revokes           -                  -                   - (Losses)                 -
 *  Abort             -                  end                 end                        end
 *  Interrupted       end                end                 end                        end
 * </pre>
 */
enum Phase {
  /** Daemons are starting; no rank has a process yet. */
  LAUNCHING,
  /**
   * H1: ranks join the epoch. Nothing was sent in it yet, so a failure needs no new epoch, unless a
   * rank has already left this one.
   */
  JOINING,
  /** H2 and the restore: Start was sent; not all ranks run yet. */
  CONNECTING,
  /** H3: all ranks run. */
  RUNNING,
  /** All ranks have finished and may leave; nothing can be repeated from now on. */
  RELEASED,
  /** The end was commanded. All further events are ignored. */
  ENDED;

  private Set<Phase> successors() {
    return switch (this) {
      case LAUNCHING -> Set.of(JOINING, ENDED);
      case JOINING -> Set.of(JOINING, CONNECTING, ENDED);
      case CONNECTING -> Set.of(JOINING, RUNNING, ENDED);
      case RUNNING -> Set.of(JOINING, RELEASED, ENDED);
      case RELEASED -> Set.of(ENDED);
      case ENDED -> Set.of();
    };
  }

  /** Returns the next phase, after asserting that it may follow this one. */
  Phase to(Phase next) {
    assert successors().contains(next) : this + " must not become " + next;
    return next;
  }
}
