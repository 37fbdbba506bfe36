package org.fmi.core.epoch;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.fmi.ProcessState;
import org.fmi.Rollback;
import org.fmi.control.Counter;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankMessage.Standing;
import org.fmi.core.p2p.Messenger;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.OnFailure;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.jspecify.annotations.Nullable;

/**
 * Takes a rank through H1 and H2 into an epoch, and receives failures from the job and the
 * detector.
 *
 * <pre>
 *   OUT --transports and detector opened, Joined sent--> H1 bootstrapping --Start--> H2 connecting --overlay up--> H3 running
 *    ^                                                        |                          |                            |
 *    +--------------------- Revoke, or a failure reported ----+--------------------------+----------------------------+
 * </pre>
 *
 * Each epoch has new transports and a new detector. The transports of the previous epoch stay open
 * until Start: by then all ranks have left that epoch, and none can mistake their end for a death.
 */
public final class Lifecycle implements JobLink.Listener {
  /** Key of the detector among a rank's addresses. */
  private static final String DETECTOR = "detector";

  private final RankConfig config;
  private final JobLink link;
  private final List<TransportProvider> transportProviders;
  private final FailureDetectorProvider detectorProvider;
  private final Messenger messenger;

  /** Receives the job's orders about checkpoints, on the link's thread. */
  private final Consumer<JobMessage> checkpoints;

  private final RankClock clock;
  private final FaultEvents events;

  /** Whether the job continues without ranks that die. */
  private final boolean shrinks;

  /** Outcomes of agreements that no call has taken yet. */
  private final Map<Agreement, JobMessage.Agreed> agreements = new ConcurrentHashMap<>();

  /** The newest epoch that the job has asked for. */
  private volatile int target;

  /** Transports that the job has told this rank to leave out. */
  private volatile List<String> without = List.of();

  private volatile JobMessage.@Nullable Start start;
  private volatile boolean released;

  /**
   * Whether this rank has reported to the job that it is done; other ranks may leave one by one
   * from then on.
   */
  private boolean finished;

  private volatile @Nullable FailureDetector detector;

  /** The epoch of {@link #detector}. */
  private volatile int detectorEpoch = -1;

  /** The epoch that this rank is or was last in; -1 before the first. */
  private volatile int epoch = -1;

  /** Number of epochs that this rank was in. Other threads read it. */
  private long entered;

  /** The epoch that this rank has last joined or tried to join. */
  private int joined = -1;

  /** Whether this rank waits until all ranks are in an epoch. Other threads read it. */
  private volatile boolean joining;

  /** A Start by which all ranks roll back, received by a call that has not ended yet. */
  private @Nullable Prepared prepared;

  /** Number of this rank's reports of choices that the job has recorded. */
  private final AtomicLong noted = new AtomicLong();

  /** Number of this rank's reports of determinants that the job has acknowledged. */
  private final AtomicLong acknowledged = new AtomicLong();

  /** Determinants of this rank's previous process. */
  private volatile JobMessage.@Nullable ReplayDeterminants determinants;

  private List<Transport> transports = List.of();

  /**
   * The recovery, or the first start, until H3; null while the program runs. Other threads read it.
   */
  private volatile @Nullable RecoveryEvent underWay;

  /** Whether the current recovery has rebuilt this rank's lost checkpoint. */
  private boolean rebuilt;

  /**
   * Number of failures reported over the overlay. Detectors of several epochs may report at a time.
   */
  private final AtomicLong notices = new AtomicLong();

  /** Transports that failed to open at the last attempt. */
  private final Set<String> leftOut = new HashSet<>();

  public Lifecycle(
      RankConfig config,
      JobLink link,
      List<TransportProvider> transportProviders,
      FailureDetectorProvider detectorProvider,
      Messenger messenger,
      Consumer<JobMessage> checkpoints,
      RankClock clock) {
    this.config = config;
    this.link = link;
    this.transportProviders = transportProviders;
    this.detectorProvider = detectorProvider;
    this.messenger = messenger;
    this.checkpoints = checkpoints;
    this.clock = clock;
    this.events = new FaultEvents(config.rank(), config.size(), link);
    this.shrinks = config.job().onFailure() == OnFailure.SHRINK;
  }

