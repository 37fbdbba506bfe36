package org.fmi.jobsim;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.fmi.ckpt.xor.HeldCheckpoints;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.fmi.job.EndCause;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.spi.CheckpointId;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimNodeMemory;
import org.fmi.testkit.SimProcess;
import org.jspecify.annotations.Nullable;

/**
 * Observer that knows the true state of a simulated job, checks the invariants while it runs, and
 * judges whether it was allowed to end as it did.
 *
 * <p>A job must finish with the right answer while its data and its places exist. The oracle tracks
 * where each rank's checkpoints are: they are lost with the memory of the node, and restored when
 * all ranks report a recovery or a new committed checkpoint. More losses in a group than its code
 * can rebuild justify status 70, unless another version is whole; so does a lack of nodes under the
 * user's policy. A version that is whole in files does not: it must be read. {@link Exclusion}
 * lists all further excuses.
 */
final class Oracle implements Judge {
  /** The time within which a rank joins an epoch that it was notified of, or dies: invariant I3. */
  private static final long BOUND_NANOS = 5_000_000_000L;

  /** The longest time from the end of the last fault to the end of the job. */
  private static final long CALM_NANOS = 120_000_000_000L;

  /** The time after the job and the faults by which all its processes are gone: invariant I6. */
  private static final long CLEAR_NANOS = 5_000_000_000L;

  /** Interval, in events, of the expensive checks, which are also made at each fault. */
  private static final int CHECK_EVERY = 2_000;

  /** The longest time until a daemon tries again to start a process that the system refused. */
  private static final long RETRY_NANOS = 2_000_000_000L;

  /** The time after which a process that hangs in its start is killed, or given up. */
  private static final long LATE_START_NANOS = 70_000_000_000L;

  private static final int NOWHERE = -1;

  /** A job may end for a link that has worked again for no longer than this. */
  private static final long LATELY_NANOS = 2 * Exclusion.HEARTBEAT_NANOS;

  /** Offset of a signal in the exit status of a process that it ended. */
  private static final int SIGNALED = 128;

  private final Shape shape;
  private final SimCluster cluster;
  private final SimFiles files;
  private final Place[] places;
  private final Seats seats;
  private final Endings endings;
  private final Ledger ledger;
  private final FalseVerdicts falseVerdicts;
  private final RecoveryTime recovery = new RecoveryTime();
  private final Reached reached = new Reached();
  private final Set<Exclusion> crossed = EnumSet.noneOf(Exclusion.class);

  /** The rows that have excused something other than the job's end. */
  private final Set<Exclusion> needed = EnumSet.noneOf(Exclusion.class);

  /** The newest epoch that each process has joined. */
  private final Map<SimProcess, Integer> joined = new HashMap<>();

  /** The ranks that run, by epoch. */
  private final Map<Integer, Set<Integer>> running = new HashMap<>();

  /** The iterations of processes that are in their first loop. */
  private final Map<SimProcess, Steps> steps = new HashMap<>();

  /** The newest incarnation of each rank that has computed an iteration. */
  private final Map<Integer, Integer> atWork = new HashMap<>();

  /** Results of iterations by rank: equal each time that an iteration is repeated. */
  private final Map<List<Long>, Long> computed = new HashMap<>();

  private final List<Promise> promises = new ArrayList<>();

  private boolean protects;

  /** Whether the ranks were started in some epoch. */
  private boolean begun;

  private boolean corrupted;
  private @Nullable CheckpointId committed;

  /** The newest epoch in which the program starts over because all is lost. */
  private int startsOver = NOWHERE;

  private int checks;
  private long calmFrom;

  /** The time at which no process of the job may exist any more. */
  private long clearBy = Long.MAX_VALUE;

  /** Whether there were places for all ranks when the job ended, and whether fmirun knew them. */
  private boolean placesLived;

  private boolean placesUsable;

