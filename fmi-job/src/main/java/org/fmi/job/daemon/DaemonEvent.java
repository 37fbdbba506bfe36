package org.fmi.job.daemon;

import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.ToDaemon;
import org.fmi.rules.TimeWithCore;

/**
 * An event at a node's daemon. A process is identified by the number that {@link
 * DaemonCommand.Start} gave it.
 */
public sealed interface DaemonEvent {
  /** A message from fmirun arrived. */
  record FromFmirun(ToDaemon message) implements DaemonEvent {}

  /** Fmirun has ended, or has given this node up. */
  record FmirunGone() implements DaemonEvent {}

  /** {@link DaemonCommand.Prepare} is done: processes can be started. */
  record Prepared() implements DaemonEvent {}

  /** {@link DaemonCommand.Prepare} failed: this node cannot take part. */
  record Unfit(String reason) implements DaemonEvent {}

  /**
   * A process runs.
   *
   * @param pid its process id, for the user
   */
  record Started(int process, long pid) implements DaemonEvent {}

  /** A process could not be started; it may be attempted again. */
  record NotStarted(int process, String reason) implements DaemonEvent {}

  /**
   * The system did not permit {@link DaemonCommand.Bind}.
   *
   * @param warning the message for the user, shown once
   */
  record NotBound(int process, String warning) implements DaemonEvent {}

  /**
   * A started process has connected and proved its identity.
   *
   * @param warmUp the directory in which it may warm up
   */
  record Connected(int process, String warmUp) implements DaemonEvent {}

  /** A message from a connected process arrived. */
  record FromProcess(int process, FromRank message) implements DaemonEvent {}

  /**
   * The connection of a process is closed; it never connects again.
   *
   * @param silent whether it was closed here, because nothing arrived within the heartbeat timeout
   */
  record Disconnected(int process, boolean silent) implements DaemonEvent {}

  /** A process was killed and is being removed by the system. {@link Exited} follows. */
  record Dying(int process) implements DaemonEvent {}

  /**
   * {@link DaemonCommand.Kill} was carried out.
   *
   * @param residentBytes the memory that the process has to release, if that is known; otherwise 0
   */
  record Killed(int process, long residentBytes) implements DaemonEvent {}

  /**
   * {@link DaemonCommand.Kill} came too late, because the process was already dying. {@link Exited}
   * follows.
   */
  record WasDying(int process) implements DaemonEvent {}

  /**
   * A process has ended, and all its output has been sent. Its connection may still be open and
   * deliver messages.
   *
   * @param status exit status, or 128 + signal
   */
  record Exited(int process, int status) implements DaemonEvent {}

  /** Answers {@link DaemonCommand.Look}. */
  record Seen(int process, TimeWithCore.Look look) implements DaemonEvent {}

  /** The helper has made progress. */
  record HelperMoved() implements DaemonEvent {}

  /**
   * Answers {@link DaemonCommand.LookAtHelper}.
   *
   * @param machine the load of the machine, in words for the user
   */
  record HelperSeen(TimeWithCore.Look look, String machine) implements DaemonEvent {}

  /** The helper's task is over. If the helper was killed, its process has ended. */
  record HelperEnded(FlushResult result) implements DaemonEvent {}

  /** The time of {@link NodeDaemon#nextTick} has come. Superfluous ticks are harmless. */
  record Tick() implements DaemonEvent {}
}
