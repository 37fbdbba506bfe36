package org.fmi.job.daemon;

import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.ToDaemon;
import org.fmi.rules.TimeWithCore;

/**
 * What happens to a node's daemon. A process is named by the number that {@link
 * DaemonCommand.Start} gave it.
 */
public sealed interface DaemonEvent {
  /** A message has come from fmirun. */
  record FromFmirun(ToDaemon message) implements DaemonEvent {}

  /** The connection to fmirun is closed. */
  record FmirunGone() implements DaemonEvent {}

  /** Nothing has come from fmirun for the time of its heartbeat. */
  record FmirunSilent() implements DaemonEvent {}

  /** {@link DaemonCommand.Prepare} is done: processes can be started. */
  record Prepared() implements DaemonEvent {}

  /** {@link DaemonCommand.Prepare} has failed: this node cannot take part. */
  record Unfit(String reason) implements DaemonEvent {}

  /**
   * A process runs.
   *
   * @param pid its number in the system, for the user
   */
  record Started(int process, long pid) implements DaemonEvent {}

  /** A process could not be started. Nothing else is heard of it. */
  record NotStarted(int process, String reason) implements DaemonEvent {}

  /**
   * The system did not allow {@link DaemonCommand.Bind}.
   *
   * @param warning what the user reads about it, once
   */
  record NotBound(int process, String warning) implements DaemonEvent {}

  /**
   * A process that was started has connected, and was found to be the one that it says it is.
   *
   * @param warmUp the directory that it may make to get ready in
   */
  record Connected(int process, String warmUp) implements DaemonEvent {}

  /** A message has come from a connected process. */
  record FromProcess(int process, FromRank message) implements DaemonEvent {}

  /**
   * The connection of a process is closed; it never connects again.
   *
   * @param silent whether it was closed here because nothing came for the time of the heartbeat
   */
  record Disconnected(int process, boolean silent) implements DaemonEvent {}

  /** A process was killed; the system is clearing it away. {@link Exited} follows. */
  record Dying(int process) implements DaemonEvent {}

  /** {@link DaemonCommand.Kill} came too late: the process was dying. {@link Exited} follows. */
  record WasDying(int process) implements DaemonEvent {}

  /**
   * A process has ended, and all its output has been sent. Its connection may still be open, with
   * messages to come.
   *
   * @param status exit status, or 128 + signal
   */
  record Exited(int process, int status) implements DaemonEvent {}

  /** The helper has done something towards its task. */
  record HelperMoved() implements DaemonEvent {}

  /**
   * Answers {@link DaemonCommand.LookAtHelper}.
   *
   * @param machine how loaded the machine is, in words for the user
   */
  record HelperSeen(TimeWithCore.Look look, String machine) implements DaemonEvent {}

  /** The helper's task is over; if it was killed, its process has ended. */
  record HelperEnded(FlushResult result) implements DaemonEvent {}

  /** The time of {@link NodeDaemon#nextTick} has come. One too many does no harm. */
  record Tick() implements DaemonEvent {}
}
