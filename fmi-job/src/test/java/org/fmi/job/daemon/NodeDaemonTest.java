package org.fmi.job.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.CoreShare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.job.daemon.Deadlines.Limit;
import org.fmi.rules.TimeWithCore;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a daemon does on which event, and at which time. */
final class NodeDaemonTest {
  private static final int HEARTBEAT = 5000;
  private static final int RANK = 3;

  /** No request within any of these tests. */
  private static final long LEASE = Duration.ofDays(365).toNanos();

  private static final long GRACE = LEASE;

  private static final int IDLE_MEGAHERTZ = 1200;

  private final NodeDaemon daemon =
      new NodeDaemon(
          new NodeFacts("job", new byte[32], 7, "host", "/dir", "/dir", 4, LEASE, GRACE));

  /** Starts close to where the clock wraps around. */
  private long now = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

  static NodeSetup setup(int size) {
    return NodeSetup.builder()
        .job(RankConfigs.job(size).heartbeatMillis(HEARTBEAT).build())
        .mainClass("Main")
        .workDirectory("/")
        .idleMegahertz(IDLE_MEGAHERTZ)
        .build();
  }

  private static Assignment assignment(int rank, int incarnation) {
    return new Assignment(rank, incarnation, new int[] {rank}, 3, List.of());
  }

  static ToDaemon.Spawn spawn(int rank, int incarnation, int... cores) {
    CoreShare share =
        cores.length == 0 ? CoreShare.NONE : new CoreShare(CoreShare.Bound.PROCESS, cores);
    return new ToDaemon.Spawn(assignment(rank, incarnation), share, List.of());
  }

  private List<DaemonCommand> on(DaemonEvent event) {
    return daemon.on(now, event);
  }

  private List<DaemonCommand> from(ToDaemon message) {
    return on(new DaemonEvent.FromFmirun(message));
  }