  /** Whether each rank that had lost its checkpoints had a place then with room for them. */
  private boolean roomLeft = true;

  /** Whether the ranks could have been placed on nodes that heard each other, at the end. */
  private boolean couldHear;

  /** Causes of lost data: failures of nodes; and also the faults that {@link Exclusion} lists. */
  private @Nullable String lost;

  private @Nullable String thrownAway;

  /** Whether more was lost at once than memory can rebuild, regardless of files. */
  private boolean beyondMemory;

  /** The nodes that the user has the job lose. */
  private final BitSet doomed = new BitSet();

  /** Cuts from fmirun, by node. */
  private final Silence[] silences;

  /** The newest cut between a node and fmirun. */
  private static final class Silence {
    long since;
    long until = -1;
  }

  /** A rank, and where its checkpoints are. */
  private static final class Place {
    int[] group = {};

    /** The node that holds its checkpoints. */
    int data = NOWHERE;

    /** Number of its processes that the system has killed. */
    int kills;

    boolean lost;
    boolean lostByFailure;
    boolean corrupt;
  }

  /** The deadline of a process to join an epoch. */
  private record Promise(SimProcess process, int epoch, long until, long slept) {}

  Oracle(Shape shape, SimCluster cluster, SimFiles files, Ledger ledger) {
    this.shape = shape;
    this.cluster = cluster;
    this.files = files;
    this.places = new Place[shape.size()];
    Arrays.setAll(places, r -> new Place());
    this.seats = new Seats(shape);
    this.endings = new Endings(cluster, shape.size());
    this.ledger = ledger;
    this.falseVerdicts = new FalseVerdicts(cluster);
    this.silences = new Silence[shape.usedNodes() + shape.spares() + 1]; // one may be added
    Arrays.setAll(silences, n -> new Silence());
  }

  // ---- events

  @Override
  public void onSpawn(int rank, int node, int[] group) {
    Place place = places[rank];
    place.group = group;
    seats.onSpawn(rank, node);
    if (place.data != NOWHERE && place.data != node && !cluster.keepsMemory(place.data)) {
      // A node that is cut off from all other nodes has failed, although its memory is cleared
      // later.
      lose(rank, !cluster.lives(place.data));
    }
  }

  /** Notes that all ranks of this epoch have complete checkpoints on their nodes. */
  private void allProtected(int epoch) {
    protects = true;
    for (int r = 0; r < places.length; r++) {
      SimProcess process = cluster.process(r);
      if (process != null && joined.getOrDefault(process, -1) == epoch && process.hasNode()) {
        Place place = places[r];
        place.data = process.node();
        place.lost = false;
        place.lostByFailure = false;
      }
    }
  }

  @Override
  public void onMemoryLost(int node, boolean struck) {
    for (int r = 0; r < places.length; r++) {
      if (places[r].data == node) {
        lose(r, struck);
      }
    }
  }

  private void lose(int rank, boolean byFailure) {
    if (ended()) {
      return;
    }
    Place place = places[rank];
    place.data = NOWHERE;
    place.lost = true;
    place.lostByFailure |= byFailure;
    assess();
  }

  /** Notes when data are lost. */
  private void assess() {
    for (int r = 0; protects && r < places.length; r++) {
      if (places[r].group.length > 0 && places[r].group[0] == r) {
        count(places[r].group);
      }
    }
  }

  private void count(int[] group) {
    int all = 0;
    int byFailure = 0;
    for (int r : group) {
      all += places[r].lost || places[r].corrupt ? 1 : 0;
      byFailure += places[r].lostByFailure || places[r].corrupt ? 1 : 0;
    }
    int tolerance = tolerance(group);
    String what = "of the group " + Arrays.toString(group) + " at once";
    if (byFailure > tolerance && lost == null && !isAnyWhole() && !files.holdAny()) {
      lost = byFailure + " " + what;
    }
    if (all > tolerance) {
      beyondMemory = true;
      if (thrownAway == null && !files.holdAny()) {
        thrownAway = all + " " + what;
      }
    }
  }

