package org.fmi.testkit;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.fmi.Rollback;
import org.fmi.control.JobLink;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.spi.TransportProvider;
import org.fmi.testkit.Simulation.Event;

/**
 * A simulated process that serves a rank: its thread, and the components that a rank's runtime is
 * built from.
 *
 * <p>A killed process never runs again: its thread stays in a simulated primitive until the
 * simulation is over; the code that runs while it is then unwound has no effect.
 */
public final class SimProcess {
  /** After this many consecutive calls that neither block nor find work, the thread yields. */
  private static final int SPINS = 4;

  /** The first time for which it yields; doubled each time, up to {@link #MAX_DOUBLINGS} times. */
  private static final long FIRST_SPIN_NANOS = 1_000;

  private static final int MAX_DOUBLINGS = 10;

  private enum State {
    RUNNING,
    FROZEN,
    DEAD
  }

  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimNode.Boot boot;
  private final RankConfig config;
  private final SimThread thread;
  private final SimSignal spinning = new SimSignal(this);
  private final SimClock clock = new SimClock();
  private final SimJobLink link;
  private final NodeMemory memory;
  private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
  private final List<SimTransport> transports = new ArrayList<>();
  private final List<SimPort> ports = new ArrayList<>();
  private final Lane background;

  private State state = State.RUNNING;
  private boolean mute;
  private boolean resumeDeferred;
  private boolean inBackground;
  private boolean memoryFails;
  private boolean cutOff;
  private long ticket;
  private int freezes;
  private int spins;

  /** Whether the last call that may take time was a poll. */
  private boolean hasPolled;

  /** Whether a fault has stopped it, and whether its daemon has. */
  private boolean frozen;

  private boolean stopped;

  SimProcess(SimCluster cluster, SimNode.Boot boot, RankConfig config, SimProgram program) {
    this.cluster = cluster;
    this.simulation = cluster.simulation();
    this.boot = boot;
    this.config = config;
    this.background = new Lane(simulation);
    this.link = new SimJobLink(this);
    this.memory = boot.memory.view(this);
    this.thread =
        simulation.thread(
            "rank " + config.rank() + " incarnation " + config.incarnation(), () -> main(program));
  }

  private void main(SimProgram program) {
    try {
      program.run(this);
      cluster.exited(this, 0, null);
    } catch (Exception | Rollback e) {
      if (!gone()) {
        cluster.exited(this, 1, e);
      }
    }
  }

  public int rank() {
    return config.rank();
  }

  public int incarnation() {
    return config.incarnation();
  }

  /** The number of the node it runs on. */
  public int node() {
    return boot.node.number;
  }

  public RankConfig config() {
    return config;
  }

  public JobLink jobLink() {
    return link;
  }

  /** Whether its rank has reported that it waits, and computes nothing, in a recovery. */
  public boolean waits() {
    return link.waits();
  }

  /** Its transports: a fast one inside the node, if the model has it, and one to all nodes. */
  public List<TransportProvider> transports() {
    TransportProvider far = new SimTransportProvider(this, SimTransport.Kind.FAR);
    return model().near()
        ? List.of(new SimTransportProvider(this, SimTransport.Kind.NEAR), far)
        : List.of(far);
  }

  /** Accepts connections from other processes' background threads. */
  public SimPort listen(SimPort.Acceptor acceptor) {
    primitive();
    SimPort port = cluster.network().listen(this, acceptor);
    ports.add(port);
    return port;
  }

  /**
   * Asks for a connection, to be served by this process' background thread.
   *
   * @param endpoint of a {@link SimPort}
   * @param caller speaks for this process until the port decides
   * @param timeout after this many nanoseconds without an answer the connection fails
   */
  public SimStream connect(
      byte[] endpoint, SimPort.Caller caller, long timeout, SimStream.Handler handler) {
    primitive();
    SimStream stream = new SimStream(cluster.network(), this, handler);
    stream.connect(cluster.network().port(endpoint), caller, timeout);
    return stream;
  }

  /** Whether its background thread is running. */
  public boolean inBackground() {
    return inBackground;
  }

  /** Runs a task on this process' background thread, after the earlier tasks. */
  public void execute(Runnable task) {
    if (inBackground) {
      task.run();
    } else if (!gone()) {
      post(background.delay(1), "task", task);
    }
  }