  /** The number of an agreement. */
  private record Agreement(int communicator, int call) {}

  /** Takes the outcome of an agreement; null until it is known. */
  public JobMessage.@Nullable Agreed takeAgreed(int communicator, int call) {
    return agreements.remove(new Agreement(communicator, call));
  }

  /** The states of other ranks' processes, and the program's listeners. */
  public FaultEvents events() {
    return events;
  }

  /** Resources opened for an epoch. */
  private record Prepared(JobMessage.Start start, Map<String, Transport> opened) {
    void close() {
      opened.values().forEach(Transport::close);
    }
  }

  public int epoch() {
    return epoch;
  }

  /** Whether only failed ranks have rolled back in the current epoch. */
  public boolean isLocal() {
    JobMessage.Start begun = start;
    return begun != null && begun.epoch() == epoch && begun.isLocal();
  }

  /** Whether a call that would have continued has learned from the job that all ranks roll back. */
  public boolean allRollBack() {
    return prepared != null;
  }

  /** Waits until the job has recorded this many reports of choices, or until a failure. */
  public void awaitNoted(long reports) {
    while (noted.get() < reports && target <= epoch) {
      clock.await(Long.MAX_VALUE);
    }
  }

  /** Number of this rank's {@link RankMessage.Determinants} that the job has acknowledged. */
  public long acknowledged() {
    return acknowledged.get();
  }

  /**
   * Waits until the job has acknowledged this many.
   *
   * @return false if a failure came first
   */
  public boolean awaitAcknowledged(long messages) {
    while (acknowledged.get() < messages) {
      if (target > epoch) {
        return false;
      }
      clock.await(Long.MAX_VALUE);
    }
    return true;
  }

  /** Determinants of this rank if it rolls back alone in this epoch. */
  public long[] determinants() {
    JobMessage.ReplayDeterminants before = determinants;
    return before == null || before.epoch() != epoch ? new long[0] : before.determinants();
  }

  /** Time since a point in time of the rank's clock. Any thread may call it. */
  public long nanosSince(long nanos) {
    return clock.nanoTime() - nanos;
  }

  /** Whether this rank waits until all others are in an epoch. Any thread may call it. */
  public boolean joining() {
    return joining;
  }

  /**
   * Whether this rank has left its program for a recovery that has not ended. Any thread may call
   * it.
   */
  public boolean recovering() {
    return underWay != null;
  }

  /** Adds the counters to a map. Any thread may call it. */
  public void count(Map<Counter, Long> counters) {
    counters.put(Counter.EPOCHS, entered);
    counters.put(Counter.LOG_RING_NOTICES, notices.get());
  }

  /** The newest epoch that the job has asked for. */
  int wanted() {
    return target;
  }

  public boolean released() {
    return released;
  }

  /** The epoch that this rank is in, or could not join. */
  public int joined() {
    return joined;
  }

  /** Whether the current epoch is over. */
  public boolean revoked() {
    return target > epoch || messenger.revoked();
  }

  /**
   * Leaves the current epoch and joins the one that the job wants; returns to H1 whenever something
   * fails on the way.
   *
   * @param standing whether this rank may continue where it is
   * @return the job's Start; null if all ranks roll back and this rank is in a call that it has to
   *     leave first: the next call of this method continues then
   * @throws IOException if a required transport, or no detector, can be opened here
   */
  public JobMessage.@Nullable Start join(Position position, Standing standing) throws IOException {
    joining = true;
    if (underWay == null) {
      RecoveryEvent event = new RecoveryEvent();
      event.begin();
      underWay = event;
    }
    while (true) {
      awaitDecision();
      Prepared next = prepare(position, standing);
      if (next != null && standing.stays() && !next.start.isLocal()) {
        prepared = next;
        return null;
      }
      if (next != null) {
        JobMessage.Start begun = next.start;
        enter(next, standing.stays());
        String overlay = connect();
        if (overlay != null) {
          link.send(new RankMessage.Connected(epoch, overlay));
          joining = false;
          return begun;
        }
      }
    }
  }