  /** Returns the losses that a group's code can rebuild. */
  private int tolerance(int[] group) {
    return Math.min(shape.job().groupLosses(), group.length - 1);
  }

  @Override
  public void onCorrupted(int node) {
    corrupted = true;
    for (int r = 0; r < places.length; r++) {
      places[r].corrupt |= places[r].data == node || seats.isOn(r, node);
    }
    assess();
  }

  @Override
  public boolean mayFlip(int node, MemorySegment piece) {
    return HeldCheckpoints.isComplete(piece)
        && steps.values().stream().noneMatch(each -> each.mayReadCheckpointOn(node));
  }

  @Override
  public void onOffered(SimProcess process, Pinned pinned) {
    SimNodeMemory memory = cluster.memory(process.node());
    if (memory != null) {
      files.onOffered(process, memory, pinned);
    }
  }

  /** Checks I8: a peer without the job's secret gets only a closed connection. */
  @Override
  public void onStranger(SimProcess process, @Nullable String got) {
    if (got != null) {
      throw new AssertionError("I8: a stranger got " + got + " from " + process);
    }
  }

  @Override
  public void onKilledAgain(int rank) {
    long now = cluster.simulation().nanoTime();
    calmFrom = Math.max(calmFrom, now);
    recovery.restart(now, now);
    // Each other fault may have cost it a process too.
    if (++places[rank].kills + cluster.injected() >= Exclusion.LOSSES) {
      crossed.add(Exclusion.KILLED_AGAIN_AND_AGAIN);
    }
  }

  @Override
  public void onFault(FaultPlan.Step step) {
    checkCommitted();
    long now = cluster.simulation().nanoTime();
    if (step.nanos() < Long.MAX_VALUE / 2) {
      calmFrom = Math.max(calmFrom, now + step.nanos());
    }
    switch (step.kind()) {
      case CUT_FROM_JOB, UNHEARD_BY_JOB, DEAF_TO_JOB, PAUSE_DAEMON ->
          silent(step.victim(), step.nanos(), Exclusion.DAEMON_SILENT);
      case PAUSE_FMIRUN, SWITCH_OUT -> {
        for (int node = 0; node < silences.length; node++) {
          silent(node, step.nanos(), Exclusion.FMIRUN_SILENT);
        }
      }
      default -> {}
    }
    disturbs(step, now);
  }

  /** Notes how long a fault disturbs the job, and what it excuses. */
  private void disturbs(FaultPlan.Step step, long now) {
    reached.onFault(step.kind());
    long end = step.nanos() < Long.MAX_VALUE - now ? now + step.nanos() : Long.MAX_VALUE;
    switch (step.kind()) {
      case FREEZE, PARTITION, ONE_WAY, CUT_RACK -> {
        recovery.restart(now, now);
        falseVerdicts.disturbed(end);
      }
      case CUT_FROM_JOB, UNHEARD_BY_JOB, DEAF_TO_JOB, PAUSE_DAEMON, PAUSE_FMIRUN, SWITCH_OUT -> {
        // Nothing can be decided, or be known of the node's ranks, before it is over.
        recovery.restart(now, end);
        falseVerdicts.disturbed(end);
      }
      case ISOLATE_NODE, POWER_OFF ->
          // Where others cannot take its ranks, all wait for its return.
          recovery.restart(now, now + Exclusion.HEARTBEAT_NANOS + Exclusion.GRACE_NANOS);
      case SLOW_DEATH -> recovery.restart(now, end); // two processes of a rank must not run
      default -> recovery.restart(now, now);
    }
  }

  @Override
  public void onAccused() {
    crossed.add(Exclusion.ACCUSED);
  }

  @Override
  public void onStartFailed() {
    onStartHangs(RETRY_NANOS);
  }