  private List<DaemonCommand> said(int process, FromRank message) {
    return on(new DaemonEvent.FromProcess(process, message));
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private List<DaemonCommand> tick() {
    // Processes that have not joined are looked at now and then.
    return on(new DaemonEvent.Tick()).stream()
        .filter(command -> !(command instanceof DaemonCommand.Look))
        .toList();
  }

  /** Nothing happens before the time, and this does when it has come. */
  private List<DaemonCommand> after(Duration time) {
    pass(time.minusNanos(1));
    assertThat(tick()).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(daemon.nextTick()).hasValue(now);
    return tick();
  }

  /** What follows from the request for standbys, once it is time. */
  private List<DaemonCommand> wanted(int count, int ranksOnNode) {
    from(new ToDaemon.Standbys(count, ranksOnNode));
    return after(Standbys.DELAY);
  }

  private static DaemonCommand report(FromDaemon message) {
    return new DaemonCommand.Report(message);
  }

  private static DaemonCommand warning(String text) {
    return report(new FromDaemon.Warning(text));
  }

  private static DaemonCommand exited(int incarnation, int status, boolean signaled) {
    return report(new FromDaemon.RankExited(RANK, incarnation, status, signaled));
  }

  private static JobMessage revoke(int epoch) {
    return new JobMessage.Revoke(epoch, JobMessage.Revoke.NONE, List.of());
  }

  private static RankConfig assigned(DaemonCommand command) {
    return ((ToRank.Assign) ((DaemonCommand.Forward) command).message()).config();
  }

  @BeforeEach
  void isReady() {
    NodeSetup setup = setup(8);
    assertThat(from(new ToDaemon.Setup(setup))).containsExactly(new DaemonCommand.Prepare(setup));
    assertThat(on(new DaemonEvent.Prepared())).containsExactly(report(new FromDaemon.Ready()));
  }

  private void runs(int process, int incarnation) {
    from(spawn(RANK, incarnation));
    on(new DaemonEvent.Started(process, 100 + process));
    on(new DaemonEvent.Connected(process, "/dir/warm"));
  }

  private void joins(int process) {
    RankMessage joined = new RankMessage.Joined(0, RankMessage.Position.FRESH, Map.of());
    assertThat(said(process, new FromRank.Relayed(joined)))
        .containsExactly(report(new FromDaemon.Relayed(RANK, 0, joined)));
  }

  @Test
  void aRankIsStartedBoundAndTold() {
    assertThat(from(spawn(RANK, 1, 2, 5)))
        .containsExactly(new DaemonCommand.Start(0, 3, List.of()));
    assertThat(from(new ToDaemon.Forward(RANK, 1, revoke(4)))).isEmpty();
    assertThat(from(new ToDaemon.Forward(RANK, 0, revoke(3)))).isEmpty(); // another process
    List<DaemonCommand> started = on(new DaemonEvent.Started(0, 100));
    assertThat(started).hasSize(2);
    assertThat(((DaemonCommand.Bind) started.get(0)).cores()).containsExactly(2, 5);
    assertThat(started.get(1)).isEqualTo(new DaemonCommand.Attach(0, RANK, 1));
    List<DaemonCommand> connected = on(new DaemonEvent.Connected(0, "/dir/warm"));
    assertThat(connected).hasSize(3);
    assertThat(connected.get(0)).isEqualTo(new DaemonCommand.Watch(0, HEARTBEAT));
    RankConfig config = assigned(connected.get(1));
    assertThat(config.rank()).isEqualTo(RANK);
    assertThat(config.incarnation()).isEqualTo(1);
    assertThat(config.host()).isEqualTo("host");
    assertThat(config.nodeDirectory()).isEqualTo("/dir");
    assertThat(config.cores()).isEqualTo(4);
    assertThat(connected.get(2))
        .isEqualTo(new DaemonCommand.Forward(0, new ToRank.Forward(revoke(4))));
    assertThat(from(new ToDaemon.ForwardAll(revoke(5))))
        .containsExactly(new DaemonCommand.Forward(0, new ToRank.Forward(revoke(5))));
  }

  @Test
  void coresRunSlowlyWhileTheirRankWaitsInARecovery() {
    from(spawn(RANK, 0, 2, 5));
    on(new DaemonEvent.Started(0, 100));
    on(new DaemonEvent.Connected(0, "/dir/warm"));
    DaemonCommand slow = new DaemonCommand.SlowDown(List.of(2, 5), IDLE_MEGAHERTZ);
    DaemonCommand fast = new DaemonCommand.SlowDown(List.of(), IDLE_MEGAHERTZ);
    joins(0);
    RankMessage again = new RankMessage.Joined(1, RankMessage.Position.IN_LOOP, Map.of());
    assertThat(said(0, new FromRank.Relayed(again)))
        .containsExactly(slow, report(new FromDaemon.Relayed(RANK, 0, again)));
    JobMessage start = new JobMessage.Start(1, true, AddressTable.of(List.of(Map.of())));
    assertThat(from(new ToDaemon.ForwardAll(start)))
        .containsExactly(fast, new DaemonCommand.Forward(0, new ToRank.Forward(start)));
    assertThat(said(0, new FromRank.Idle(true))).containsExactly(slow);
    assertThat(said(0, new FromRank.Idle(false))).containsExactly(fast);
    assertThat(said(0, new FromRank.Idle(true))).containsExactly(slow);
    on(new DaemonEvent.Disconnected(0, false));
    assertThat(on(new DaemonEvent.Exited(0, 137))).containsExactly(fast, exited(0, 137, true));
  }

  @Test
  void inputWaitsForTheProcessOfRank0() {
    from(spawn(0, 0));
    byte[] first = {1};
    byte[] second = {2};
    assertThat(from(new ToDaemon.Input(0, first))).isEmpty();
    assertThat(on(new DaemonEvent.Started(0, 100)))
        .containsExactly(new DaemonCommand.Attach(0, 0, 0), new DaemonCommand.Input(0, first));
    assertThat(from(new ToDaemon.Input(0, second)))
        .containsExactly(new DaemonCommand.Input(0, second));
    assertThat(from(new ToDaemon.Input(1, second))).isEmpty();
  }

  @Test
  void aStandbyTakesARankOver() {
    assertThat(wanted(1, 2)).containsExactly(new DaemonCommand.Start(0, 2, List.of()));
    assertThat(wanted(1, 2)).isEmpty();
    assertThat(on(new DaemonEvent.Started(0, 100))).isEmpty();
    assertThat(on(new DaemonEvent.Connected(0, "/dir/warm")))
        .containsExactly(
            new DaemonCommand.Forward(0, new ToRank.WarmUp("/dir/warm")),
            new DaemonCommand.Forward(0, new ToRank.HoldLifeline()));
    List<DaemonCommand> taken = from(spawn(RANK, 1));
    assertThat(taken).hasSize(3);
    assertThat(taken.get(0)).isEqualTo(new DaemonCommand.Attach(0, RANK, 1));
    assertThat(assigned(taken.get(1)).incarnation()).isEqualTo(1);
    assertThat(taken.get(2)).isEqualTo(new DaemonCommand.Watch(0, HEARTBEAT));
    // The next one only when fmirun wants it.
    assertThat(from(new ToDaemon.Standbys(1, 2)))
        .containsExactly(new DaemonCommand.Forward(0, new ToRank.HoldLifeline()));
    assertThat(after(Standbys.DELAY)).containsExactly(new DaemonCommand.Start(1, 2, List.of()));
  }

  /** Each request begins the delay anew. */
  @Test
  void aRankThatIsLostSoonIsServedByAProcessOfItsOwn() {
    from(new ToDaemon.Standbys(1, 2));
    pass(Standbys.DELAY.minusNanos(1));
    assertThat(from(spawn(RANK, 1))).containsExactly(new DaemonCommand.Start(0, 3, List.of()));
    from(new ToDaemon.Standbys(1, 2));
    assertThat(after(Standbys.DELAY)).containsExactly(new DaemonCommand.Start(1, 2, List.of()));
  }

  /** Where it took long to the first checkpoint, the machine has little to spare. */
  @Test
  void standbysWaitFourTimesAsLongAsTheJobTookToItsFirstCheckpoint() {
    Duration start = Standbys.DELAY.dividedBy(2);
    Duration delay = start.multipliedBy(4);
    pass(start);
    from(new ToDaemon.Standbys(1, 2));
    assertThat(after(delay)).containsExactly(new DaemonCommand.Start(0, 2, List.of()));
    on(new DaemonEvent.Started(0, 100));
    from(spawn(RANK, 1));
    // As long once more, however long the job has lasted.
    from(new ToDaemon.Standbys(1, 2));
    assertThat(after(delay)).containsExactly(new DaemonCommand.Start(1, 2, List.of()));
  }

  @Test
  void standbysDoNotWaitForMinutes() {
    pass(Duration.ofHours(1));
    from(new ToDaemon.Standbys(1, 2));
    assertThat(after(Standbys.LONGEST_DELAY))
        .containsExactly(new DaemonCommand.Start(0, 2, List.of()));
  }

  @Test
  void aStandbyIsTakenBeforeItHasConnected() {
    wanted(1, 2);
    on(new DaemonEvent.Started(0, 100));
    assertThat(from(spawn(RANK, 1))).containsExactly(new DaemonCommand.Attach(0, RANK, 1));
    List<DaemonCommand> connected = on(new DaemonEvent.Connected(0, "/dir/warm"));
    assertThat(connected).hasSize(2).contains(new DaemonCommand.Watch(0, HEARTBEAT));
    assertThat(assigned(connected.get(1)).rank()).isEqualTo(RANK);
  }

  @Test
  void aStandbyThatIsGoingIsNotTaken() {
    wanted(2, 2);
    for (int process = 0; process < 2; process++) {
      on(new DaemonEvent.Started(process, 100));
      on(new DaemonEvent.Connected(process, "/dir/warm"));
    }
    assertThat(on(new DaemonEvent.Dying(0))).isEmpty();
    assertThat(on(new DaemonEvent.Disconnected(1, false))).isEmpty();
    assertThat(from(spawn(RANK, 1))).containsExactly(new DaemonCommand.Start(2, 3, List.of()));
  }

  @Test
  void standbysThatDoNotStayAliveAreGivenUp() {
    wanted(1, 2);
    on(new DaemonEvent.Started(0, 100));
    assertThat(on(new DaemonEvent.Exited(0, 1)))
        .containsExactly(new DaemonCommand.Start(1, 2, List.of()));
    assertThat(on(new DaemonEvent.NotStarted(1, "no memory"))).isEmpty();
    assertThat(wanted(1, 2)).containsExactly(new DaemonCommand.Start(2, 2, List.of()));
    on(new DaemonEvent.Started(2, 100));
    assertThat(on(new DaemonEvent.Exited(2, 134)))
        .containsExactly(
            warning(
                "standby processes do not stay alive (status 134): replacements will be started on"
                    + " demand, which takes longer"));
    assertThat(wanted(1, 2)).isEmpty();
  }

  /** The system closes the connection of a process that ends. */
  private List<DaemonCommand> ends(int process, int status) {
    on(new DaemonEvent.Disconnected(process, false));
    return on(new DaemonEvent.Exited(process, status));
  }

  @Test
  void aRankIsKilledAndItsEndReported() {
    runs(0, 0);
    assertThat(from(new ToDaemon.KillRank(RANK, 1))).isEmpty();
    assertThat(from(new ToDaemon.KillRank(RANK, 0))).containsExactly(new DaemonCommand.Kill(0));
    assertThat(on(new DaemonEvent.Dying(0)))
        .containsExactly(report(new FromDaemon.RankDying(RANK, 0)));
    assertThat(ends(0, 137)).containsExactly(exited(0, 137, true));
    assertThat(on(new DaemonEvent.Dying(0))).isEmpty();
    assertThat(on(new DaemonEvent.WasDying(0))).isEmpty();
    assertThat(from(new ToDaemon.KillRank(RANK, 0))).isEmpty();
    assertThat(from(spawn(RANK, 1))).containsExactly(new DaemonCommand.Start(1, 3, List.of()));
    pass(Limit.DEATH.time);
    assertThat(tick()).isEmpty();
  }

  @Test
  void thatARankWasDyingBeforeItsKillIsReported() {
    runs(0, 0);
    assertThat(from(new ToDaemon.KillRank(RANK, 0))).containsExactly(new DaemonCommand.Kill(0));
    assertThat(on(new DaemonEvent.WasDying(0)))
        .containsExactly(report(new FromDaemon.RankWasDying(RANK, 0)));
    assertThat(on(new DaemonEvent.Exited(0, 139))).isEmpty();
    assertThat(on(new DaemonEvent.Disconnected(0, false))).containsExactly(exited(0, 139, true));
  }

  @Test
  void aRankThatIsBeingStartedIsKilledWhenItRuns() {
    from(spawn(RANK, 0));
    assertThat(from(new ToDaemon.KillRank(RANK, 0))).isEmpty();
    assertThat(on(new DaemonEvent.Started(0, 100)))
        .containsExactly(new DaemonCommand.Attach(0, RANK, 0), new DaemonCommand.Kill(0));
    assertThat(on(new DaemonEvent.Exited(0, 137))).containsExactly(exited(0, 137, true));
  }

  @Test
  void aRankThatCannotBeStartedIsTriedThreeTimes() {
    DaemonCommand start = from(spawn(RANK, 0)).getFirst();
    from(new ToDaemon.Forward(RANK, 0, revoke(1)));
    assertThat(on(new DaemonEvent.NotStarted(0, "no memory"))).isEmpty();
    assertThat(after(Limit.SECOND_START.time)).containsExactly(start);
    assertThat(on(new DaemonEvent.NotStarted(0, "no memory"))).isEmpty();
    assertThat(after(Limit.THIRD_START.time)).containsExactly(start);
    assertThat(on(new DaemonEvent.NotStarted(0, "no processes")))
        .containsExactly(report(new FromDaemon.RankNotStarted(RANK, 0, "no processes")));
    assertThat(from(spawn(RANK, 1))).containsExactly(new DaemonCommand.Start(1, 3, List.of()));
  }

  /** What it was sent meanwhile is not lost. */
  @Test
  void theSecondAttemptMaySucceed() {
    from(spawn(RANK, 0));
    from(new ToDaemon.Forward(RANK, 0, revoke(1)));
    on(new DaemonEvent.NotStarted(0, "no memory"));
    after(Limit.SECOND_START.time);
    assertThat(on(new DaemonEvent.Started(0, 100)))
        .containsExactly(new DaemonCommand.Attach(0, RANK, 0));
    assertThat(on(new DaemonEvent.Connected(0, "/dir/warm")))
        .contains(new DaemonCommand.Forward(0, new ToRank.Forward(revoke(1))));
  }

  @Test
  void aRankThatIsKilledBeforeTheNextAttemptIsNotStarted() {
    from(spawn(RANK, 0));
    on(new DaemonEvent.NotStarted(0, "no memory"));
    assertThat(from(new ToDaemon.KillRank(RANK, 0))).isEmpty();
    assertThat(after(Limit.SECOND_START.time))
        .containsExactly(
            report(new FromDaemon.RankNotStarted(RANK, 0, "it was not needed any more")));
  }

  @Test
  void onlyADeathBySignalIsOne() {
    runs(0, 0);
    assertThat(ends(0, 128 + 64)).containsExactly(exited(0, 192, true));
    runs(1, 1);
    assertThat(ends(1, 128 + 65)).containsExactly(exited(1, 193, false));
    runs(2, 2);
    assertThat(ends(2, 128)).containsExactly(exited(2, 128, false));
  }

  @Test
  void oneThatDoesNotDieEndsTheNode() {
    runs(0, 0);
    from(new ToDaemon.KillRank(RANK, 0));
    assertThat(after(Limit.DEATH.time))
        .containsExactly(
            report(
                new FromDaemon.Refused(
                    "rank 3 does not die (process 100 was killed 30 s ago): is a file server or a"
                        + " device not responding?")));
  }

  private static final Duration TO_JOIN =
      Duration.ofMillis(Math.max(Limit.JOIN.time.toMillis(), 2 * HEARTBEAT));

  private static final TimeWithCore.Look STARVED = new TimeWithCore.Look(true, 0);

  /** Until the first event that reports something. */
  private List<DaemonCommand> looks(TimeWithCore.Look look, int most) {
    List<DaemonCommand> reports = List.of();
    for (int i = 0; i < most && reports.isEmpty(); i++) {
      pass(TO_JOIN.dividedBy(16));
      assertThat(on(new DaemonEvent.Tick())).containsExactly(new DaemonCommand.Look(0));
      reports = on(new DaemonEvent.Seen(0, look));
    }
    return reports;
  }

  @Test
  void aRankThatDoesNotJoinIsReportedAgainAndAgain() {
    runs(0, 0);
    assertThat(looks(TimeWithCore.Look.UNSEEN, 15)).isEmpty();
    for (int more = 0; more < 2; more++) {
      long millis = TO_JOIN.toMillis() * (16 + more) / 16 - 2 * HEARTBEAT;
      assertThat(looks(TimeWithCore.Look.UNSEEN, 1))
          .containsExactly(report(new FromDaemon.RankLate(RANK, 0, millis)));
    }
  }

  /** It may be slow to start, as it has no core. */
  @Test
  void timeWithoutACoreIsNoReasonToReportIt() {
    runs(0, 0);
    assertThat(looks(STARVED, 15)).isEmpty();
  }

  @Test
  void itIsReportedHowLongProcessesTakeToJoinIfThatIsLongerThanBefore() {
    RankMessage joined = new RankMessage.Joined(0, RankMessage.Position.FRESH, Map.of());
    runs(0, 0);
    pass(Duration.ofSeconds(1));
    assertThat(said(0, new FromRank.Relayed(joined)))
        .contains(report(new FromDaemon.RankStarted(RANK, 0, 1000)));
    assertThat(said(0, new FromRank.Relayed(joined))).hasSize(1);
    ends(0, 137);
    runs(1, 1);
    pass(Duration.ofMillis(1250));
    assertThat(said(1, new FromRank.Relayed(joined))).hasSize(1);
    ends(1, 137);
    runs(2, 2);
    pass(Duration.ofMillis(1251));
    assertThat(said(2, new FromRank.Relayed(joined)))
        .contains(report(new FromDaemon.RankStarted(RANK, 2, 1251)));
  }

  @Test
  void aRankThatMayWaitForADebuggerHasAnyTime() {
    ToDaemon.Spawn spawn = spawn(RANK, 0);
    from(new ToDaemon.Spawn(spawn.assignment(), spawn.share(), List.of("-Xint")));
    on(new DaemonEvent.Started(0, 100));
    pass(TO_JOIN.dividedBy(16));
    assertThat(on(new DaemonEvent.Tick())).isEmpty();
  }

  /** Its file server hangs: nothing can be killed, and no other rank may wait for that. */
  @Test
  void aStartThatHangsIsAbandoned() {
    from(spawn(RANK, 0));
    for (int i = 0; i < 15; i++) {
      pass(TO_JOIN.dividedBy(16));
      assertThat(on(new DaemonEvent.Tick())).isEmpty();
    }
    pass(TO_JOIN.dividedBy(16));
    assertThat(on(new DaemonEvent.Tick()))
        .contains(report(new FromDaemon.RankLate(RANK, 0, TO_JOIN.toMillis() - 2 * HEARTBEAT)));
    assertThat(from(new ToDaemon.KillRank(RANK, 0)))
        .containsExactly(
            report(
                new FromDaemon.RankNotStarted(RANK, 0, "the system does not complete its start")));
    assertThat(from(spawn(RANK, 1))).containsExactly(new DaemonCommand.Start(1, 3, List.of()));
    assertThat(on(new DaemonEvent.Started(0, 100))).containsExactly(new DaemonCommand.Kill(0));
    assertThat(on(new DaemonEvent.Connected(0, "/dir/warm"))).isEmpty();
    assertThat(on(new DaemonEvent.Dying(0))).isEmpty();
    assertThat(on(new DaemonEvent.Disconnected(0, false))).isEmpty();
    assertThat(on(new DaemonEvent.Exited(0, 137))).isEmpty();
  }

  /** 24 GiB, for which a system takes a while. */
  @Test
  void oneWithMuchMemoryHasMoreTimeToDie() {
    runs(0, 0);
    from(new ToDaemon.KillRank(RANK, 0));
    assertThat(on(new DaemonEvent.Killed(0, 24L << 30))).isEmpty();
    assertThat(after(Limit.DEATH.time)).isEmpty();
    assertThat(after(Duration.ofSeconds(12)))
        .singleElement()
        .asString()
        .contains("process 100 was killed 42 s ago");
  }

  @Test
  void oneThatDoesNotConnectIsReported() {
    from(spawn(RANK, 0));
    on(new DaemonEvent.Started(0, 100));
    assertThat(after(Limit.COME_UP.time))
        .containsExactly(
            warning(
                "rank 3 has not started within 60 s (is it stopped, or waiting for a file server or"
                    + " a core?); 'kill -9 100' makes FMI start another process for it"));
  }

  @Test
  void oneThatCannotBeStartedForLongIsReported() {
    from(spawn(RANK, 0));
    assertThat(after(Limit.COME_UP.time))
        .containsExactly(
            warning(
                "rank 3 has not started within 60 s (is it stopped, or waiting for a file server or"
                    + " a core?); its process cannot be started yet"));
  }

  @Test
  void oneThatHasConnectedIsNotMissing() {
    runs(0, 0);
    joins(0);
    pass(Limit.COME_UP.time);
    assertThat(tick()).isEmpty();
    long request = daemon.nextTick().orElseThrow() - now;
    assertThat(request).as("only of a lease").isGreaterThan(Duration.ofDays(100).toNanos());
  }

  @Test
  void oneThatBreaksOffIsGivenAMomentToDie() {
    runs(0, 0);
    assertThat(on(new DaemonEvent.Disconnected(0, false))).isEmpty();
    assertThat(after(Limit.LEAVE.time)).containsExactly(new DaemonCommand.Kill(0));
    assertThat(from(new ToDaemon.Forward(RANK, 0, revoke(1)))).isEmpty();
  }

  @Test
  void oneThatBreaksOffAndDiesIsNotKilled() {
    runs(0, 0);
    on(new DaemonEvent.Disconnected(0, false));
    assertThat(on(new DaemonEvent.Exited(0, 1))).containsExactly(exited(0, 1, false));
    pass(Limit.LEAVE.time);
    assertThat(tick()).isEmpty();
  }

  @Test
  void oneThatIsSilentIsReportedAndNotKilled() {
    runs(0, 0);
    assertThat(on(new DaemonEvent.Disconnected(0, true)))
        .containsExactly(report(new FromDaemon.RankSilent(RANK, 0)));
    pass(Duration.ofDays(1));
    assertThat(tick()).isEmpty();
  }

  @Test
  void oneThatOthersWaitForIsKilledWhenItDoesNotComeToItsEnd() {
    runs(0, 0);
    joins(0);
    assertThat(said(0, new FromRank.Exiting())).isEmpty();
    on(new DaemonEvent.Disconnected(0, false));
    assertThat(after(Limit.END.time))
        .containsExactly(
            warning(
                "rank 3 began to exit 30 s ago while other ranks wait for it, and is killed: a"
                    + " shutdown hook of the program does not return, or calls Fmi.close"),
            new DaemonCommand.Kill(0));
    // Its own fault, whatever ends it.
    assertThat(on(new DaemonEvent.Exited(0, 137))).containsExactly(exited(0, 1, false));
  }

  @Test
  void oneThatWasReleasedMayTakeItsTimeToEnd() {
    runs(0, 0);
    joins(0);
    from(new ToDaemon.ForwardAll(new JobMessage.Release()));
    said(0, new FromRank.Exiting());
    on(new DaemonEvent.Disconnected(0, false));
    pass(Duration.ofDays(1));
    assertThat(tick()).isEmpty();
  }

  /** It says why it ends: fmirun decides by that. */
  @Test
  void whatOneHasSaidIsReportedBeforeItsEnd() {
    runs(0, 0);
    assertThat(on(new DaemonEvent.Exited(0, 4))).isEmpty();
    assertThat(from(new ToDaemon.KillRank(RANK, 0))).isEmpty();
    RankMessage abort = new RankMessage.Abort(4);
    assertThat(said(0, new FromRank.Relayed(abort)))
        .containsExactly(report(new FromDaemon.Relayed(RANK, 0, abort)));
    assertThat(on(new DaemonEvent.Disconnected(0, false))).containsExactly(exited(0, 4, false));
    assertThatThrownBy(() -> said(0, new FromRank.Relayed(abort)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void oneThatHasThrownIsKilledWhenItDoesNotComeToItsEnd() {
    runs(0, 0);
    joins(0);
    said(0, new FromRank.Relayed(new RankMessage.Failed(-1, -1, "")));
    assertThat(after(Limit.UNWIND.time))
        .containsExactly(
            warning(
                "rank 3 threw an exception 30 s ago but has not exited, and is killed: its finally,"
                    + " catch or close code takes too long"),
            new DaemonCommand.Kill(0));
    assertThat(ends(0, 137)).containsExactly(exited(0, 1, false));
  }

  @Test
  void aProcessMustKnowWhenToSpeak() {
    wanted(1, 2);
    on(new DaemonEvent.Started(0, 100));
    on(new DaemonEvent.Connected(0, "/dir/warm"));
    assertThat(said(0, new FromRank.LifelineHeld()))
        .containsExactly(new DaemonCommand.AdoptLifeline(0));
    assertThat(said(0, new FromRank.Relayed(new RankMessage.Abort(4))))
        .containsExactly(new DaemonCommand.Disconnect(0));
    assertThat(said(0, new FromRank.Hello(100))).containsExactly(new DaemonCommand.Disconnect(0));
  }

  @Test
  void theUserHearsOnceThatBindingIsNotAllowed() {
    runs(0, 0);
    assertThat(on(new DaemonEvent.NotBound(0, "unbound"))).containsExactly(warning("unbound"));
    assertThat(on(new DaemonEvent.NotBound(0, "unbound"))).isEmpty();
  }

  @Test
  void aRankWithOptionsOfItsOwnIsServedByNoStandby() {
    wanted(1, 2);
    on(new DaemonEvent.Started(0, 100));
    on(new DaemonEvent.Connected(0, "/warm"));
    assertThat(from(new ToDaemon.Spawn(assignment(RANK, 0), CoreShare.NONE, List.of("-Xint"))))
        .containsExactly(new DaemonCommand.Start(1, 3, List.of("-Xint")));
  }

  @Test
  void allRanksShareTheMachineIfTheirNodesDo() {
    assertThat(setup(8).ranksOnMachine(3)).isEqualTo(3);
    NodeSetup local = NodeSetup.builder().job(RankConfigs.job(8).build()).oneMachine(true).build();
    assertThat(local.ranksOnMachine(3)).isEqualTo(8);
  }

  @Test
  void onlyRanksAreAskedToEnd() {
    assertThat(from(new ToDaemon.Terminate())).isEmpty();
    runs(0, 0);
    assertThat(from(new ToDaemon.Terminate())).containsExactly(new DaemonCommand.Terminate(0));
  }

  @Test
  void itEndsWithFmirun() {
    for (DaemonEvent event :
        List.of(
            new DaemonEvent.FmirunGone(), new DaemonEvent.FromFmirun(new ToDaemon.ShutDown()))) {
      NodeDaemon other =
          new NodeDaemon(
              new NodeFacts("job", new byte[32], 7, "host", "/dir", "/dir", 4, LEASE, GRACE));
      assertThat(other.on(now, event)).containsExactly(new DaemonCommand.End());
      assertThat(other.hasEnded()).isTrue();
      assertThat(other.on(now, event)).isEmpty();
    }
  }

  @Test
  void nothingIsDecidedAfterItsEnd() {
    runs(0, 0);
    from(new ToDaemon.KillRank(RANK, 0));
    on(new DaemonEvent.FmirunGone());
    assertThat(daemon.nextTick()).isEmpty();
    assertThat(on(new DaemonEvent.Exited(0, 137))).isEmpty();
  }

  @Test
  void anUnfitNodeIsRefused() {
    NodeDaemon other =
        new NodeDaemon(
            new NodeFacts("job", new byte[32], 7, "host", "/dir", "/dir", 4, LEASE, GRACE));
    other.on(now, new DaemonEvent.FromFmirun(new ToDaemon.Setup(setup(8))));
    assertThat(other.on(now, new DaemonEvent.Unfit("no program")))
        .containsExactly(report(new FromDaemon.Refused("no program")));
    assertThatThrownBy(() -> other.on(now, new DaemonEvent.FromFmirun(spawn(RANK, 0))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("before setup");
  }

  @Test
  void aRankHasOneProcessAtATime() {
    runs(0, 0);
    assertThatThrownBy(() -> from(spawn(RANK, 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("spawn of rank 3");
  }

  // ---- what ranks show

  private static RankReport shown(long iteration) {
    return new RankReport(0, "loop", 0, iteration, 10, null, Map.of(), List.of());
  }

  @Test
  void whatAllRanksShowIsPassedOnTogether() {
    runs(0, 0);
    from(spawn(RANK + 1, 0));
    on(new DaemonEvent.Started(1, 101));
    on(new DaemonEvent.Connected(1, "/dir/warm"));
    assertThat(said(0, new FromRank.Shown(shown(3)))).isEmpty();
    assertThat(said(1, new FromRank.Shown(shown(4))))
        .containsExactly(
            report(
                new FromDaemon.Reports(
                    List.of(
                        new FromDaemon.Report(RANK, 0, 100, shown(3)),
                        new FromDaemon.Report(RANK + 1, 0, 101, shown(4))))));
  }

  @Test
  void aRankThatShowsNothingDoesNotHoldBackTheOthers() {
    runs(0, 0);
    from(spawn(RANK + 1, 0));
    assertThat(said(0, new FromRank.Shown(shown(3)))).isEmpty();
    assertThat(said(0, new FromRank.Shown(shown(5))))
        .containsExactly(
            report(new FromDaemon.Reports(List.of(new FromDaemon.Report(RANK, 0, 100, shown(3))))));
  }

  @Test
  void aStandbyHasNothingToShow() {
    wanted(1, 1);
    on(new DaemonEvent.Started(0, 100));
    on(new DaemonEvent.Connected(0, "/dir/warm"));
    assertThat(said(0, new FromRank.Shown(shown(3))))
        .containsExactly(new DaemonCommand.Disconnect(0));
  }

  // ---- what their threads do

  @Test
  void aRankThatIsThereIsAskedForItsStack() {
    runs(0, 0);
    assertThat(from(new ToDaemon.Stack(RANK)))
        .containsExactly(new DaemonCommand.Forward(0, new ToRank.Stack()));
    assertThat(said(0, new FromRank.Stack("main")))
        .containsExactly(report(new FromDaemon.Stack(RANK, 100, "main")));
  }

  @Test
  void aRankThatIsNotThereYetIsNotAskedForItsStackLater() {
    from(spawn(RANK, 0));
    assertThat(from(new ToDaemon.Stack(RANK))).isEmpty();
    assertThat(from(new ToDaemon.Stack(RANK + 1))).isEmpty();
    on(new DaemonEvent.Started(0, 100));
    assertThat(on(new DaemonEvent.Connected(0, "/dir/warm")))
        .doesNotContain(new DaemonCommand.Forward(0, new ToRank.Stack()));
  }

  @Test
  void aStandbyHasNoStackToShow() {
    wanted(1, 1);
    on(new DaemonEvent.Started(0, 100));
    on(new DaemonEvent.Connected(0, "/dir/warm"));
    assertThat(said(0, new FromRank.Stack("main")))
        .containsExactly(new DaemonCommand.Disconnect(0));
  }
}