  /**
   * H3: reports to the job that this rank runs in the epoch.
   *
   * @param from the checkpoint that it continues from; null at the start of the program
   */
  public void running(@Nullable CheckpointId from) {
    running(from == null ? -1 : from.loop(), from == null ? -1 : from.iteration());
  }

  /** H3, with the iteration that this rank continues with. */
  public void running(long loop, long iteration) {
    link.send(new RankMessage.Running(epoch, loop, iteration, rebuilt));
    events.running(epoch, iteration);
    RecoveryEvent event = underWay;
    if (event != null) {
      event.epoch = epoch;
      event.loop = loop;
      event.iteration = iteration;
      event.rebuilt = rebuilt;
      event.commit();
      underWay = null;
    }
    rebuilt = false;
  }

  /**
   * Ranks have agreed on a recovery line.
   *
   * @param wasRebuilt whether this rank's checkpoint had been lost
   */
  public void recovered(boolean wasRebuilt) {
    rebuilt |= wasRebuilt;
  }

  /**
   * Reports to the job, in the next epoch and all later ones, that this process is where it cannot
   * be rolled back. It opens no transports, as it will be killed and started again with all others.
   * Never returns.
   */
  public void awaitRestart() {
    joining = true;
    Prepared left = prepared;
    if (left != null && target <= joined) {
      // The job counts on this process, which has joined in order to roll back.
      link.send(
          new RankMessage.RestartNeeded(joined, "rank " + config.rank() + " has left its loop"));
    }
    while (true) {
      while (target <= joined) {
        clock.await(Long.MAX_VALUE);
      }
      joined = target;
      link.send(new RankMessage.Joined(joined, Position.OUTSIDE, Map.of()));
    }
  }

  /**
   * Asks for a restart of all processes, and waits to be killed. Never returns.
   *
   * @param reason a predicate whose subject is the rank
   */
  public void askForRestart(String reason) {
    if (revoked()) {
      awaitDecision();
    }
    link.send(new RankMessage.RestartNeeded(target, "rank " + config.rank() + " " + reason));
    awaitRestart();
  }

  /** Whether the job has neither asked for a newer epoch nor released this rank. */
  boolean undecided() {
    return target <= joined && !released && prepared == null;
  }

  /** Waits for the job's reaction to a failure that the log-ring reported first. */
  void awaitDecision() {
    while (undecided()) {
      clock.await(Long.MAX_VALUE);
    }
  }

  /** Reports that this rank is done. */
  public void finish() {
    finished = true;
    link.send(new RankMessage.Finished(epoch));
  }

  /**
   * Waits until all ranks have finished. A failure reported meanwhile may be of a rank that was
   * released already: the job knows. Does not return if it was not.
   */
  public void awaitRelease() {
    while (undecided()) {
      try {
        messenger.park();
      } catch (Rollback e) {
        awaitDecision();
      }
    }
    if (!released) {
      awaitRestart();
    }
  }

  /**
   * H1: opens endpoints, publishes them and waits until all other ranks have.
   *
   * @return null if the epoch was revoked meanwhile
   */
  private @Nullable Prepared prepare(Position position, Standing standing) throws IOException {
    Prepared before = prepared;
    if (before != null) {
      prepared = null;
      if (before.start.epoch() == target) {
        return before;
      }
      before.close();
    }
    if (target <= joined) {
      return null;
    }
    int joining = target;
    assert joining > joined && joined >= epoch : "epoch " + joining + " after " + joined;
    joined = joining;
    closeDetector();
    Map<String, Transport> opened = new LinkedHashMap<>();
    Map<String, byte[]> addresses = new HashMap<>();
    FailureDetector opening;
    try {
      openTransports(joining, opened);
      opened.forEach((name, transport) -> addresses.put(name, transport.endpoint()));
      // The detector uses RDMA if messages do.
      opening =
          detectorProvider.open(
              config.withTransports(List.copyOf(opened.keySet())),
              joining,
              new Findings(joining),
              link);
    } catch (IOException | RuntimeException e) {
      opened.values().forEach(Transport::close);
      // In the program, it would end a rank that the job counts on: all others would wait for it.
      throw e instanceof IOException refused ? refused : new IOException(e.toString(), e);
    }
    addresses.put(DETECTOR, opening.endpoint());
    detectorEpoch = joining;
    detector = opening;
    link.send(new RankMessage.Joined(joining, position, standing, addresses));

    JobMessage.Start begun = start;
    while (target == joining && (begun == null || begun.epoch() != joining)) {
      clock.await(Long.MAX_VALUE);
      begun = start;
    }
    if (target != joining || begun == null) {
      opened.values().forEach(Transport::close);
      return null;
    }
    return new Prepared(begun, opened);
  }

