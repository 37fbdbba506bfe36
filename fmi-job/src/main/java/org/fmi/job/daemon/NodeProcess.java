package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.fmi.control.JobMessage;
import org.fmi.control.RankReport;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a daemon knows of one process.
 *
 * <pre>
 *            Started                Spawn
 *  STARTING ---------&gt; STANDBY ---------------&gt; RANK
 *   |    |               |                      ^  |
 *   |    +---------------|--Started, spawned----+  |
 *   |                    |                         |
 *   +----NotStarted------+--------Exited-----------+----&gt; ENDED
 * </pre>
 *
 * Beside that it connects once at most, in any state but the first: messages wait until then.
 */
final class NodeProcess {
  enum State {
    /** The system is being asked for it. */
    STARTING,
    /** Runs, and does not know which rank it is. */
    STANDBY,
    /** Runs as a rank. */
    RANK,
    /** Was never there, or is not any more. */
    ENDED;

    boolean mayBecome(State next) {
      return switch (this) {
        case STARTING -> next != STARTING;
        case STANDBY -> next == RANK || next == ENDED;
        case RANK -> next == ENDED;
        case ENDED -> false;
      };
    }
  }

  private enum Line {
    NOT_YET,
    OPEN,
    CLOSED
  }

  final int number;

  private State state = State.STARTING;
  private Line line = Line.NOT_YET;
  private long pid;
  private @Nullable RankConfig config;
  private int[] cores = {};

  /** Messages to send when it connects, in order. */
  private final List<ToRank> messages = new ArrayList<>();

  /** Input to give to it when it runs, in order. */
  private final List<byte[]> input = new ArrayList<>();

  /** What it has shown of itself since that was passed on last. */
  private @Nullable RankReport shown;

  /** It said that it exits by itself. */
  private boolean exiting;

  private OptionalInt exitStatus = OptionalInt.empty();
  private boolean joined;
  private boolean released;
  private boolean killed;
  private boolean overdue;

  NodeProcess(int number) {
    this.number = number;
  }

  State state() {
    return state;
  }

  private void become(State next) {
    assert state.mayBecome(next) : this + " cannot become " + next;
    state = next;
  }

  long pid() {
    return pid;
  }

  /** Who it is, or will be; null while it stands by. */
  @Nullable RankConfig config() {
    return config;
  }

  boolean is(int incarnation) {
    RankConfig known = config;
    return known != null && known.incarnation() == incarnation;
  }

  /** Decides who it is to be: at once if it runs, else as soon as it does. */
  void designate(RankConfig who, int[] boundTo) {
    assert config == null : this + " is a rank already";
    config = who;
    cores = boundTo;
  }

  /** The system has started it. */
  void started(long number) {
    pid = number;
    become(State.STANDBY);
  }

  /** It is a rank from now on. */
  void attached() {
    assert config != null;
    become(State.RANK);
  }

  /** The cores to bind it to; none if to none. */
  int[] cores() {
    return cores;
  }

  /** The system has it no more, but its last words are still to be read. */
  void exited(int status) {
    exitStatus = OptionalInt.of(status);
  }

  OptionalInt exitStatus() {
    return exitStatus;
  }

  void ended() {
    become(State.ENDED);
  }

  /** Whether the system has it. */
  boolean lives() {
    return (state == State.STANDBY || state == State.RANK) && exitStatus.isEmpty();
  }

  void connected() {
    assert line == Line.NOT_YET : this + " connects twice";
    line = Line.OPEN;
  }

  void disconnected() {
    assert line == Line.OPEN : this + " was not connected";
    line = Line.CLOSED;
  }

  boolean isConnected() {
    return line == Line.OPEN;
  }

  /** Whether it ever has connected. */
  boolean hasConnected() {
    return line != Line.NOT_YET;
  }

  /** Nothing will be heard of it any more. */
  boolean isForgotten() {
    return state == State.ENDED && line != Line.OPEN;
  }

  /** Notes a message that cannot be sent yet. */
  void keep(ToRank message) {
    assert line == Line.NOT_YET;
    messages.add(message);
  }

  /** Hands over what was kept. */
  List<ToRank> takeMessages() {
    List<ToRank> taken = List.copyOf(messages);
    messages.clear();
    return taken;
  }

  /** Notes input for a process that does not run yet. */
  void keepInput(ToDaemon.Input more) {
    assert state == State.STARTING;
    input.add(more.bytes());
  }

  List<byte[]> takeInput() {
    List<byte[]> taken = List.copyOf(input);
    input.clear();
    return taken;
  }

  boolean hasShown() {
    return shown != null;
  }

  void shown(RankReport report) {
    shown = report;
  }

  /** Hands over what it has shown; null if there is nothing new. */
  FromDaemon.@Nullable Report takeShown() {
    RankReport report = shown;
    RankConfig known = config;
    shown = null;
    return report == null || known == null
        ? null
        : new FromDaemon.Report(known.rank(), known.incarnation(), pid, report);
  }

  /** Notes what it is told: once released, it is awaited by nobody. */
  void told(JobMessage message) {
    released |= message instanceof JobMessage.Release;
  }

  /** It takes part in the job's communication: others may wait for it. */
  void joined() {
    joined = true;
  }

  /** Whether others may wait for what it does, or for its end. */
  boolean isAwaited() {
    return joined && !released;
  }

  void exiting() {
    exiting = true;
  }

  boolean isExiting() {
    return exiting;
  }

  /**
   * It is to be killed; if it does not run yet, then when it does.
   *
   * @return whether that is new
   */
  boolean killed() {
    boolean isNew = !killed;
    killed = true;
    return isNew;
  }

  boolean isKilled() {
    return killed;
  }

  /** It is killed because it did not come to its end. */
  void overdue() {
    overdue = true;
  }

  boolean isOverdue() {
    return overdue;
  }

  @Override
  public String toString() {
    RankConfig known = config;
    return "process "
        + number
        + " ("
        + state
        + ", "
        + line
        + (known == null ? "" : ", rank " + known.rank() + "." + known.incarnation())
        + ")";
  }
}
