package org.fmi.testkit;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection between the background threads of two processes, like TCP with
 * heartbeats: frames arrive in order; the end of a process that dies is reported to the other end;
 * an end that receives nothing for the heartbeat timeout closes.
 *
 * <pre>
 *   CONNECTING --accepted--> OPEN --closed by either end, or silent--> CLOSED
 *        +------refused, or not answered in time------------------------->
 * </pre>
 *
 * All methods, and the handler, are called on the process' background thread, that is, in events of
 * the simulation.
 */
public final class SimStream implements SimNetwork.Held {
  /** An unanswered request for a connection is repeated after this long. */
  private static final long RESEND_NANOS = 20_000_000;

  private enum State {
    CONNECTING,
    OPEN,
    CLOSED
  }

  private final SimNetwork network;
  private final Simulation simulation;
  private final SimProcess process;
  private final Handler handler;
  private final Lane lane;

  /** Packets in flight to the other end. */
  private final ArrayDeque<Packet> flight = new ArrayDeque<>();

  private State state = State.CONNECTING;
  private @Nullable SimStream other;

  /** Packets that have arrived at a cut. */
  private int late;

  /**
   * Whether the other end is silent now, the number of changes of that, and the start of the
   * silence.
   */
  private boolean silent;

  private int changes;
  private long silentSince;

  /** Whether the silence was reported, and did not close this end. */
  private boolean reported;

  SimStream(SimNetwork network, SimProcess process, Handler handler) {
    this.network = network;
    this.process = process;
    this.simulation = process.simulation();
    this.handler = handler;
    this.lane = new Lane(simulation);
  }

  /** The listener to the events of one end. */
  public interface Handler {
    void onOpen(SimStream stream);

    void onFrame(SimStream stream, byte[] frame);

    /**
     * The other end was silent for the heartbeat timeout.
     *
     * @return whether to close this end
     */
    default boolean onSilent(SimStream stream, String reason) {
      return true;
    }

    /** The other end is heard again, whose silence did not close this one. */
    default void onHeard(SimStream stream) {}

    /** The request for the connection was not answered in time. */
    default void onUnanswered(SimStream stream, String reason) {
      onClosed(stream, reason);
    }

    /** The connection is over, or could not be made. Not called after {@link SimStream#close}. */
    void onClosed(SimStream stream, String reason);
  }

  private enum Kind {
    ACCEPTED,
    FRAME,
    END
  }

  private record Packet(Kind kind, byte[] frame, String reason) {}

  /** Sends a frame; drops it if this end is not open. */
  public void send(byte[] frame) {
    if (state == State.OPEN) {
      append(new Packet(Kind.FRAME, frame.clone(), ""));
    }
  }

  /** Closes this end after the frames sent before. */
  public void close() {
    if (state != State.CLOSED) {
      leave();
      append(new Packet(Kind.END, new byte[0], "connection closed"));
    }
  }

  /** Asks {@code port} for a connection; gives up after {@code timeout} nanoseconds. */
  void connect(SimPort port, SimPort.Caller caller, long timeout) {
    simulation.after(network.delay(), "dial", process.rank(), () -> knock(port, caller));
    process.post(
        timeout,
        "not answered",
        () -> {
          if (state == State.CONNECTING) {
            close();
            handler.onUnanswered(this, "not answered for " + timeout / 1_000_000 + " ms");
          }
        });
  }

  private void knock(SimPort port, SimPort.Caller caller) {
    SimProcess target = port.process();
    if (state != State.CONNECTING || !process.alive()) {
      return;
    }
    if (target.mute() || network.severed(process, target)) {
      simulation.after(RESEND_NANOS, "dial again", process.rank(), () -> knock(port, caller));
    } else if (!port.isOpen()) {
      process.post(network.delay(), "refused", () -> failConnecting("connection refused"));
    } else {
      target.post(network.delay(), "accept", () -> accepted(port, caller));
    }
  }

  private void accepted(SimPort port, SimPort.Caller caller) {
    Handler serving = state == State.CONNECTING && port.isOpen() ? port.accept(caller) : null;
    if (serving == null) {
      process.post(network.delay(), "refused", () -> failConnecting("connection refused"));
      return;
    }
    SimStream end = new SimStream(network, port.process(), serving);
    end.other = this;
    other = end;
    end.append(new Packet(Kind.ACCEPTED, new byte[0], ""));
    end.open();
  }