  /**
   * Begins H2.
   *
   * @param continues whether the program's calls continue
   */
  private void enter(Prepared next, boolean continues) throws IOException {
    transports.forEach(Transport::close);
    transports = List.copyOf(next.opened.values());
    epoch = next.start.epoch();
    entered++;
    Transport[] all = transports.toArray(Transport[]::new);
    if (continues) {
      messenger.resume(epoch, all);
    } else {
      messenger.enter(epoch, all);
    }
    for (Map.Entry<String, Transport> each : next.opened.entrySet()) {
      each.getValue().start(next.start.endpoints().named(each.getKey()));
    }
  }

  /**
   * Opens all available transports of an epoch, in order of preference. Availability may change
   * from epoch to epoch.
   *
   * @throws IOException if a requested transport is not available, or not even the last resort
   */
  private void openTransports(int joining, Map<String, Transport> opened) throws IOException {
    for (TransportProvider provider : transportProviders) {
      try {
        if (mayLeaveOut(provider) && without.contains(provider.name())) {
          throw new IOException("connections over it failed repeatedly");
        }
        opened.put(provider.name(), provider.open(config, joining, link));
        leftOut.remove(provider.name());
      } catch (IOException e) {
        if (!mayLeaveOut(provider)) {
          throw e;
        }
        if (leftOut.add(provider.name()) && firstOfNode(provider.name())) {
          link.report(
              "continues without %s: %s (as seen by rank %d, node %d, %s)"
                  .formatted(
                      provider.name(),
                      e.getMessage(),
                      config.rank(),
                      config.node(),
                      config.host()));
        }
      }
    }
  }

  /**
   * Whether a transport that cannot be opened is a mistake of the user, who has named it for a job
   * that has not begun.
   */
  public boolean isRefusedByUser() {
    return joined == 0 && epoch < 0 && !config.job().transports().isEmpty();
  }

  private boolean mayLeaveOut(TransportProvider provider) {
    return config.job().transports().isEmpty() && !provider.equals(transportProviders.getLast());
  }

  /** Whether no other rank of this node has left this transport out before. */
  private boolean firstOfNode(String transport) {
    try {
      Files.createFile(config.withoutMarker(transport));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      return true; // a duplicate is better than no notice
    }
  }

  /**
   * H2: connects the overlay.
   *
   * @return the transport that it runs over; null if a failure was reported
   */
  private @Nullable String connect() throws IOException {
    JobMessage.Start begun = start;
    FailureDetector connecting = detector;
    if (begun == null || connecting == null || begun.epoch() != epoch) {
      return null;
    }
    try {
      connecting.connect(begun.endpoints().named(DETECTOR));
      return connecting.transport();
    } catch (IOException e) {
      if (!revoked()) {
        throw e;
      }
      return null;
    }
  }

  // ---- events on other threads

