package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.fmi.control.JobMessage;
import org.fmi.control.RankReport;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.rules.TimeWithCore;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * The state of one process, as a daemon knows it.
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
 * It connects at most once, in any state but the first; messages wait until then.
 */
final class NodeProcess {
  /** The memory that a system certainly releases in this time: 2 GiB per second. */
  private static final double RELEASED_BYTES_PER_NANO = 2.0 * (1 << 30) / 1_000_000_000;

  enum State {
    /** The system is starting it. */
    STARTING,
    /** Runs without a rank. */
    STANDBY,
    /** Runs as a rank. */
    RANK,
    /** Was never there, or has ended. */
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

  /** The command that starts it. */
  final DaemonCommand.Start start;

  private State state = State.STARTING;
  private Line line = Line.NOT_YET;
  private long pid;
  private @Nullable RankConfig config;
  private int[] cores = {};

  /** Messages to send once it connects, in order. */
  private final List<ToRank> messages = new ArrayList<>();

  /** Input to give to it once it runs, in order. */
  private final List<byte[]> input = new ArrayList<>();

  /** Its newest report that has not been forwarded. */
  private @Nullable RankReport shown;

  /** Whether it announced its own exit. */
  private boolean exiting;

  private OptionalInt exitStatus = OptionalInt.empty();
  private boolean joined;
  private boolean released;
  private boolean killed;
  private boolean overdue;
  private int failedStarts;
  private boolean late;
  private boolean abandoned;

  /** Its time since it was spawned, until it joins, if that is limited. */
  private @Nullable TimeWithCore joining;

  private long spawned;

  /** Time to die beyond the usual, for the memory that it releases; none once it was granted. */
  private OptionalLong timeToDie = OptionalLong.empty();

  NodeProcess(DaemonCommand.Start start) {
    this.number = start.process();
    this.start = start;
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

  /** Returns its identity; null while it is a standby. */
  @Nullable RankConfig config() {
    return config;
  }

  boolean is(int incarnation) {
    RankConfig known = config;
    return known != null && known.incarnation() == incarnation;
  }

  /** Assigns a rank to the process: at once if it runs, otherwise when it does. */
  void designate(RankConfig who, int[] boundTo) {
    assert config == null : this + " is a rank already";
    config = who;
    cores = boundTo;
  }

  /** Notes that the system has started it. */
  void started(long number) {
    pid = number;
    become(State.STANDBY);
  }

  /**
   * Notes that the system could not start it.
   *
   * @return how often that has happened
   */
  int notStarted() {
    assert state == State.STARTING;
    return ++failedStarts;
  }

  /** Notes that it is a rank from now on. */
  void attached() {
    assert config != null;
    become(State.RANK);
  }

  /** Returns the cores to bind it to; none if it is not bound. */
  int[] cores() {
    return cores;
  }

  /** Notes that it has exited; its last messages may still be unread. */
  void exited(int status) {
    exitStatus = OptionalInt.of(status);
  }

  OptionalInt exitStatus() {
    return exitStatus;
  }

  void ended() {
    become(State.ENDED);
  }

  /** Whether the system has the process. */
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

  /** Whether it has ever connected. */
  boolean hasConnected() {
    return line != Line.NOT_YET;
  }

  /** Whether no more events of it can arrive. */
  boolean isForgotten() {
    return state == State.ENDED && line != Line.OPEN;
  }

  /** Keeps a message that cannot be sent yet. */
  void keep(ToRank message) {
    assert line == Line.NOT_YET;
    messages.add(message);
  }

  /** Returns and removes the kept messages. */
  List<ToRank> takeMessages() {
    List<ToRank> taken = List.copyOf(messages);
    messages.clear();
    return taken;
  }

  /** Keeps input for a process that does not run yet. */
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

  /** Returns and removes its newest report; null if there is none. */
  FromDaemon.@Nullable Report takeShown() {
    RankReport report = shown;
    RankConfig known = config;
    shown = null;
    return report == null || known == null
        ? null
        : new FromDaemon.Report(known.rank(), known.incarnation(), pid, report);
  }

  /** Notes a message sent to it: once released, no rank waits for it. */
  void sent(JobMessage message) {
    released |= message instanceof JobMessage.Release;
  }

  /**
   * Notes that it takes part in the communication of the job, so that other ranks may wait for it.
   */
  void joined() {
    joined = true;
    joining = null;
  }

  /** Notes that it was spawned for a rank, and has some time to join. */
  void joins(long now, TimeWithCore time) {
    spawned = now;
    joining = time;
  }

  /** Returns its time since it was spawned; null if it has joined, or may take any time. */
  @Nullable TimeWithCore joining() {
    return joining;
  }

  /** Returns the time since it was spawned for which it had a core. */
  long timeToJoin(long now, TimeWithCore time) {
    return now - spawned - time.starved();
  }

  /** Notes that it takes too long to join. */
  void late() {
    late = true;
  }

  boolean isLate() {
    return late;
  }

  /**
   * Notes that it is of no use, though the system is still starting it: it will not be a rank, and
   * is killed once it runs.
   */
  void abandon() {
    assert state == State.STARTING;
    abandoned = true;
    config = null;
    joining = null;
    messages.clear();
    input.clear();
  }

  boolean isAbandoned() {
    return abandoned;
  }

  /** Whether other ranks may wait for its progress or its end. */
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
   * Notes that it is to be killed; if it does not run yet, then once it does.
   *
   * @return whether that is new
   */
  boolean killed() {
    boolean isNew = !killed;
    killed = true;
    return isNew;
  }

  /** Notes how much memory it has to release when it dies. */
  void releases(long bytes) {
    long nanos = (long) (bytes / RELEASED_BYTES_PER_NANO);
    timeToDie = nanos > 0 ? OptionalLong.of(nanos) : OptionalLong.empty();
  }

  /** Returns the time to die that it has beyond the usual; none the second time. */
  OptionalLong takeTimeToDie() {
    OptionalLong time = timeToDie;
    timeToDie = OptionalLong.empty();
    return time;
  }

  boolean isKilled() {
    return killed;
  }

  /** Notes that it is killed because it did not end in time. */
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