  @Override
  public void onStartHangs(long nanos) {
    long now = cluster.simulation().nanoTime();
    long end = now + Math.min(nanos, LATE_START_NANOS);
    recovery.restart(now, end);
    falseVerdicts.disturbed(end); // it is killed, so that another one starts
  }

  /** Notes that a node and fmirun are cut off, in one direction at least. */
  private void silent(int node, long nanos, Exclusion row) {
    Silence silence = silences[node];
    long now = cluster.simulation().nanoTime();
    if (now > silence.until) {
      silence.since = now;
    }
    silence.until = Math.max(silence.until, now + nanos);
    if (silence.until - silence.since >= Exclusion.GRACE_NANOS) {
      crossed.add(row);
    }
  }

  /** The job has decided something: its commands follow. */
  @Override
  public void onDecision() {
    falseVerdicts.onDecision();
  }

  /** Notes that the job has a process killed. */
  @Override
  public void onKill(int rank, int incarnation) {
    endings.onKill(rank, incarnation);
    long now = cluster.simulation().nanoTime();
    String what = falseVerdicts.onKill(rank, incarnation, now);
    if (what != null && !ended()) {
      if (!crossed.contains(Exclusion.ACCUSED)) {
        throw new AssertionError("false verdict: " + what);
      }
      needed.add(Exclusion.ACCUSED);
    }
  }

  /** Notes that the job has given up a node. */
  @Override
  public void onGivenUp(int node, String reason) {
    boolean heard =
        cluster.comesUp(node)
            && !doomed.get(node)
            && silences[node].until - silences[node].since < Exclusion.GRACE_NANOS;
    String what = falseVerdicts.onGivenUp(node, heard, reason);
    if (what != null && !ended()) {
      throw new AssertionError("false verdict: " + what);
    }
    onMemoryLost(node, false); // not only once it is deleted, as the job may end before
  }

  /** Notes that the job has one more node. */
  @Override
  public void onNodeAdded() {
    seats.onNodeAdded();
  }

  @Override
  public void onNotice(Notice notice) {
    falseVerdicts.onNotice(notice);
    reached.onNotice(notice);
    recovery.onNotice(notice, cluster.simulation().nanoTime());
  }

  /** Notes a new epoch. */
  @Override
  public void onRecovering() {
    falseVerdicts.disturbed(cluster.simulation().nanoTime());
    recovery.onRecovering();
    reached.onRecovering();
  }

  @Override
  public void onSentToAll(JobMessage message) {
    begun |= message instanceof JobMessage.Start;
    reached.onSentToAll(message);
  }

  /** Returns the exclusions without which a demand would have been broken. */
  @Override
  public Set<Exclusion> needed() {
    return needed;
  }

  /** Returns the longest time that the job did not compute after a fault, without excused ones. */
  @Override
  public long longestOutage() {
    return recovery.longest();
  }

  @Override
  public Reached reached() {
    return reached;
  }

  /** Checks that ranks compute again in time. */
  private void checkRecovery(long now) {
    if (!recovery.isRunning()
        && !seats.sufficeNow(n -> cluster.isUsable(n) && !cluster.isFull(n))) {
      recovery.restart(now, now); // it waits for a place
    }
    if (!recovery.isLate(now, ledger.frames())) {
      return;
    }
    if (!recovery.isRunning() && !couldHear()) {
      recovery.restart(now, now); // it waits for a link
      return;
    }
    throw new AssertionError(
        "the ranks do not compute, %d ms after the last fault and with places for all"
            .formatted((now - recovery.since()) / 1_000_000));
  }