  /** Runs a task on this process' background thread after a delay. */
  public void after(long nanos, Runnable task) {
    if (!gone()) {
      post(nanos, "timer", task);
    }
  }

  public NodeMemory memory() {
    return memory;
  }

  public RankClock clock() {
    return clock;
  }

  /** Whether it was neither killed nor has exited. */
  public boolean alive() {
    return state != State.DEAD;
  }

  /** Whether its node has not died since it was started. */
  public boolean hasNode() {
    return boot.alive;
  }

  /** Advances virtual time: the program computes or sleeps. Called by its own thread. */
  public void compute(long nanos) {
    primitive();
    busy();
    resumeAfter(nanos, "computed");
    block();
  }

  SimCluster cluster() {
    return cluster;
  }

  Simulation simulation() {
    return simulation;
  }

  SimModel model() {
    return cluster.model();
  }

  SimNode.Boot boot() {
    return boot;
  }

  SimJobLink link() {
    return link;
  }

  /** Whether its calls have no more effect: it is dead, or the simulation is over. */
  public boolean gone() {
    return state == State.DEAD || simulation.over();
  }

  boolean frozen() {
    return state == State.FROZEN;
  }

  /** The number of its stops so far. */
  public int freezes() {
    return freezes;
  }

  boolean isCurrent() {
    return thread.isCurrent();
  }

  /** The stack of its thread. */
  public StackTraceElement[] stack() {
    return thread.stack();
  }

  /**
   * A point where the process may die or lose its core; each simulated primitive passes it.
   *
   * @throws Unwind if it is dead
   */
  void primitive() {
    if (!thread.isCurrent()) {
      return;
    }
    if (gone()) {
      thread.block();
    }
    cluster.faults().atPrimitive(this);
    if (state == State.DEAD) {
      thread.block();
    } else if (state == State.FROZEN) {
      resumeDeferred = true;
      block();
    } else if (simulation.random().nextInt(model().pauseOneIn()) == 0) {
      resumeAfter(model().pause().draw(simulation.random()), "unpaused");
      block();
    }
  }

  /**
   * A call that may be repeated without blocking has found no work: advances time after the first
   * few calls.
   */
  void spin() {
    spinUntil(spinning);
  }

  /** The same of a poll, which ends at {@code signal}. */
  void spin(SimSignal signal) {
    hasPolled = true;
    spinUntil(signal);
  }

  private void spinUntil(SimSignal signal) {
    if (thread.isCurrent() && !gone() && ++spins > SPINS) {
      signal.pause(FIRST_SPIN_NANOS << Math.min(spins - SPINS - 1, MAX_DOUBLINGS));
    }
  }

  /** A call has found work. */
  void busy() {
    spins = 0;
  }

  /** Blocks until the next resume. Called by its own thread. */
  void block() {
    thread.block();
    ticket++;
  }

  /** Ends the current {@link #block}, or the next one, after a delay. */
  Event resumeAfter(long nanos, String what) {
    long expected = ticket;
    return simulation.after(nanos, what, rank(), () -> resume(expected));
  }

  void start(long nanos) {
    resumeAfter(nanos, "start");
  }

  private void resume(long expected) {
    if (expected != ticket || state == State.DEAD) {
      return;
    }
    if (state == State.FROZEN) {
      resumeDeferred = true;
    } else {
      thread.resume();
    }
  }

  /** Runs an action on it after a delay: not before it is thawed, and not after its death. */
  void post(long nanos, String what, Runnable action) {
    simulation.after(nanos, what, rank(), () -> arrive(action));
  }

  /** Posts now, but after all deferred actions. */
  void arrive(Runnable action) {
    if (state == State.RUNNING && deferred.isEmpty()) {
      inBackground(action);
    } else if (state != State.DEAD) {
      deferred.add(action);
    }
  }

  private void inBackground(Runnable action) {
    inBackground = true;
    try {
      action.run();
    } finally {
      inBackground = false;
    }
  }

  void opened(SimTransport transport) {
    transports.add(transport);
  }

  void closed(SimTransport transport) {
    transports.remove(transport);
  }

