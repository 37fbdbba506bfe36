package org.fmi.job.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.job.daemon.Deadlines.Limit;
import org.fmi.rules.TimeWithCore;
import org.fmi.spi.RankConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random schedules: an fmirun that keeps to the protocol, processes that do anything, and what must
 * hold throughout. A failure names its seed.
 */
final class NodeDaemonScheduleTest {
  private static final int SCHEDULES = 1_000;
  private static final int STEPS = 400;
  private static final int RANKS = 3;
  private static final int MOST_STANDBYS = 2;
  private static final long LEASE = Duration.ofSeconds(5).toNanos();
  private static final long GRACE = Duration.ofSeconds(30).toNanos();

  private static void must(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_000_001, 2_000_001, 3_000_001})
  void theInvariantsHold(long first) {
    Set<String> reached = new HashSet<>();
    for (long seed = first; seed < first + SCHEDULES; seed++) {
      try {
        World world = new World(seed);
        world.run();
        reached.addAll(world.reached);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    // The schedules are worth something.
    assertThat(reached)
        .contains(
            "standby taken",
            "RankExited",
            "RankSilent",
            "RankDying",
            "RankWasDying",
            "RankNotStarted",
            "RankStarted",
            "RankLate",
            "abandoned",
            "Refused",
            "Warning",
            "left",
            "told late",
            "LeaseRequest",
            "stopped",
            "continued",
            "given up",
            "ended");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aScheduleCanBeRepeated(long seed) {
    World first = new World(seed);
    first.run();
    World second = new World(seed);
    second.run();
    assertThat(second.story).isEqualTo(first.story);
  }

  /** A process as the system has it. */
  private static final class Proc {
    enum Life {
      ASKED_FOR,
      /** The system has refused to start it; another attempt follows. */
      REFUSED,
      RUNS,
      DEAD
    }

    enum Line {
      NONE,
      OPEN,
      CLOSED
    }

    Life life = Life.ASKED_FOR;
    Line line = Line.NONE;
    int refusals;
    boolean abandoned;
    boolean saidExiting;
    boolean killed;
    boolean immortal;
    boolean stopped;
    int rank = -1;
    int incarnation = -1;
    boolean assigned;
    final List<Integer> told = new ArrayList<>();

    /** When it has to be killed, as it broke off; 0 if it has not. */
    long killBy;
  }

  /** What fmirun knows of a rank. */
  private static final class Seat {
    int incarnation = -1;
    boolean occupied;

    /** Numbers of the messages sent to its process. */
    final List<Integer> sent = new ArrayList<>();
  }

  private static final class World {
    final SplittableRandom random;
    final NodeDaemon daemon =
        new NodeDaemon(
            new NodeFacts("job", new byte[32], 0, "host", "/dir", "/dir", 4, LEASE, GRACE));
    final TreeMap<Integer, Proc> procs = new TreeMap<>();
    final Seat[] seats = new Seat[RANKS];
    final Map<String, Integer> ends = new HashMap<>();
    final List<String> story = new ArrayList<>();
    final Set<String> reached = new HashSet<>();
    final List<Integer> lookedAt = new ArrayList<>();
    final List<FromDaemon.RankLate> late = new ArrayList<>();
    long now;
    int messages;
    boolean refused;
    boolean ended;

    /** When each request for a lease was sent, and how many were granted. */
    final List<Long> requests = new ArrayList<>();

    int granted;
    boolean cut;
    long leaseEnd;
    boolean expired;

    /** When the ranks were stopped. */
    long stoppedAt;

    /** Processes do little in all the time that passes. */
    final boolean slow;

    World(long seed) {
      random = new SplittableRandom(seed);
      slow = random.nextInt(4) == 0;
      now = random.nextLong();
      leaseEnd = now + LEASE;
      Arrays.setAll(seats, r -> new Seat());
    }

    void run() {
      feed(new DaemonEvent.FromFmirun(new ToDaemon.Setup(NodeDaemonTest.setup(RANKS))));
      feed(new DaemonEvent.Prepared());
      for (int step = 0; step < STEPS && !ended && !refused; step++) {
        step();
      }
      if (!ended && !refused) {
        settle();
      }
    }

    /** All is killed and dies: then everything that was spawned is reported, once. */
    void settle() {
      cut = false;
      grant();
      while (procs.values().stream().anyMatch(proc -> proc.life == Proc.Life.REFUSED)) {
        now = daemon.nextTick().orElseThrow();
        feed(new DaemonEvent.Tick());
        grant();
        if (refused || ended) {
          return;
        }
      }
      for (int r = 0; r < RANKS; r++) {
        if (seats[r].occupied) {
          from(new ToDaemon.KillRank(r, seats[r].incarnation));
        }
      }
      for (int number : List.copyOf(procs.keySet())) {
        Proc proc = procs.get(number);
        if (proc != null && proc.life == Proc.Life.ASKED_FOR) {
          comeUp(number, proc);
        }
        if (proc != null && proc.life == Proc.Life.RUNS && proc.rank >= 0) {
          assertThat(proc.killed).as("rank %d is killed", proc.rank).isTrue();
          exit(number, proc, 137);
        }
        if (proc != null && proc.life == Proc.Life.DEAD && proc.line == Proc.Line.OPEN) {
          disconnect(number, proc, false);
        }
      }
      for (Seat seat : seats) {
        must(refused || !seat.occupied, "all are reported as ended");
      }
    }

    void step() {
      cut ^= random.nextInt(40) == 0;
      grant();
      if (ended) {
        return;
      }
      if (!lookedAt.isEmpty() && random.nextBoolean()) {
        int number = lookedAt.removeFirst(); // which may have ended
        feed(new DaemonEvent.Seen(number, new TimeWithCore.Look(random.nextBoolean(), 0)));
        return;
      }
      if (!late.isEmpty() && random.nextBoolean()) {
        FromDaemon.RankLate known = late.removeFirst();
        from(new ToDaemon.KillRank(known.rank(), known.incarnation()));
        return;
      }
      int kind = random.nextInt(100);
      if (kind < (slow ? 5 : 30)) {
        fmirun();
      } else if (kind < (slow ? 90 : 42)) {
        pass();
      } else if (!procs.isEmpty()) {
        List<Integer> numbers = List.copyOf(procs.keySet());
        int number = numbers.get(random.nextInt(numbers.size()));
        Proc proc = procs.get(number);
        if (proc != null) {
          act(number, proc);
        }
      }
    }

    /** What fmirun does with requests that it hears. */
    void grant() {
      while (!cut && granted < requests.size() && !ended) {
        int number = granted++;
        long end = requests.get(number) + LEASE;
        boolean before = isExpired();
        leaseEnd = end - leaseEnd > 0 ? end : leaseEnd;
        if (before && !isExpired()) {
          reached.add("continued");
          for (Proc proc : procs.values()) {
            proc.killBy += proc.killBy == 0 ? 0 : now - stoppedAt;
          }
        }
        from(new ToDaemon.LeaseGranted(number));
      }
    }

    boolean isExpired() {
      return now - leaseEnd >= 0;
    }

    void fmirun() {
      int r = random.nextInt(RANKS);
      Seat seat = seats[r];
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> {
          if (!seat.occupied) {
            seat.occupied = true;
            seat.incarnation++;
            seat.sent.clear();
            from(
                NodeDaemonTest.spawn(
                    r, seat.incarnation, random.nextBoolean() ? new int[] {r} : new int[0]));
          }
        }
        case 3 -> {
          // Perhaps one that has ended meanwhile, or has a successor.
          int incarnation = seat.incarnation - random.nextInt(2);
          from(new ToDaemon.KillRank(r, incarnation));
        }
        case 4, 5 -> {
          int incarnation = seat.incarnation - random.nextInt(2);
          int number = messages++;
          if (seat.occupied && incarnation == seat.incarnation) {
            seat.sent.add(number);
          }
          from(new ToDaemon.Forward(r, incarnation, message(number)));
        }
        case 6 -> {
          int number = messages++;
          for (Seat one : seats) {
            if (one.occupied) {
              one.sent.add(number);
            }
          }
          from(new ToDaemon.ForwardAll(message(number)));
        }
        case 7 -> from(new ToDaemon.Standbys(random.nextInt(MOST_STANDBYS + 1), 2));
        case 8 -> {
          from(new ToDaemon.Stack(r));
          from(new ToDaemon.Forget(r));
        }
        default -> {
          if (random.nextInt(100) == 0) {
            if (random.nextBoolean()) {
              from(new ToDaemon.ShutDown());
            } else {
              feed(new DaemonEvent.FmirunGone());
            }
            assertThat(ended).isTrue();
          }
        }
      }
    }

    static JobMessage message(int number) {
      return new JobMessage.Revoke(number, JobMessage.Revoke.NONE, List.of());
    }

    void pass() {
      OptionalLong next = daemon.nextTick();
      if (next.isPresent() && random.nextBoolean()) {
        now = next.getAsLong();
      } else {
        now += random.nextLong(Duration.ofSeconds(5).toNanos());
        if (next.isPresent() && now - next.getAsLong() > 0 && random.nextInt(4) > 0) {
          now = next.getAsLong(); // the others are those of a daemon that was stopped
        }
      }
      feed(new DaemonEvent.Tick());
      for (Proc proc : procs.values()) {
        if (!ended
            && !isExpired()
            && proc.life == Proc.Life.RUNS
            && proc.killBy != 0
            && now - proc.killBy >= 0) {
          assertThat(proc.killed).as("one that broke off is killed").isTrue();
          reached.add("left");
        }
      }
    }

    void act(int number, Proc proc) {
      switch (proc.life) {
        case ASKED_FOR -> start(number, proc);
        case REFUSED -> pass();
        case RUNS -> {
          if (proc.killed && !proc.immortal) {
            if (random.nextInt(3) == 0) {
              feed(new DaemonEvent.Dying(number));
            }
            if (random.nextInt(3) == 0) {
              feed(new DaemonEvent.WasDying(number));
            }
            exit(number, proc, 137);
          } else if (!proc.stopped) {
            live(number, proc);
          }
        }
        case DEAD -> speak(number, proc);
      }
    }

    void start(int number, Proc proc) {
      if (slow && random.nextInt(3) > 0) {
        return; // a file server hangs
      }
      if (random.nextInt(proc.refusals > 0 ? 2 : 40) > 0) {
        comeUp(number, proc);
        return;
      }
      if (proc.rank < 0) {
        procs.remove(number);
      } else {
        proc.life = Proc.Life.REFUSED;
        proc.refusals++;
      }
      feed(new DaemonEvent.NotStarted(number, "no memory"));
    }

    void comeUp(int number, Proc proc) {
      proc.life = Proc.Life.RUNS;
      proc.immortal = random.nextInt(slow ? 6 : 20) == 0;
      feed(new DaemonEvent.Started(number, 1000 + number));
    }

    void live(int number, Proc proc) {
      int kind = random.nextInt(12);
      if (kind == 0) {
        exit(number, proc, random.nextInt(256));
      } else if (proc.line == Proc.Line.NONE) {
        proc.line = Proc.Line.OPEN;
        feed(new DaemonEvent.Connected(number, "/dir/warm"));
      } else if (kind == 1) {
        feed(new DaemonEvent.Dying(number));
        exit(number, proc, 128 + 6);
      } else {
        speak(number, proc);
      }
    }

    /** Over its connection, if that is open. */
    void speak(int number, Proc proc) {
      if (proc.line != Proc.Line.OPEN) {
        return;
      }
      switch (random.nextInt(10)) {
        case 0 -> disconnect(number, proc, false);
        case 1 -> {
          if (proc.rank >= 0) {
            disconnect(number, proc, true);
          }
        }
        case 2 -> {
          proc.saidExiting = true;
          say(number, new FromRank.Exiting());
          disconnect(number, proc, false);
        }
        case 3 -> say(number, new FromRank.LifelineHeld());
        case 5 ->
            say(
                number,
                new FromRank.Shown(new RankReport(0, "loop", 0, 0, 10, null, Map.of(), List.of())));
        case 6 -> say(number, new FromRank.Stack("\"main\" RUNNABLE\n"));
        case 4 ->
            say(
                number,
                new FromRank.Relayed(
                    new RankMessage.Joined(0, RankMessage.Position.FRESH, Map.of())));
        default -> say(number, new FromRank.Relayed(new RankMessage.Finished(0)));
      }
    }

    void say(int number, FromRank message) {
      feed(new DaemonEvent.FromProcess(number, message));
    }

    void disconnect(int number, Proc proc, boolean silent) {
      proc.line = Proc.Line.CLOSED;
      if (!silent && !proc.saidExiting && proc.life == Proc.Life.RUNS) {
        proc.killBy = now + Limit.LEAVE.time.toNanos();
      }
      if (proc.life == Proc.Life.DEAD) {
        procs.remove(number);
      }
      feed(new DaemonEvent.Disconnected(number, silent));
    }

    void exit(int number, Proc proc, int status) {
      proc.life = Proc.Life.DEAD;
      if (proc.line != Proc.Line.OPEN) {
        procs.remove(number);
      }
      if (proc.rank >= 0) {
        // It was told what fmirun has sent, in order, and nothing else.
        List<Integer> sent = seats[proc.rank].sent;
        assertThat(proc.told.size()).isLessThanOrEqualTo(sent.size());
        assertThat(proc.told).isEqualTo(sent.subList(0, proc.told.size()));
      }
      feed(new DaemonEvent.Exited(number, status));
    }

    void from(ToDaemon message) {
      feed(new DaemonEvent.FromFmirun(message));
    }

    void feed(DaemonEvent event) {
      if (isExpired() && !expired) {
        stoppedAt = now;
      }
      expired = isExpired();
      List<DaemonCommand> commands = daemon.on(now, event);
      story.add(event.getClass().getSimpleName() + " " + commands.size());
      for (DaemonCommand command : commands) {
        must(!ended, "nothing follows the end");
        carryOut(event, command);
      }
      check();
    }

    void carryOut(DaemonEvent event, DaemonCommand command) {
      switch (command) {
        case DaemonCommand.Prepare _ -> {}
        case DaemonCommand.Start c -> {
          Proc again = procs.get(c.process());
          if (again != null) {
            assertThat(again.life).isEqualTo(Proc.Life.REFUSED);
            again.life = Proc.Life.ASKED_FOR;
            return;
          }
          Proc proc = new Proc();
          if (event instanceof DaemonEvent.FromFmirun(ToDaemon.Spawn spawn)) {
            occupy(proc, spawn.assignment().rank(), spawn.assignment().incarnation());
          }
          assertThat(procs.put(c.process(), proc)).isNull();
        }
        case DaemonCommand.Bind c -> {
          Proc proc = living(c.process());
          assertThat(proc.assigned).as("told after it is bound").isFalse();
        }
        case DaemonCommand.Attach c -> {
          Proc proc = living(c.process());
          if (proc.rank < 0) {
            occupy(proc, c.rank(), c.incarnation());
            reached.add("standby taken");
          }
          assertThat(proc.rank).isEqualTo(c.rank());
          assertThat(proc.incarnation).isEqualTo(c.incarnation());
          assertThat(proc.incarnation).isEqualTo(seats[c.rank()].incarnation);
        }
        case DaemonCommand.Forward c -> told(open(c.process()), c.message());
        case DaemonCommand.Watch c -> assertThat(open(c.process()).rank).isNotNegative();
        case DaemonCommand.Input c -> assertThat(living(c.process()).rank).isZero();
        case DaemonCommand.AdoptLifeline c -> living(c.process());
        case DaemonCommand.RunHelper _,
            DaemonCommand.LookAtHelper _,
            DaemonCommand.KillHelper _,
            DaemonCommand.Unpin _,
            DaemonCommand.SlowDown _,
            DaemonCommand.UnpinUnknown _ ->
            throw new AssertionError("no rank has offered anything");
        case DaemonCommand.Disconnect c -> {
          Proc proc = open(c.process());
          assertThat(proc.rank).as("ranks may speak").isNegative();
        }
        case DaemonCommand.Look c -> {
          living(c.process());
          lookedAt.add(c.process());
        }
        case DaemonCommand.Forget c -> assertThat(seats[c.rank()].occupied).isFalse();
        case DaemonCommand.Stop c -> {
          living(c.process()).stopped = true;
          reached.add("stopped");
        }
        case DaemonCommand.Continue c -> living(c.process()).stopped = false;
        case DaemonCommand.Terminate c -> living(c.process());
        case DaemonCommand.Kill c -> living(c.process()).killed = true;
        case DaemonCommand.Report c -> report(event, c.message());
        case DaemonCommand.End _ -> {
          ended = true;
          reached.add(isExpired() ? "given up" : "ended");
        }
      }
    }

    Proc starting(int rank) {
      return procs.values().stream()
          .filter(proc -> proc.rank == rank && proc.life == Proc.Life.ASKED_FOR)
          .findFirst()
          .orElseThrow();
    }

    static boolean isRefused(Proc proc, int rank) {
      return proc.rank == rank && proc.life == Proc.Life.REFUSED;
    }

    void occupy(Proc proc, int rank, int incarnation) {
      for (Proc other : procs.values()) {
        must(other.life == Proc.Life.DEAD || other.rank != rank, "one process for a rank");
      }
      proc.rank = rank;
      proc.incarnation = incarnation;
    }

    Proc known(int number) {
      Proc proc = procs.get(number);
      if (proc == null) {
        throw new AssertionError("there is no process " + number);
      }
      return proc;
    }

    Proc living(int number) {
      Proc proc = known(number);
      assertThat(proc.life).isEqualTo(Proc.Life.RUNS);
      return proc;
    }

    Proc open(int number) {
      Proc proc = known(number);
      assertThat(proc.line).isEqualTo(Proc.Line.OPEN);
      return proc;
    }

    void told(Proc proc, ToRank message) {
      switch (message) {
        case ToRank.WarmUp _ -> assertThat(proc.rank).isNegative();
        case ToRank.HoldLifeline _ -> {}
        case ToRank.Stack _ -> assertThat(proc.rank).isNotNegative();
        case ToRank.Begin m -> throw new AssertionError("only the shell knows files: " + m);
        case ToRank.Assign m -> {
          RankConfig config = m.config();
          assertThat(proc.assigned).as("assigned once").isFalse();
          assertThat(config.rank()).isEqualTo(proc.rank);
          assertThat(config.incarnation()).isEqualTo(proc.incarnation);
          proc.assigned = true;
        }
        case ToRank.Forward m -> {
          assertThat(proc.assigned).as("assigned first").isTrue();
          proc.told.add(((JobMessage.Revoke) m.message()).epoch());
          reached.add(proc.told.size() > 1 ? "told late" : "told");
        }
      }
    }

    void report(DaemonEvent event, FromDaemon message) {
      reached.add(message.getClass().getSimpleName());
      switch (message) {
        case FromDaemon.RankExited m -> {
          assertThat(event)
              .isInstanceOfAny(DaemonEvent.Exited.class, DaemonEvent.Disconnected.class);
          Seat seat = seats[m.rank()];
          assertThat(seat.occupied).as("%s: reported once", m).isTrue();
          assertThat(m.incarnation()).isEqualTo(seat.incarnation);
          seat.occupied = false;
          assertThat(ends.merge(m.rank() + "." + m.incarnation(), 1, Integer::sum)).isOne();
        }
        case FromDaemon.LeaseRequest m -> {
          assertThat(m.request()).isEqualTo(requests.size());
          requests.add(now);
        }
        case FromDaemon.RankNotStarted m -> {
          Seat seat = seats[m.rank()];
          assertThat(m.incarnation()).isEqualTo(seat.incarnation);
          seat.occupied = false;
          if (!procs.values().removeIf(proc -> isRefused(proc, m.rank()))) {
            Proc hung = starting(m.rank());
            hung.rank = -1;
            hung.abandoned = true;
            reached.add("abandoned");
          }
        }
        case FromDaemon.Refused _ -> refused = true;
        case FromDaemon.RankDying m ->
            assertThat(seats[m.rank()].incarnation).isEqualTo(m.incarnation());
        case FromDaemon.RankWasDying m ->
            assertThat(seats[m.rank()].incarnation).isEqualTo(m.incarnation());
        case FromDaemon.RankStarted m ->
            assertThat(seats[m.rank()].incarnation).isEqualTo(m.incarnation());
        case FromDaemon.RankLate m -> {
          assertThat(seats[m.rank()].incarnation).isEqualTo(m.incarnation());
          late.add(m);
        }
        case FromDaemon.RankSilent m ->
            assertThat(seats[m.rank()].incarnation).isEqualTo(m.incarnation());
        case FromDaemon.Relayed m ->
            assertThat(m.incarnation()).isLessThanOrEqualTo(seats[m.rank()].incarnation);
        case FromDaemon.Reports m -> {
          Set<Integer> ranks = new HashSet<>();
          for (FromDaemon.Report report : m.reports()) {
            assertThat(ranks.add(report.rank())).as("%s: each once", m).isTrue();
            assertThat(report.incarnation()).isEqualTo(seats[report.rank()].incarnation);
          }
        }
        case FromDaemon.Stack m -> assertThat(m.rank()).isBetween(0, RANKS - 1);
        case FromDaemon.Ready _, FromDaemon.Warning _, FromDaemon.Level2 _ -> {}
        case FromDaemon.Hello _,
            FromDaemon.Examined _,
            FromDaemon.Holds _,
            FromDaemon.Output _,
            FromDaemon.InputWanted _,
            FromDaemon.InputTaken _,
            FromDaemon.Terminated _ ->
            throw new AssertionError(message + " is the shell's to send");
      }
    }

    /** Holds between any two events. */
    void check() {
      if (ended || refused) {
        return;
      }
      int[] serving = new int[RANKS];
      int idle = 0;
      for (Proc proc : procs.values()) {
        if (proc.rank >= 0 && proc.life == Proc.Life.RUNS && !proc.killed) {
          must(proc.stopped == isExpired(), "a rank runs exactly while there is a lease");
        }
        if (proc.rank >= 0) {
          // Its end is reported once nothing more is heard of it.
          serving[proc.rank] += proc.life != Proc.Life.DEAD || proc.line == Proc.Line.OPEN ? 1 : 0;
        } else if (proc.life != Proc.Life.DEAD
            && proc.line != Proc.Line.CLOSED
            && !proc.killed
            && !proc.abandoned) {
          idle++;
        }
      }
      for (int r = 0; r < RANKS; r++) {
        must(
            serving[r] == (seats[r].occupied ? 1 : 0),
            "one process for a rank until it is reported");
      }
      // Those stay that are not wanted any more.
      must(idle <= MOST_STANDBYS, "no more standbys than were wanted");
    }
  }
}