  /** Notes the end of the job: its processes have to end from now on. */
  @Override
  public void onEnd() {
    endings.onEnd();
    placesLived = seats.suffice(cluster::lives);
    placesUsable = seats.suffice(cluster::isUsable);
    for (int r = 0; r < places.length; r++) {
      // Its checkpoints are to be rebuilt: they find room only where other programs leave some.
      roomLeft &=
          !places[r].lost || seats.hasPlace(r, n -> cluster.isUsable(n) && !cluster.isFull(n));
    }
    couldHear = couldHear();
    int failures = cluster.injected() + shape.faults().size();
    for (Place place : places) {
      failures += place.kills;
    }
    if (shape.mostWithoutProgress() > 0 && failures > shape.mostWithoutProgress()) {
      crossed.add(Exclusion.KILLED_AGAIN_AND_AGAIN);
    }
    clearBy = Math.max(calmFrom, cluster.simulation().nanoTime()) + CLEAR_NANOS;
  }

  /**
   * Whether some placement of the ranks on usable nodes lets all hear each other, without more
   * moves in a group than its code can rebuild. Between the first start and the moment at which all
   * ranks first run, the job cannot know which checkpoints there are, and may wait.
   */
  private boolean couldHear() {
    return (protects || !begun) && couldHear(0, new int[places.length]);
  }