  /**
   * Ends it at this moment. With {@code unheard} its connections just fall silent, at least until
   * {@link #hangUp}.
   */
  void die(boolean unheard) {
    if (state == State.DEAD) {
      return;
    }
    state = State.DEAD;
    deferred.clear();
    ports.forEach(SimPort::close);
    mute = unheard;
    if (!unheard) {
      hangUp();
    }
    cluster.network().changed();
  }

  /** The system closes the connections of the dead process. */
  void hangUp() {
    mute = false;
    List.copyOf(transports).forEach(transport -> transport.die(false));
    cluster.network().streams(this).forEach(SimStream::hangUp);
    link.close();
  }

  /** The node is gone with all connections of the dead process. */
  void vanish() {
    List.copyOf(transports).forEach(transport -> transport.die(true));
    cluster.network().streams(this).forEach(SimStream::vanish);
  }

  /** Whether it runs, and so sends heartbeats. */
  boolean speaks() {
    return state == State.RUNNING;
  }

  /** Whether nothing answers for it: neither the process nor, if it is dead, its system. */
  boolean mute() {
    return mute;
  }

  /** Its daemon has closed its link: it ends as soon as it sees that. */
  void cutOff() {
    cutOff = true;
  }

  /** The next access to the node's memory fails. */
  void failMemory() {
    memoryFails = true;
  }

  /** Throws if a failure was injected. */
  void failIfMemoryDoes(String name) throws IOException {
    if (memoryFails) {
      memoryFails = false;
      throw new IOException("input/output error at " + name);
    }
  }

  /** Suspects a living rank that it monitors. */
  void suspectFalsely(int suspect) {
    for (SimStream stream : cluster.network().streams(this)) {
      if (stream.leadsTo(suspect)) {
        stream.suspectFalsely();
      }
    }
  }

  /** A stranger without the job's secret asks each of its ports for a connection. */
  void intrude() {
    post(
        cluster.controlDelay(),
        "stranger",
        () -> {
          for (SimPort port : ports) {
            if (port.isOpen()) {
              cluster.observer().onStranger(this, port.intrude());
            }
          }
        });
  }

  void breakConnection(int peer) {
    transports.forEach(transport -> transport.breakConnection(peer));
  }

  void freeze() {
    frozen = true;
    halt();
  }

  void thaw() {
    frozen = false;
    run();
  }

  /** Its daemon stops it. */
  void stop() {
    stopped = true;
    halt();
  }

  /** Its daemon continues it. */
  void resumeStopped() {
    stopped = false;
    run();
  }

  /** Whether its daemon has stopped it, and does not expect its heartbeats. */
  boolean stopped() {
    return stopped;
  }

  private void halt() {
    if (state == State.RUNNING) {
      state = State.FROZEN;
      freezes++;
      cluster.network().changed();
    }
  }

  private void run() {
    if (state != State.FROZEN || frozen || stopped) {
      return;
    }
    state = State.RUNNING;
    if (cutOff) {
      cluster.crash(this);
      return;
    }
    catchUp();
    cluster.network().changed();
    if (resumeDeferred) {
      resumeDeferred = false;
      resumeAfter(model().wakeup().draw(simulation.random()), "thawed");
    }
  }

  /** Runs the deferred actions, one after the other. */
  private void catchUp() {
    if (!deferred.isEmpty()) {
      simulation.after(
          1,
          "caught up",
          rank(),
          () -> {
            Runnable next = state == State.RUNNING ? deferred.poll() : null;
            if (next != null) {
              inBackground(next);
              catchUp();
            }
          });
    }
  }

  @Override
  public String toString() {
    return thread.name() + " on node " + node() + " " + state;
  }

  /** Virtual time, shifted: the clocks of nodes do not agree. */
  private final class SimClock implements RankClock {
    private final SimSignal signal = new SimSignal(SimProcess.this);

    @Override
    public long nanoTime() {
      if (!hasPolled) {
        spin(); // a loop that reads the clock alone
      }
      hasPolled = false;
      return boot.clockOffset + simulation.nanoTime();
    }

    @Override
    public void await(long maxNanos) {
      primitive();
      signal.await(maxNanos);
    }

    @Override
    public void wakeup() {
      signal.signal();
    }
  }
}