  @Override
  public void onMessage(JobMessage message) {
    switch (message) {
      case JobMessage.Revoke m -> {
        if (m.epoch() > target) {
          FailureDetector older = detectorEpoch < m.epoch() ? detector : null;
          // The job may know before the overlay does; each informs ranks that the other reaches
          // later. This happens before the program's thread can close the detector.
          if (older != null && detectorEpoch == m.epoch() - 1 && isAnother(m.failed())) {
            older.announce(m.failed(), "reported by the job");
          }
          if (isAnother(m.failed())) {
            events.dead(m.epoch() - 1, m.failed());
          }
          without = m.without();
          target = m.epoch();
          messenger.revoke(m.epoch() - 1, "the job is recovering from a failure");
          if (older != null) {
            // A connect that waits for a dead peer must end.
            older.close();
          }
        }
      }
      case JobMessage.Start m -> start = m;
      case JobMessage.Release m -> released = true;
      case JobMessage.ChoiceRecorded _ -> noted.incrementAndGet();
      case JobMessage.Acknowledged _ -> acknowledged.incrementAndGet();
      case JobMessage.ReplayDeterminants m -> determinants = m;
      case JobMessage.Settle _,
          JobMessage.Hold _,
          JobMessage.Meet _,
          JobMessage.Begin _,
          JobMessage.Resume _,
          JobMessage.WriteNext _ ->
          checkpoints.accept(message);
      case JobMessage.Dead m -> onDead(m);
      case JobMessage.Alive m -> {
        events.alive(m.rank());
        FailureDetector d = detector;
        if (d != null) {
          d.alive(m.rank());
        }
      }
      case JobMessage.Agreed m -> agreements.put(new Agreement(m.communicator(), m.call()), m);
      case JobMessage.Revoked m -> messenger.revokedCommunicator(m.communicator());
    }
    clock.wakeup();
    messenger.wakeup();
  }

  /** Continues without a rank. */
  private void onDead(JobMessage.Dead m) {
    events.lost(m.rank(), m.by());
    messenger.died(m.seq(), m.rank(), m.reason());
    FailureDetector d = detector;
    if (d != null) {
      d.dead(m.rank());
    }
  }

  private boolean isAnother(int rank) {
    return rank >= 0 && rank != config.rank();
  }

  /**
   * Receives the failures of one epoch, which the first of them ends unless the job continues
   * without the ranks.
   */
  private final class Findings implements FailureDetector.Listener {
    private final int heardIn;
    private final AtomicBoolean over = new AtomicBoolean();

    Findings(int heardIn) {
      this.heardIn = heardIn;
    }

    @Override
    public void onFailure(int rank, int hops, String reason) {
      long heard = clock.nanoTime();
      if (shrinks ? events.state(rank) == ProcessState.DEAD : over.getAndSet(true)) {
        // The job knows; or ranks that have left the epoch cannot be told from dead ones any more.
        return;
      }
      notices.incrementAndGet();
      if (heardIn >= epoch) {
        events.suspected(heardIn, rank, hops, !shrinks);
      }
      if (!shrinks) {
        messenger.revoke(heardIn, "rank " + rank + " has failed: " + reason);
      }
      accuse(rank, hops, heard, false, reason);
      clock.wakeup();
    }

    @Override
    public void onSilence(int rank, String reason) {
      if (events.state(rank) != ProcessState.DEAD) {
        events.suspected(heardIn, rank, 0, false);
        accuse(rank, 0, clock.nanoTime(), true, reason);
      }
    }

    private void accuse(int rank, int hops, long heard, boolean silence, String reason) {
      FailureDetector d = detector;
      String overlay = d == null ? "" : d.transport();
      link.send(new RankMessage.Suspect(heardIn, rank, hops, heard, overlay, silence, reason));
    }
  }

  /**
   * Reports a broken data connection: its peer has failed, or is unreachable, which is the same.
   */
  public void peerLost(int peer, String reason) {
    FailureDetector d = detector;
    boolean known = shrinks && events.state(peer) == ProcessState.DEAD;
    if (d != null && !finished && !revoked() && !known) {
      d.announce(peer, "its data connection broke: " + reason);
    }
  }

  private void closeDetector() {
    FailureDetector d = detector;
    detector = null;
    if (d != null) {
      d.close();
    }
  }

  /** Leaves the job. */
  public void close() {
    closeDetector();
    transports.forEach(Transport::close);
    transports = List.of();
  }
}