  private boolean couldHear(int rank, int[] nodes) {
    if (rank == nodes.length) {
      return true;
    }
    for (int node = 0; node < silences.length; node++) {
      nodes[rank] = node;
      if (cluster.isUsable(node) && fits(rank, nodes) && couldHear(rank + 1, nodes)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a rank's node suits those of the ranks before it. */
  private boolean fits(int rank, int[] nodes) {
    int load = 0;
    int moved = 0;
    for (int r = 0; r <= rank; r++) {
      load += nodes[r] == nodes[rank] ? 1 : 0;
      boolean member = Arrays.stream(places[rank].group).anyMatch(Integer.valueOf(r)::equals);
      moved += member && (places[r].lost || places[r].data != nodes[r]) ? 1 : 0;
      if (!cluster.hears(nodes[r], nodes[rank], LATELY_NANOS)) {
        return false;
      }
    }
    boolean hasRoom = shape.onNoSpare() == OnNoSpare.SHARE || load <= shape.ranksPerNode();
    return hasRoom && (!protects || moved <= tolerance(places[rank].group));
  }

  private boolean ended() {
    return clearBy < Long.MAX_VALUE;
  }

  // ---- the invariants, while it runs

  /** Checks the invariants between any two events. */
  @Override
  public void check() {
    long now = cluster.simulation().nanoTime();
    if (now > calmFrom + CALM_NANOS) {
      throw new AssertionError(
          "not finished " + CALM_NANOS / 1_000_000_000 + " s after the last fault had passed");
    }
    if (ended()) {
      if (now > clearBy) {
        throw new AssertionError("I6: the job has ended, and is still on nodes " + cluster.up());
      }
      return;
    }
    checkRecovery(now);
    while (!promises.isEmpty() && promises.getFirst().until < now) {
      checkPromise(promises.removeFirst());
    }
    if (++checks % CHECK_EVERY == 0) {
      checkCommitted();
    }
  }

  /**
   * Checks that survivors never return to an earlier iteration, that repetitions are equal, and
   * I10.
   */
  @Override
  public void onIteration(SimProcess process, long iteration, long hash) {
    if (atWork.merge(process.rank(), process.incarnation(), Math::max) > process.incarnation()) {
      throw new AssertionError("I10: " + process + " computes, and so did its replacement");
    }
    Steps at = steps.computeIfAbsent(process, Steps::new);
    if (at.continues && iteration < at.iteration) {
      throw new AssertionError(
          process + " continues, and is in iteration " + iteration + " after " + at.iteration);
    }
    at.iteration = iteration;
    Long before = computed.putIfAbsent(List.of((long) process.rank(), iteration), hash);
    if (before != null && before != hash) {
      throw new AssertionError(process + " computes something else in iteration " + iteration);
    }
  }

  @Override
  public void onReceived(SimProcess process, JobMessage message) {
    if (message instanceof JobMessage.Start m && !m.isLocal()) {
      steps.computeIfAbsent(process, Steps::new).rollsBack();
    }
    if (corrupted) {
      assess(); // an older version may have gone meanwhile
    }
    if (message instanceof JobMessage.Revoke m && joined.containsKey(process)) {
      long until = cluster.simulation().nanoTime() + BOUND_NANOS;
      promises.add(new Promise(process, m.epoch(), until, process.freezes()));
    }
  }

  @Override
  public void onSent(SimProcess process, RankMessage message) {
    endings.onSent(process, message);
    switch (message) {
      case RankMessage.Joined m -> {
        joined.merge(process, m.epoch(), Math::max);
        Steps at = steps.computeIfAbsent(process, Steps::new);
        if (m.standing().stays()) {
          at.continues = true;
        } else {
          at.rollsBack();
        }
        if (corrupted) {
          assess();
        }
      }
      case RankMessage.AtFault m -> {
        long now = cluster.simulation().nanoTime();
        recovery.restart(now, now);
        FaultSpec fault = shape.faults().get(m.fault());
        if (fault.node() || fault.daemon()) {
          doomed.set(fault.number());
        }
      }
      case RankMessage.Running m -> {
        if (m.iteration() < 0 && (lost != null || thrownAway != null)) {
          startsOver = m.epoch();
        }
        Set<Integer> ranks = running.computeIfAbsent(m.epoch(), e -> new HashSet<>());
        ranks.add(process.rank());
        if (ranks.size() == places.length) {
          allProtected(m.epoch());
        }
      }
      case RankMessage.CheckpointDone(Notice.CheckpointCommitted m, long _, boolean _) -> {
        committed = new CheckpointId(m.version(), m.loop(), m.iteration(), false);
        allProtected(m.epoch());
        beyondMemory = false;
        if (m.epoch() != startsOver) { // else the job ends as soon as it knows
          lost = null;
          thrownAway = null;
        }
        assess(); // a node may have failed since
        forgetDamage(committed);
      }
      default -> {}
    }
  }

  /** Damage of older versions does not count once a newer one is whole. */
  private void forgetDamage(CheckpointId newest) {
    boolean[] holders = corrupted ? held().get(newest) : null;
    if (holders != null && canBeBroughtBack(holders)) {
      corrupted = false;
      for (Place place : places) {
        place.corrupt = false;
      }
    }
  }

  /** Checks I3: a call ends in bounded time once its epoch is over. */
  private void checkPromise(Promise promise) {
    SimProcess process = promise.process;
    if (process.alive()
        && process.freezes() == promise.slept
        && joined.getOrDefault(process, -1) < promise.epoch) {
      throw new AssertionError(
          "I3: %s has not left for epoch %d in %d ms"
              .formatted(process, promise.epoch, BOUND_NANOS / 1_000_000));
    }
  }

  /**
   * Checks I1 and I2: a committed version exists, or can be rebuilt, until a newer one is complete
   * on all ranks.
   */
  private void checkCommitted() {
    CheckpointId newest = committed;
    if (newest == null || corrupted || beyondMemory) {
      return;
    }
    Map<CheckpointId, boolean[]> held = held();
    for (Map.Entry<CheckpointId, boolean[]> each : held.entrySet()) {
      if (each.getKey().version() >= newest.version() && canBeBroughtBack(each.getValue())) {
        return;
      }
    }
    StringBuilder text = new StringBuilder("I1: checkpoint " + newest + " cannot be had any more");
    held.forEach(
        (id, by) -> text.append("\n  ").append(id).append(' ').append(Arrays.toString(by)));
    throw new AssertionError(text.toString());
  }

  /**
   * Returns whether a version, the newest or an older one, can be rebuilt together with the loops
   * that ended before it.
   */
  private boolean isAnyWhole() {
    Map<CheckpointId, boolean[]> held = held();
    return held.keySet().stream()
        .anyMatch(
            line ->
                held.entrySet().stream()
                    .filter(each -> isNeeded(each.getKey(), line))
                    .allMatch(each -> canBeBroughtBack(each.getValue())));
  }

  private static boolean isNeeded(CheckpointId id, CheckpointId line) {
    return id.equals(line) || (id.last() && id.version() <= line.version());
  }

  /** Returns the undamaged versions by holder. */
  private Map<CheckpointId, boolean[]> held() {
    Map<CheckpointId, boolean[]> held = new HashMap<>();
    for (int r = 0; r < places.length; r++) {
      for (CheckpointId id : intact(r)) {
        held.computeIfAbsent(id, i -> new boolean[places.length])[r] = true;
      }
    }
    return held;
  }

  private List<CheckpointId> intact(int rank) {
    Place place = places[rank];
    SimNodeMemory memory = place.data == NOWHERE ? null : cluster.memory(place.data);
    try {
      return memory == null
          ? List.of()
          : HeldCheckpoints.intact(
              memory, rank, place.group, tolerance(place.group), JobSimulation.BLOCK_BYTES);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private boolean canBeBroughtBack(boolean[] holds) {
    for (Place place : places) {
      int missing = 0;
      for (int r : place.group) {
        missing += holds[r] ? 0 : 1;
      }
      if (missing > tolerance(place.group)) {
        return false;
      }
    }
    return true;
  }

  // ---- the end

  /** A failure after all ranks have called close cannot be recovered, and is reported as such. */
  private boolean cameTooLate(Outcome outcome) {
    boolean killed = outcome.status() > SIGNALED;
    return endings.lostAfterwards()
        && (outcome.cause() == EndCause.LOST_WHILE_ENDING
            || (outcome.cause() == EndCause.ALL_ENDED && killed));
  }

  /**
   * Judges whether the job was allowed to end as it did.
   *
   * @param answer the right answer
   */
  @Override
  public Verdict judge(Outcome outcome, long answer) {
    if (outcome.status() == 0) {
      return outcome.answer() == answer
          ? new Verdict(true, "finished")
          : new Verdict(false, "I4: the answer is " + outcome.answer() + ", not " + answer);
    }
    if (cameTooLate(outcome)) {
      return new Verdict(true, "failed after its end");
    }
    boolean allLaunched = seats.nodesThat(cluster::comesUp) >= shape.usedNodes();
    if (outcome.cause() == EndCause.CANNOT_START && !allLaunched) {
      return new Verdict(true, "no place left");
    }
    if (outcome.status() == 70 && outcome.cause() != EndCause.CANNOT_START) {
      if (lost != null && outcome.cause() == EndCause.CHECKPOINTS_LOST) {
        return new Verdict(true, "data lost");
      }
      if (!placesLived) {
        return new Verdict(true, "no place left");
      }
      if (!roomLeft && outcome.cause() == EndCause.NEVER_RAN) {
        return new Verdict(true, "no room left");
      }
      if (isOfLinks(outcome.cause()) && !couldHear) {
        return new Verdict(true, "no places that hear each other");
      }
      Exclusion excuse = excuse(outcome.cause());
      if (excuse != null) {
        return new Verdict(true, excuse.name());
      }
    }
    return new Verdict(
        false,
        "status %d (%s), though data and places are there"
            .formatted(outcome.status(), outcome.message()));
  }

  private static boolean isOfLinks(EndCause cause) {
    return cause == EndCause.LINKS_BROKEN || cause == EndCause.NEVER_RAN;
  }

  private @Nullable Exclusion excuse(EndCause cause) {
    boolean gone = cause == EndCause.CHECKPOINTS_LOST ? thrownAway != null : !placesUsable;
    return crossed.stream()
        .filter(row -> row.fits(cause) && (gone || !row.throwsAway()))
        .findFirst()
        .orElse(null);
  }
}