  private void failConnecting(String reason) {
    if (state == State.CONNECTING) {
      fail(reason);
    }
  }

  private void open() {
    state = State.OPEN;
    network.opened(this);
    handler.onOpen(this);
    update();
  }

  private void append(Packet packet) {
    SimStream to = other;
    if (to != null) {
      flight.add(packet);
      simulation.after(lane.delay(network.delay()), "stream", to.process.rank(), this::arrive);
    }
  }

  /** The oldest packet has reached the other end's machine, or a cut. */
  private void arrive() {
    SimStream to = other;
    if (to == null) {
      return;
    }
    if (late > 0 || network.silence(process, to.process)) {
      late++;
      network.hold(this);
      return;
    }
    Packet packet = flight.poll();
    if (packet != null) {
      to.process.arrive(() -> to.receive(packet));
    }
  }

  @Override
  public void resume() {
    int again = late;
    late = 0;
    SimStream to = other;
    for (int i = 0; to != null && i < again; i++) {
      simulation.after(lane.delay(network.delay()), "stream", to.process.rank(), this::arrive);
    }
  }

  private void receive(Packet packet) {
    if (state == State.CLOSED) {
      return;
    }
    switch (packet.kind) {
      case ACCEPTED -> open();
      case FRAME -> handler.onFrame(this, packet.frame);
      case END -> {
        leave();
        handler.onClosed(this, packet.reason);
      }
    }
  }

  private void leave() {
    state = State.CLOSED;
    network.closed(this);
  }

  private void fail(String reason) {
    close();
    handler.onClosed(this, reason);
  }

  /** Gives the other end the full timeout again, if it is silent. */
  public void watchAnew() {
    changes++;
    if (silent) {
      silentSince = simulation.nanoTime();
      watch(changes);
    }
  }

  SimProcess process() {
    return process;
  }

  /** Whether it leads to a process of a rank. */
  boolean leadsTo(int rank) {
    return other != null && other.process.rank() == rank;
  }

  /** Treats the other end as silent though it is not. */
  void suspectFalsely() {
    process.post(
        0,
        "suspected falsely",
        () -> {
          if (state != State.OPEN) {
            return;
          }
          if (handler.onSilent(this, "heartbeats late")) {
            fail("heartbeats late");
          } else {
            handler.onHeard(this);
          }
        });
  }

  /**
   * Its process is dead and the system closes its connections: some of the packets in flight are
   * lost.
   */
  void hangUp() {
    if (state == State.CLOSED) {
      return;
    }
    leave();
    int keep = flight.isEmpty() ? 0 : simulation.random().nextInt(flight.size() + 1);
    while (flight.size() > keep) {
      flight.removeLast();
    }
    append(new Packet(Kind.END, new byte[0], "connection closed"));
  }

  /** The process or its machine vanished. */
  void vanish() {
    if (state != State.CLOSED) {
      leave();
    }
  }

  /** Recomputes whether the other end is silent, after a change in the network. */
  void update() {
    SimStream from = other;
    if (state != State.OPEN || from == null) {
      return;
    }
    boolean now = !from.process.speaks() || network.silence(from.process, process);
    if (now != silent) {
      silent = now;
      changes++;
      if (silent) {
        silentSince = simulation.nanoTime();
        watch(changes);
      } else if (reported) {
        reported = false;
        process.post(network.delay(), "heard again", () -> handler.onHeard(this));
      }
    }
  }

  /**
   * Like fmi-net's Heartbeat, an end that was stopped itself gives the other end the full timeout
   * again.
   */
  private void watch(int change) {
    int freezes = process.freezes();
    process.post(
        process.cluster().timeout(process.config()),
        "heartbeats missed",
        () -> {
          if (state != State.OPEN || !silent || changes != change) {
            return;
          }
          if (process.freezes() != freezes) {
            watch(change);
          } else {
            String reason =
                "silent for " + (simulation.nanoTime() - silentSince) / 1_000_000 + " ms";
            if (handler.onSilent(this, reason)) {
              fail(reason);
            } else {
              reported = true;
              watch(change);
            }
          }
        });
  }
}
